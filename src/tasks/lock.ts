/** One process at a time owns a spool directory: its start would delete the other one's uploads as orphans. */
import { readFileSync, readlinkSync } from 'node:fs';
import { open, readFile, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LecternError } from '../errors.js';
import { processStart } from '../process-start.js';

/** An empty lock may be one whose process has not yet written who it is; one that stays empty so often was left so by a power cut. */
const looks = 20;
const lookMs = 50;

/** The owner looks as often whether somebody asks for it. */
const usualBeatMs = 1_000;
/** A lock that nobody answers for in so many beats is nobody's. */
const patientBeats = 5;
/** Whoever asks sets the lock's time to this, and the owner sets it right again: no process number is needed for it, and an idle owner writes nothing. */
const askedAt = new Date(0);

/** Where a process number means the same: this boot, these processes (a container has its own). Empty without /proc. */
function placeOfNumbers(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
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
  return stat(path).then(({ mtimeMs }) => mtimeMs === askedAt.getTime());
}

/** Answers whoever asks, until it is stopped. */
function answer(path: string, beatMs: number): () => void {
  const look = async (): Promise<void> => {
    if (await isAsked(path)) await utimes(path, new Date(), new Date());
  };
  const timer = setInterval(() => void look().catch(() => undefined), beatMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function isAnswered(path: string, beatMs: number): Promise<boolean> {
  try {
    await utimes(path, askedAt, askedAt);
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

/** Of another user, who alone may read it. */
const unreadable = Symbol('unreadable');

async function owner(path: string, beatMs: number): Promise<{ pid: string; text: string; alive: boolean }> {
  let text = '';
  for (let look = 0; look < looks && text === ''; look++) {
    if (look > 0) await wait(lookMs);
    const read = await readFile(path, 'utf8').catch((thrown: unknown) => ((thrown as NodeJS.ErrnoException).code === 'ENOENT' ? null : unreadable));
    if (read === unreadable) return { pid: 'of another user', text, alive: true };
    if (read === null) break;
    text = read;
  }
  const [pid = '', start = '', place = ''] = text.split(' ');
  return { pid, text, alive: isThere(pid, start, place) ?? await isAnswered(path, beatMs) };
}

/** More than it takes to wait for a mark to grow old. */
const attempts = 300;

/** Whoever was killed while it took a dead lock away left its mark behind; it takes some milliseconds. */
const markedMs = 10_000;

/** Of several that find a dead lock at once one takes it away, while it bears a mark: without that, the second one would take away the first one's new lock. */
async function takeAway(path: string, deadText: string): Promise<void> {
  const mark = `${path}.taking`;
  try {
    await (await open(mark, 'wx', 0o600)).close();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    const age = await stat(mark).then(({ mtimeMs }) => Math.abs(Date.now() - mtimeMs), () => 0);
    if (age > markedMs) await unlink(mark).catch(() => undefined);
    else await wait(lookMs);
    return;
  }
  try {
    if (await readFile(path, 'utf8').catch(() => null) === deadText) await unlink(path).catch(() => undefined);
  } finally {
    await unlink(mark).catch(() => undefined);
  }
}

/** Takes the directory or throws `invalid_state` naming the process that has it. The answer gives it back. */
export async function lockDirectory(directory: string, beatMs = usualBeatMs): Promise<() => Promise<void>> {
  const path = join(directory, 'lock');
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      const handle = await open(path, 'wx', 0o600);
      const own = `${process.pid} ${processStart(process.pid)} ${placeOfNumbers()}`;
      // Where the disk is full it would stay without a name, and the next process would wait for one.
      await handle.writeFile(own).catch(async (thrown: unknown) => {
        await unlink(path);
        throw thrown;
      }).finally(() => handle.close());
      const stopAnswering = answer(path, beatMs);
      return async () => {
        stopAnswering();
        // Who stood still for long may have lost it to another one.
        if (await readFile(path, 'utf8').catch(() => '') === own) await unlink(path).catch(() => undefined);
      };
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
    const { pid, text, alive } = await owner(path, beatMs);
    if (alive) throw new LecternError('invalid_state', `The directory ${directory} is in use by process ${pid}.`);
    await takeAway(path, text);
  }
  throw new LecternError('invalid_state', `The directory ${directory} is in use by another process.`);
}
