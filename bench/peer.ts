/** What benchmarks compare with: packages of bench/peers, installed when first asked for. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/platform/package-files.js';

/** The package's directory, of the peers in `room`. Their own downloads and builds are left out: what the processor needs is in the packages. */
export function installPeer(name: string, room = 'bench/peers'): string {
  const home = join(packageRoot(), room);
  const directory = join(home, 'node_modules', name);
  if (!existsSync(directory)) {
    console.log(`installing ${name} as a package …`);
    const { status } = spawnSync('npm', ['install', '--prefix', home, '--ignore-scripts', '--omit=optional', '--no-package-lock', '--no-audit', '--no-fund'], { stdio: 'inherit' });
    if (status !== 0) throw new Error('npm cannot install the peer.');
  }
  return directory;
}
