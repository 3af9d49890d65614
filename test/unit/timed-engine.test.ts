/** The protocol by which benchmarks time an engine in a process of its own, on processes made for the test. */
import t from 'tap';
import { TimedEngine } from '../../bench/timed-engine.js';

const open = (program: string): Promise<TimedEngine> => TimedEngine.open(process.execPath, ['-e', program]);

const echo = `
  console.log('a library says hello');
  console.log('ready 1.5 4096 2 avx512');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const [verb, count] = line.split(' ');
    console.log('noise');
    console.log(verb === 'prefill' ? 'done ' + Number(count) / 4 : 'failed cannot: ' + line);
  });`;

t.test('What the engine says of itself, and times one after the other', async (t) => {
  const engine = await open(echo);
  t.teardown(() => engine.close());
  t.match(engine, { loadSeconds: 1.5, kvBytes: 4096, instructions: 'avx512' });
  t.equal(await engine.measure('prefill 8'), 2);
  t.equal(await engine.measure('prefill 2'), 0.5);
  await t.rejects(engine.measure('dance'), { message: 'cannot: dance' });
  t.equal(await engine.measure('prefill 4'), 1, 'a refusal is not the end');
  t.ok(engine.residentBytes() > 1e6, 'a process of Node takes more than a megabyte');
});

t.test('A process that ends says why', async (t) => {
  await t.rejects(open("console.error('no such model'); process.exit(1)"), /no such model/);
  await t.rejects(TimedEngine.open('/nonexistent/engine', []), /ENOENT/);
  const engine = await open("console.log('ready 0 0 1 x'); process.stdin.once('data', () => { console.error('out of luck'); process.exit(3); })");
  await t.rejects(engine.measure('prefill 1'), /out of luck/);
  await engine.close();
});
