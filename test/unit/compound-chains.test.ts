/** Compound files whose tables are made to cost: they are refused in little time and memory. */
import t from 'tap';
import { chainsEnd } from '../../src/formats/office/compound-chains.js';
import { makeMsg } from '../support/outlook-message.js';

t.test('a whole message is walked to its end', (t) => {
  t.equal(chainsEnd(makeMsg({ subject: 'T', body: 'text' })), true);
  t.end();
});

t.test('a sector of the table that is listed again and again', (t) => {
  const bytes = Buffer.alloc(2 ** 20);
  bytes.writeUInt16LE(12, 30);
  const before = process.memoryUsage().heapUsed;
  const began = performance.now();
  t.equal(chainsEnd(bytes), false);
  t.ok(performance.now() - began < 2_000);
  t.ok(process.memoryUsage().heapUsed - before < 100 * 2 ** 20);
  t.end();
});
