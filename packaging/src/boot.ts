/**
 * What the single executable runs first: prints --version and --help at once; else unpacks the program into a private directory,
 * once for each content, and enters it. Built into one script; it can load nothing but Node's own modules.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { homeDirectory } from '../../src/platform/home-directory.js';
import { makeDirectoryTree } from '../../src/platform/make-directory-tree.js';
import { readArchive } from './archive.js';
import { isOwnCache } from './own-cache.js';
import { keepVersion, removeUnused, touchVersion } from './versions.js';

/** Put in by the build: of the archive, of package.json, and what `lectern help` prints. */
declare const CONTENT_HASH: string;
declare const VERSION: string;
declare const HELP: string;

type Archive = ReturnType<typeof readArchive>;

/** By its number: the user may be missing from the list of users. */
const uid = process.getuid?.();

/**
 * Made by systemd for lectern.service. Its user, who asks `lectern doctor` outside of the unit, needs no second copy beside the tasks, and none has to
 * fit where the disk is full.
 */
const ofService = '/var/cache/lectern';

/** Where systemd, XDG or the home directory has caches; else below the temporary directory, one for each user. */
function cacheRoot(): string {
  const { CACHE_DIRECTORY: bySystemd, XDG_CACHE_HOME: xdg } = process.env;
  if (bySystemd) return bySystemd.split(':')[0] as string;
  if (!xdg && isOwnCache(ofService, uid)) return ofService;
  const home = homeDirectory();
  const base = xdg || (home.length > 1 ? join(home, '.cache') : '');
  try {
    if (base !== '') {
      makeDirectoryTree(join(base, 'lectern'), 0o700);
      return join(base, 'lectern');
    }
  } catch {
    // A user without a home, or one that may not be written: systemd's services are often so.
  }
  const own = join(tmpdir(), `lectern-${uid}`);
  makeDirectoryTree(own, 0o700);
  return own;
}

/** What lies there is run as code: no other user may have put it there. */
function requirePrivate(directory: string): void {
  const found = lstatSync(directory);
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== 0) || (found.mode & 0o022) !== 0) {
    throw new Error(`The directory ${directory} belongs to, or may be written by, others; remove it, or name another with XDG_CACHE_HOME.`);
  }
}

/**
 * Every byte is there: cleaners take files away, and a loss of power leaves some of the right size without contents. Comparing takes
 * some hundredths of a second.
 */
function isWhole(directory: string, { entries, bytesOf }: Archive): boolean {
  try {
    return entries.every((entry) => {
      const path = join(directory, entry.path);
      return statSync(path).size === entry.sizeBytes && readFileSync(path).equals(bytesOf(entry));
    });
  } catch {
    return false;
  }
}

/** Older directories are left by processes that were killed: no unpacking takes an hour. */
const abandonedMs = 3_600_000;

/** What processes left that were killed while they unpacked. */
function removeAbandoned(root: string): void {
  for (const name of readdirSync(root).filter((entry) => entry.startsWith('unpacking-'))) {
    const path = join(root, name);
    if (Date.now() - lstatSync(path).mtimeMs > abandonedMs) rmSync(path, { recursive: true, force: true });
  }
}

function writeAll(directory: string, { entries, bytesOf }: Archive): void {
  for (const entry of entries) {
    const path = join(directory, entry.path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytesOf(entry), { mode: entry.isExecutable ? 0o700 : 0o600 });
  }
  chmodSync(directory, 0o700);
}

function unpack(): string {
  const root = cacheRoot();
  requirePrivate(root);
  const directory = join(root, CONTENT_HASH);
  const asset = new Uint8Array(getRawAsset('program') as ArrayBuffer);
  const archive = readArchive(asset);
  // First: what is in use is not removed while it is checked.
  touchVersion(directory);
  if (isWhole(directory, archive)) return directory;
  let fresh: string | undefined;
  try {
    removeAbandoned(root);
    fresh = mkdtempSync(join(root, 'unpacking-'));
    writeAll(fresh, archive);
    putInPlace(fresh, directory, archive);
    removeUnused(root, CONTENT_HASH);
  } catch (thrown) {
    const megabytes = Math.ceil(asset.length / 1e6);
    throw new Error(`The program cannot unpack itself into ${root} (${(thrown as Error).message}); it needs ${megabytes} MB there. XDG_CACHE_HOME names another place.`, { cause: thrown });
  } finally {
    if (fresh !== undefined) rmSync(fresh, { recursive: true, force: true });
  }
  return directory;
}

function putInPlace(fresh: string, directory: string, archive: Archive): void {
  try {
    renameSync(fresh, directory);
  } catch {
    // Another process was first, or what is there is damaged.
    if (isWhole(directory, archive)) return;
    const damaged = `${fresh}-damaged`;
    renameSync(directory, damaged);
    renameSync(fresh, directory);
    rmSync(damaged, { recursive: true, force: true });
  }
}

function main(): void {
  const [word, about] = process.argv.slice(2);
  if (word === '--version' || word === '-v') return void process.stdout.write(`${VERSION}\n`);
  if (word === undefined || word === '--help' || word === '-h' || (word === 'help' && about === undefined)) return void process.stdout.write(HELP);
  try {
    // A worker is given the directory of its parent: its home is another.
    const ofParent = process.env['LECTERN_UNPACKED'];
    const directory = ofParent ?? unpack();
    delete process.env['LECTERN_UNPACKED'];
    if (ofParent === undefined) keepVersion(directory);
    createRequire(join(directory, 'package.json'))('./enter.cjs');
  } catch (thrown) {
    process.stderr.write(`lectern: ${(thrown as Error).message}\n`);
    process.exitCode = 1;
  }
}

main();
