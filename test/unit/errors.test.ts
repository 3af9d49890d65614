import t from 'tap';
import { LecternError, asLecternError, errorTable, type ErrorCode } from '../../src/errors.js';

t.test('every code has a status, a sentence and a word on retrying', (t) => {
  const codes = Object.keys(errorTable) as ErrorCode[];
  t.ok(codes.length > 10, `${codes.length} codes`);
  for (const code of codes) {
    const kind = errorTable[code];
    t.match(code, /^[a-z]+(_[a-z]+)*$/, `${code} is snake case`);
    t.ok(kind.status >= 400 && kind.status <= 599, `${code} has an HTTP status`);
    t.match(kind.sentence, /^[A-Z].*\.$/, `${code} has a public sentence`);
    // To try again what the client got wrong cannot help.
    if (kind.retryable) t.ok(kind.status >= 500, `${code} is retryable and the server's doing`);
  }
  t.equal(new Set(codes.map((code) => errorTable[code].sentence)).size, codes.length, 'no sentence twice');
  t.end();
});

t.test('an error carries its code, its status and its cause', (t) => {
  const cause = new Error('below');
  const error = new LecternError('queue_full', undefined, { cause });
  t.equal(error.message, errorTable.queue_full.sentence, 'the table supplies the sentence');
  t.equal(error.name, 'LecternError');
  t.equal(error.code, 'queue_full');
  t.equal(error.status, 503);
  t.equal(error.retryable, true);
  t.equal(error.cause, cause);
  t.equal(new LecternError('not_found', 'No such task.').message, 'No such task.', 'a sentence of its own');
  t.end();
});

t.test('whatever is thrown becomes a known failure', (t) => {
  const known = new LecternError('timeout');
  t.equal(asLecternError(known), known, 'an expected one as it is');
  for (const thrown of [new TypeError('x is undefined'), 'text', undefined, { code: 'timeout' }]) {
    const error = asLecternError(thrown);
    t.equal(error.code, 'internal', 'a defect');
    t.equal(error.message, errorTable.internal.sentence, 'whose text stays inside');
    t.equal(error.cause, thrown, 'as the cause');
  }
  t.end();
});
