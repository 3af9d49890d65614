// A log whose place is full, slow or gone: the service goes on, no line is torn, and it is said how many are lost.
import t from 'tap';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LogLines, type LogFile } from '../../src/logging/log-output.js';
import { until } from '../support/until.js';

/** A file with room for so many bytes. */
function fileWith(room: number) {
  const state = { room, text: '', code: 'ENOSPC' };
  const take = (bytes: Uint8Array): number => {
    if (state.room <= 0) throw Object.assign(new Error('full'), { code: state.code });
    const part = bytes.subarray(0, state.room);
    state.room -= part.length;
    state.text += Buffer.from(part).toString();
    return part.length;
  };
  const file: LogFile = {
    writeSync: (_fd, bytes) => take(bytes),
  };
  return { state, file };
}

// Retries keep no process alive.
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

t.test('a full disk tears no line and holds a megabyte at most', async (t) => {
  const { state, file } = fileWith(25);
  const lines = new LogLines(2, file);
  const line = (n: number): string => JSON.stringify({ n, more: 'x'.repeat(100) }) + '\n';
  for (let n = 0; n < 20_000; n++) lines.write(line(n));
  await until('the file is full', () => state.room === 0);
  t.equal(state.text.length, 25);
  state.room = Infinity;
  await until('the rest is written', () => state.text.includes('are lost'));
  lines.write(line(-1));
  await until('it goes on', () => state.text.includes('"n":-1,'));
  const written = state.text.trimEnd().split('\n').map((one) => JSON.parse(one) as { n?: number; msg?: string });
  const kept = written.filter(({ n }) => n !== undefined && n >= 0);
  t.strictSame(kept.map(({ n }) => n), kept.map((_line, index) => index), 'the first ones, in their order');
  t.ok(kept.length > 5000 && kept.length < 15_000, `${kept.length}`);
  t.equal(written.find(({ msg }) => msg !== undefined)?.msg, `The log could not be written for a while: ${20_000 - kept.length} lines are lost.`);
});

t.test('the end waits for no room', async (t) => {
  const { state, file } = fileWith(8);
  const lines = new LogLines(2, file);
  lines.write('first\n');
  lines.write('second\n');
  lines.flush();
  t.equal(state.text, 'first\nse');
  state.room = Infinity;
  lines.flush();
  t.equal(state.text, 'first\nse', 'what did not fit is lost');
});

t.test('a reader that has gone is not asked again', async (t) => {
  const { state, file } = fileWith(0);
  state.code = 'EPIPE';
  let asked = 0;
  const lines = new LogLines(2, { writeSync: (fd, bytes) => { asked++; return file.writeSync(fd, bytes); } });
  lines.write('first\n');
  lines.write('second\n');
  lines.flush();
  t.equal(asked, 1);
});

/** A program that says so much and ends. */
const saying = (lines: string): string[] => ['--input-type=module', '-e', `
  const { standardErrorLines } = await import(${JSON.stringify(new URL('../../src/logging/log-output.js', import.meta.url).href)});
  const log = standardErrorLines();
  for (const line of ${lines}) log.write(line + '\\n');
  process.exit(7);
`];

t.test('last lines are there in their order, in a file and in a pipe', async (t) => {
  const words = saying('["first", "second", "third"]');
  const path = join(t.testdir(), 'log');
  for (let run = 0; run < 10; run++) {
    t.equal(spawnSync(process.execPath, words, { encoding: 'utf8' }).stderr, 'first\nsecond\nthird\n');
    const file = openSync(path, 'w');
    spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', file] });
    closeSync(file);
    t.equal(readFileSync(path, 'utf8'), 'first\nsecond\nthird\n');
  }
});

t.test('a reader that reads nothing does not hold up the end: a socket, a pipe, a terminal', async (t) => {
  const words = saying('Array.from({ length: 9000 }, () => "x".repeat(99))');
  // Node's pipes are sockets.
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  t.strictSame(await once(child, 'exit'), [7, null]);
  const script = `
import os, pty, subprocess, sys
for make in (os.pipe, pty.openpty):
    reader, writer = make()
    child = subprocess.Popen(sys.argv[1:], stderr=writer)
    try: print(child.wait(20))
    except subprocess.TimeoutExpired: child.kill(); print('held up')
`;
  const python = spawnSync('python3', ['-c', script, process.execPath, ...words], { encoding: 'utf8' });
  if (python.error) t.comment('without Python there is no terminal to be had');
  else t.strictSame(python.stdout.trim().split('\n'), ['7', '7']);
});
