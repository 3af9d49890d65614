/** Locks a spool directory for one process: a second one would, at its start, delete the uploads of the first as orphans. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { constants, readFileSync, readlinkSync } from 'node:fs';
import { copyFile, link, lstat, lutimes, readdir, readFile, readlink, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { asDiskFull, DiskFull } from '../platform/disk-full.js';
import { LecternError } from '../errors.js';
import { processStart } from '../platform/process-start-time.js';

const lockName = 'lock';

/** How often, and at which interval in ms, an empty lock is read again: its process may not have written its text yet, where there are no hard links. A lock that stays empty was left by a power failure. */
const looks = 20;
const lookMs = 50;

/** The interval in ms at which the owner checks whether another process asks for the lock. */
const usualBeatMs = 1_000;
/** A lock has no owner where no process answers within so many of these intervals. */
const patientBeats = 5;
/** To ask, a process sets the lock's modification time to this; to answer, the owner sets it to the present time. So process numbers are not needed, and an idle owner writes nothing. */
const askedAt = new Date(0);

/** Digits of the hashes in the lock's text. */
const digits = 16;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A hash of boot and PID namespace (a container has its own), within which a process number means the same process. Empty without /proc. */
function placeOfNumbers(): string {
  try {
    return hashOf(`${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`).slice(0, digits);
  } catch {
    return '';
  }
}

/** Whether the process exists. Undefined where its number does not say so: it belongs to another boot, container or machine, or to another user, and /proc hides it. */
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

/** Answers every process that asks for the lock. The returned function stops that. */
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
    // The lock was deleted meanwhile (ENOENT), or belongs to another user.
    return (thrown as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** The text of a lock: of a file or, on a full disk, the target of a symbolic link. */
async function textOf(path: string): Promise<string> {
  try {
    return await readlink(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EINVAL') throw thrown;
    return readFile(path, 'utf8');
  }
}

/** Stands for the text of a lock that only another user may read. */
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

/** Error codes of link() on file systems without hard links. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Writes a new file. A full disk still has room for a symbolic link of up to 59 characters, which is made there instead: so the service starts and can serve its results. */
async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (thrown) {
    if (!(asDiskFull(thrown) instanceof DiskFull)) throw thrown;
    await rm(path, { force: true });
    await symlink(text, path).catch(() => { throw thrown; });
  }
}

/** Writes the text to a temporary file, which `how` then puts at the path: no reader finds a part of the text. */
async function place(path: string, text: string, how: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = join(dirname(path), `${lockName}.${randomUUID()}`);
  try {
    await write(fresh, text);
    await how(fresh);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Places a new lock. Returns false where there is one already. */
async function placeNew(path: string, text: string): Promise<boolean> {
  try {
    await place(path, text, (fresh) => link(fresh, path).catch(async (thrown: unknown) => {
      if (!linkless.has((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
      // Copying would follow the symbolic link, whose target does not exist.
      if ((await lstat(fresh)).isSymbolicLink()) await symlink(text, path);
      else await copyFile(fresh, path, constants.COPYFILE_EXCL);
    }));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    return false;
  }
}

/** Deletes a lock that is still the process's own: another process may have taken it while this one was stopped for long. */
async function giveBack(path: string, own: string): Promise<void> {
  if (await textOf(path).catch(() => '') === own) await unlink(path).catch(() => undefined);
}

/** Attempts to take a lock: more than it takes another process to replace a dead lock. */
const attempts = 300;

/**
 * Takes the lock at `path`; returns null, or the process that has it. No two processes write the same text. The lock of a dead process is replaced only by the process that holds
 * the claim to its text, a second lock that is taken in the same way, because its owner may be killed, too. So no other process changes the lock between
 * the reading under the claim and the replacing. A process that gets a claim too late finds another text, and gives the claim back.
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

/** Age in ms from which claims and temporary files are deleted: processes left them that were killed while they took a lock, which takes some milliseconds. Claims of this age are to texts that no longer exist. */
const leftMs = 60_000;

async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(`${lockName}.`)) continue;
    const path = join(directory, name);
    const age = await lstat(path).then(({ mtimeMs }) => Math.abs(Date.now() - mtimeMs), () => 0);
    if (age > leftMs) await unlink(path).catch(() => undefined);
  }
}

/** Locks the directory. Throws `invalid_state`, whose message names the process, where another one has it. The returned function unlocks it. */
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
