// Log lines on a terminal: what people read of them.
import t from 'tap';
import { forPeople } from '../../src/logging/terminal-format.js';

const time = '2026-11-26T01:54:06.670Z';
const clock = new Date(time).toTimeString().slice(0, 8);
const read = (line: object): string => forPeople(`${JSON.stringify({ level: 'info', time, ...line })}\n`);

t.test('the time of day, the sentence, and what it is about', async (t) => {
  t.equal(read({ addresses: ['http://127.0.0.1:11434', 'http://10.1.0.5:5001'], state: '/srv/a b', file: null, room: 'x', msg: 'Lectern serves.' }),
    `${clock} Lectern serves. addresses=http://127.0.0.1:11434,http://10.1.0.5:5001 state="/srv/a b"\n`);
  t.equal(read({ status: 200, ms: 0, msg: 'a request ended' }), `${clock} a request ended status=200 ms=0\n`);
  t.equal(read({ level: 'warn', msg: 'The disk is nearly full.' }), `${clock} WARN The disk is nearly full.\n`);
});

t.test('a defect has its stack below it', async (t) => {
  t.equal(read({ level: 'error', msg: 'a request met a defect', err: { type: 'TypeError', message: 'broken', stack: 'TypeError: broken\n    at here' } }),
    `${clock} ERROR a request met a defect\n  TypeError: broken\n      at here\n`);
  t.equal(read({ level: 'error', msg: 'x', err: { message: 'broken' } }), `${clock} ERROR x\n  broken\n`);
});

t.test('what a stranger wrote does nothing to the terminal', async (t) => {
  const line = read({ host: '\u001b[2J\u009b2J\r\nfake line\u202e', msg: 'odd \u001b[31m' });
  t.notMatch(line.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u202e]/u, 'one line, no controls');
  t.match(line, 'odd \\u001b[31m');
  t.equal(read({ msg: 'odd\n00:00:00 fake', err: { message: 'broken\n00:00:00 fake' } }), `${clock} odd\\n00:00:00 fake\n  broken\n  00:00:00 fake\n`, 'only lines of the log begin at the margin');
});
