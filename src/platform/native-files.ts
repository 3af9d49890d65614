/** Where the addon and the program that confines workers lie: in `build/native` where they were compiled, else in an installed package of this platform. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from './package-files.js';

export type NativeFile = 'lectern.node' | 'lectern-confine';

/** The packages of a platform in the order in which they are tried: the one with CUDA runs on hosts without a GPU, too. `packaging/src/npm-packages.ts` makes them. */
export function platformPackages(platform: string = process.platform, architecture: string = process.arch): string[] {
  return [`@lectern/${platform}-${architecture}-cuda`, `@lectern/${platform}-${architecture}`];
}

/**
 * The directory that holds the addon, for the program at `root`; null where there is none. An installed package counts only where it has
 * the program's own version: the addon and the program change together.
 */
export function findNativeDirectory(root: string, packages: readonly string[] = platformPackages()): string | null {
  const compiled = join(root, 'build', 'native');
  if (existsSync(join(compiled, 'lectern.node'))) return compiled;
  const versionOf = (manifest: string): unknown => (JSON.parse(readFileSync(manifest, 'utf8')) as { version: unknown }).version;
  const own = join(root, 'package.json');
  for (const name of packages) {
    try {
      const manifest = createRequire(own).resolve(`${name}/package.json`);
      if (versionOf(manifest) === versionOf(own) && existsSync(join(dirname(manifest), 'lectern.node'))) return dirname(manifest);
    } catch {
      // It is not installed.
    }
  }
  return null;
}

/** Once it is found it stays: a process loads it by its path each time. */
let found: string | null = null;

/** Null where nothing was compiled or installed. */
export function nativeDirectory(): string | null {
  found ??= findNativeDirectory(packageRoot());
  return found;
}

/** Null where it is missing. */
export function nativeFile(name: NativeFile): string | null {
  const directory = nativeDirectory();
  const path = directory === null ? null : join(directory, name);
  return path !== null && existsSync(path) ? path : null;
}
