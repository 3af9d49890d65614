/**
 * What the single executable runs first: answers --version and --help at once; else unpacks the program into a private directory,
 * once for each content, and enters it. Built into one script; it can load nothing but Node's own modules.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { type ArchiveEntry, readArchive } from './archive.js';

/** Put in by the build: of the archive, of package.json, and what `lectern help` prints. */
declare const CONTENT_HASH: string;
declare const VERSION: string;
declare const HELP: string;

/** Where systemd, XDG or the home directory has caches; else below the temporary directory, one for each user. */
function cacheRoot(): string {
  const { CACHE_DIRECTORY: bySystemd, XDG_CACHE_HOME: xdg } = process.env;
  if (bySystemd) return bySystemd.split(':')[0] as string;
  const base = xdg || (homedir().length > 1 ? join(homedir(), '.cache') : '');
  try {
    if (base !== '') {
      mkdirSync(join(base, 'lectern'), { recursive: true, mode: 0o700 });
      return join(base, 'lectern');
    }
  } catch {
    // A user without a home, or one that may not be written: systemd's services are often so.
  }
  const own = join(tmpdir(), `lectern-${userInfo().uid}`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  return own;
}

/** What lies there is run as code: nobody else may have put it there. */
function requirePrivate(directory: string): void {
  const found = lstatSync(directory);
  const { uid } = userInfo();
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== 0) || (found.mode & 0o022) !== 0) {
    throw new Error(`The directory ${directory} belongs to, or may be written by, others; remove it, or name another with XDG_CACHE_HOME.`);
  }
}

function isWhole(directory: string, entries: ArchiveEntry[]): boolean {
  try {
    return entries.every(({ path, sizeBytes }) => statSync(join(directory, path)).size === sizeBytes);
  } catch {
    return false;
  }
}

function unpack(): string {
  const root = cacheRoot();
  requirePrivate(root);
  const directory = join(root, CONTENT_HASH);
  const { entries, bytesOf } = readArchive(new Uint8Array(getRawAsset('program') as ArrayBuffer));
  if (isWhole(directory, entries)) return directory;
  const fresh = mkdtempSync(join(root, 'unpacking-'));
  for (const entry of entries) {
    const path = join(fresh, entry.path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytesOf(entry), { mode: entry.isExecutable ? 0o700 : 0o600 });
  }
  chmodSync(fresh, 0o700);
  try {
    renameSync(fresh, directory);
  } catch {
    // Another process was first, or what is there is damaged: a cleaner of caches took files out of it.
    if (!isWhole(directory, entries)) {
      rmSync(directory, { recursive: true, force: true });
      renameSync(fresh, directory);
    }
    rmSync(fresh, { recursive: true, force: true });
  }
  return directory;
}

function main(): void {
  const [word] = process.argv.slice(2);
  if (word === '--version' || word === '-v') return void process.stdout.write(`${VERSION}\n`);
  if (word === undefined || word === '--help' || word === '-h' || word === 'help') return void process.stdout.write(HELP);
  try {
    // A worker is given the directory of its parent: its home is another.
    const directory = process.env['LECTERN_UNPACKED'] ?? unpack();
    delete process.env['LECTERN_UNPACKED'];
    createRequire(join(directory, 'package.json'))('./enter.cjs');
  } catch (thrown) {
    process.stderr.write(`lectern: ${(thrown as Error).message}\n`);
    process.exitCode = 1;
  }
}

main();
