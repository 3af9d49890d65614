/** One process at a time owns a spool directory: its start would delete the other one's uploads as orphans. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { constants, readFileSync, readlinkSync } from 'node:fs';
import { copyFile, link, lstat, lutimes, readdir, readFile, readlink, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { asDiskFull, DiskFull } from '../platform/disk-full.js';
import { LecternError } from '../errors.js';
import { processStart } from '../platform/process-start-time.js';

const lockName = 'lock';

/** An empty lock may be one whose process has not yet written who it is (where there are no hard links); one that stays empty so often was left so by a power cut. */
const looks = 20;
const lookMs = 50;

/** The owner checks as often whether another process asks for the lock. */
const usualBeatMs = 1_000;
/** A lock for which no process answers in so many beats has no owner. */
const patientBeats = 5;
/** A process that asks sets the lock's time to this, and the owner sets it right again: no process number is needed for it, and an idle owner writes nothing. */
const askedAt = new Date(0);

/** So many digits of a hash tell two texts apart. */
const digits = 16;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where a process number means the same: this boot, these processes (a container has its own). Empty without /proc. */
function placeOfNumbers(): string {
  try {
    return hashOf(`${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`).slice(0, digits);
  } catch {
    return '';
  }
}

/** Whether the process is there; undefined where its number tells nothing: it is of another boot, container or machine, or another user's that /proc hides. */
function isThere(pid: string, start: string, place: string): boolean | undefined {
  if (!/^[0-9]+$/.test(pid) || start === '') return false;
  if (place !== '' && place !== placeOfNumbers()) return undefined;
  const found = processStart(pid);
  if (found !== '') return found === start;
  try {
    process.kill(Number(pid), 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM' ? undefined : false;
  }
  return undefined;
}

function isAsked(path: string): Promise<boolean> {
  return lstat(path).then(({ mtimeMs }) => mtimeMs === askedAt.getTime());
}

/** Answers every process that asks, until it is stopped. */
function answer(path: string, beatMs: number): () => void {
  const look = async (): Promise<void> => {
    if (await isAsked(path)) await lutimes(path, new Date(), new Date());
  };
  const timer = setInterval(() => void look().catch(() => undefined), beatMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function isAnswered(path: string, beatMs: number): Promise<boolean> {
  try {
    await lutimes(path, askedAt, askedAt);
    for (let beat = 0; beat < patientBeats; beat++) {
      await wait(beatMs);
      if (!await isAsked(path)) return true;
    }
    return false;
  } catch (thrown) {
    // Gone meanwhile, or another user's.
    return (thrown as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** A lock is a file, or a link that points nowhere and has the text in its own entry. */
async function textOf(path: string): Promise<string> {
  try {
    return await readlink(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EINVAL') throw thrown;
    return readFile(path, 'utf8');
  }
}

/** Of another user, who alone may read it. */
const unreadable = Symbol('unreadable');

async function owner(path: string, beatMs: number): Promise<{ pid: string; text: string; alive: boolean } | null> {
  let text = '';
  for (let look = 0; look < looks && text === ''; look++) {
    if (look > 0) await wait(lookMs);
    const read = await textOf(path).catch((thrown: unknown) => ((thrown as NodeJS.ErrnoException).code === 'ENOENT' ? null : unreadable));
    if (read === unreadable) return { pid: 'of another user', text, alive: true };
    if (read === null) return null;
    text = read;
  }
  const [pid = '', start = '', place = ''] = text.split(' ');
  return { pid, text, alive: isThere(pid, start, place) ?? await isAnswered(path, beatMs) };
}

/** Of file systems without hard links. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Where a full disk has no room for a file it still has room for a link of up to 59 characters: the service starts, and tells its results. */
async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (thrown) {
    if (!(asDiskFull(thrown) instanceof DiskFull)) throw thrown;
    await rm(path, { force: true });
    await symlink(text, path).catch(() => { throw thrown; });
  }
}

/** Puts the text there with `how`, whole from its first moment. */
async function place(path: string, text: string, how: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = join(dirname(path), `${lockName}.${randomUUID()}`);
  try {
    await write(fresh, text);
    await how(fresh);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Whether nothing was there. */
async function placeNew(path: string, text: string): Promise<boolean> {
  try {
    await place(path, text, (fresh) => link(fresh, path).catch(async (thrown: unknown) => {
      if (!linkless.has((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
      // A copy would follow a link, to nowhere.
      if ((await lstat(fresh)).isSymbolicLink()) await symlink(text, path);
      else await copyFile(fresh, path, constants.COPYFILE_EXCL);
    }));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    return false;
  }
}

/** A process that stood still for long may have lost the lock to another one. */
async function giveBack(path: string, own: string): Promise<void> {
  if (await textOf(path).catch(() => '') === own) await unlink(path).catch(() => undefined);
}

/** More than it takes to wait for a process that takes a dead lock. */
const attempts = 300;

/**
 * Makes the file one's own, or answers who has it. No text comes twice, and one whose process is dead is replaced only by the process that has
 * the claim to that very text, a file that is taken in the same way (its owner may be killed, too): between a look under the claim
 * and the replacing no other process changes the file. A claim that comes late finds another text, and is given back.
 */
async function take(path: string, own: string, beatMs: number): Promise<string | null> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await placeNew(path, own)) return null;
    const found = await owner(path, beatMs);
    if (found === null) continue;
    if (found.alive) return found.pid;
    const claim = join(dirname(path), `${lockName}.${hashOf(`${basename(path)} ${found.text}`).slice(0, 32)}`);
    if (await take(claim, own, beatMs) !== null) {
      await wait(lookMs);
      continue;
    }
    try {
      if (await textOf(path).catch(() => null) === found.text) {
        await place(path, own, (fresh) => rename(fresh, path));
        return null;
      }
    } finally {
      await giveBack(claim, own);
    }
  }
  return 'that comes and goes';
}

/** Claims and files of those that were killed as they took a lock; it takes some milliseconds. The owner of the lock needs no care: older claims are to texts that are gone. */
const leftMs = 60_000;

async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(`${lockName}.`)) continue;
    const path = join(directory, name);
    const age = await lstat(path).then(({ mtimeMs }) => Math.abs(Date.now() - mtimeMs), () => 0);
    if (age > leftMs) await unlink(path).catch(() => undefined);
  }
}

/** Takes the directory or throws `invalid_state` naming the process that has it. The answer gives it back. */
export async function lockDirectory(directory: string, beatMs = usualBeatMs): Promise<() => Promise<void>> {
  const path = join(directory, lockName);
  const own = `${process.pid} ${processStart(process.pid)} ${placeOfNumbers()} ${randomBytes(digits / 2).toString('hex')}`;
  const other = await take(path, own, beatMs);
  if (other !== null) throw new LecternError('invalid_state', `The directory ${directory} is in use by process ${other}.`);
  const stopAnswering = answer(path, beatMs);
  await sweep(directory);
  return async () => {
    stopAnswering();
    await giveBack(path, own);
  };
}
