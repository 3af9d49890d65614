// A log whose place is full, slow or gone: the service goes on, no line is torn, and it is said how many are lost.
import t from 'tap';
import { LogLines, type LogFile } from '../../src/log-lines.js';
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
    write: (_fd, bytes, done) => {
      setImmediate(() => {
        try {
          done(null, take(bytes));
        } catch (thrown) {
          done(thrown as NodeJS.ErrnoException, 0);
        }
      });
    },
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
  t.equal(state.text, 'second\n', 'beside what is being written');
  lines.write('third\n');
  lines.flush();
  t.equal(state.text, 'second\nt');
});

t.test('a reader that has gone is not asked again', async (t) => {
  const { state, file } = fileWith(0);
  state.code = 'EPIPE';
  let asked = 0;
  const lines = new LogLines(2, { ...file, write: (...args) => { asked++; file.write(...args); } });
  lines.write('first\n');
  await until('it was asked', () => asked === 1);
  await new Promise((resolve) => setImmediate(resolve));
  lines.write('second\n');
  lines.flush();
  t.equal(asked, 1);
});
