// Many at one lock, where every step on the disk takes its time: exactly one holds the directory, also while others come, leave or are killed.
import t from 'tap';
import { createHash } from 'node:crypto';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';

const real = { ...promises };
let seed = 1;
/** From 0 to 1, the same ones in every run. */
function random(): number {
  seed = (seed * 48_271) % 0x7fff_ffff;
  return seed / 0x7fff_ffff;
}

const pause = (): Promise<unknown> => (random() < 0.5 ? Promise.resolve() : wait(random() * 12));

/** Steps that fail, as on a full disk. */
let failing: Record<string, (...args: never[]) => Promise<unknown>> = {};

for (const name of ['link', 'lstat', 'lutimes', 'readFile', 'readlink', 'rename', 'rm', 'symlink', 'unlink', 'writeFile', 'copyFile'] as const) {
  const step = real[name] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(promises, {
    [name]: async (...args: unknown[]) => {
      await pause();
      const found: unknown = await (failing[name] as typeof step | undefined ?? step)(...args);
      await pause();
      return found;
    },
  });
}
Object.assign(promises, {
  open: async (...args: Parameters<typeof real.open>) => {
    await pause();
    const handle = await real.open(...args);
    const write = handle.writeFile.bind(handle);
    handle.writeFile = async (...words) => {
      await pause();
      return write(...words);
    };
    return handle;
  },
});
syncBuiltinESMExports();
const { lockDirectory } = await import('../../src/tasks/lock.js');
t.teardown(() => {
  Object.assign(promises, real);
  syncBuiltinESMExports();
});

/** How many of six have the directory. */
async function contend(directory: string): Promise<number> {
  const asked = await Promise.allSettled(Array.from({ length: 6 }, async () => {
    await pause();
    return lockDirectory(directory);
  }));
  const won = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  for (const one of asked) if (one.status === 'rejected') t.match(one.reason, { code: 'invalid_state' });
  for (const unlock of won) await unlock();
  return won.length;
}

const rounds = 20;

/** The name of the claim to a text of a file. */
function claimTo(name: string, text: string): string {
  return `lock.${createHash('sha256').update(`${name} ${text}`).digest('hex').slice(0, 32)}`;
}

t.test('a dead lock', async (t) => {
  for (let round = 0; round < rounds; round++) {
    const directory = t.testdir({ lock: '999999999 1' });
    t.equal(await contend(directory), 1);
    t.strictSame(await real.readdir(directory), []);
  }
});

t.test('a dead lock that somebody was killed at', async (t) => {
  for (let round = 0; round < rounds; round++) {
    const directory = t.testdir({ lock: '999999999 1', 'lock.taking': '' });
    await real.utimes(`${directory}/lock.taking`, 1, 1);
    const claim = claimTo('lock', '999999999 1');
    await real.writeFile(`${directory}/${claim}`, '999999998 1');
    // The process that took the claim next was killed, too.
    if (round % 2 === 0) await real.writeFile(`${directory}/${claimTo(claim, '999999998 1')}`, '999999997 1');
    t.equal(await contend(directory), 1);
    t.strictSame(await real.readdir(directory), []);
  }
});

t.test('one that is given back and taken again, time after time', async (t) => {
  const directory = t.testdir({});
  let [holders, taken] = [0, 0];
  await Promise.all(Array.from({ length: 6 }, async () => {
    for (let attempt = 0; attempt < 60; attempt++) {
      const unlock = await lockDirectory(directory).catch(() => null);
      if (unlock === null) continue;
      taken++;
      if (++holders > 1) t.fail('two have it');
      await pause();
      holders--;
      await unlock();
    }
  }));
  t.ok(taken > 10, `${taken}`);
  t.strictSame(await real.readdir(directory), []);
});

t.test('a disk that is full, at every step: what is left there holds up nobody', async (t) => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  t.teardown(() => { failing = {}; });
  // The file is there then, and empty.
  const writeNothing = async (path: string): Promise<never> => {
    await real.writeFile(path, '');
    throw full;
  };
  for (const before of [{}, { lock: '' }, { lock: '999999999 1' }]) {
    const directory = t.testdir(before);
    failing = { writeFile: writeNothing, symlink: async () => { throw full; } };
    await t.rejects(lockDirectory(directory), { code: 'ENOSPC' });
    t.strictSame(await real.readdir(directory), Object.keys(before), 'what was there');
    failing = {};
    t.equal(await contend(directory), 1, JSON.stringify(before));
    t.strictSame(await real.readdir(directory), []);
  }
  const linkless = t.testdir({});
  failing = {
    link: async () => { throw Object.assign(new Error('EPERM'), { code: 'EPERM' }); },
    copyFile: async (_from: string, to: string) => writeNothing(to),
  };
  await t.rejects(lockDirectory(linkless), { code: 'ENOSPC' });
  t.strictSame(await real.readdir(linkless), ['lock'], 'where the file system does not take back what it began');
  failing = {};
  t.equal(await contend(linkless), 1);
  t.strictSame(await real.readdir(linkless), []);
});

t.test('a disk on which no file fits: a link is the lock, for living and dead ones alike', async (t) => {
  t.teardown(() => { failing = {}; });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const noFile = { writeFile: async (path: string): Promise<never> => { await real.writeFile(path, ''); throw full; } };
  for (let round = 0; round < rounds; round++) {
    const directory = t.testdir(round % 2 === 0 ? {} : { lock: '999999999 1' });
    failing = noFile;
    t.equal(await contend(directory), 1);
    t.strictSame(await real.readdir(directory), []);
  }
  // And where the file system has no hard links.
  const linkless = t.testdir({});
  failing = { ...noFile, link: async () => { throw Object.assign(new Error('EPERM'), { code: 'EPERM' }); } };
  t.equal(await contend(linkless), 1);
  t.strictSame(await real.readdir(linkless), []);
  const directory = t.testdir({});
  failing = noFile;
  const unlock = await lockDirectory(directory, 20);
  const text = await real.readlink(`${directory}/lock`);
  t.ok(text.length < 60, `${text.length} bytes lie in the entry itself`);
  failing = {};
  await t.rejects(lockDirectory(directory, 20), { code: 'invalid_state', message: new RegExp(`in use by process ${process.pid}\\.`) });
  await unlock();
  t.strictSame(await real.readdir(directory), []);
  const [, , place = ''] = text.split(' ');
  // Of a process that was killed, of one before a reboot, and of one elsewhere that answers.
  await real.symlink(`999999999 1 ${place}`, `${directory}/lock`);
  t.equal(await contend(directory), 1);
  const elsewhere = place.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  await real.symlink(`999999999 1 ${elsewhere}`, `${directory}/lock`);
  await (await lockDirectory(directory, 20))();
  await real.symlink(`999999999 1 ${elsewhere}`, `${directory}/lock`);
  const answering = setInterval(() => void real.lutimes(`${directory}/lock`, new Date(), new Date()), 5);
  t.teardown(() => clearInterval(answering));
  await t.rejects(lockDirectory(directory, 20), { code: 'invalid_state', message: /in use by process 999999999\./ });
  t.equal(await real.readlink(`${directory}/lock`), `999999999 1 ${elsewhere}`);
});
