/** Regular expressions with escapes that ECMA-262 allows without the flag u. */
import t from 'tap';
import { Grammar } from '../../src/chat/grammar/grammar.js';
import { JsonText } from '../../src/chat/grammar/json-text.js';
import { schemaExpression } from '../../src/chat/json-schema/schema.js';
import { LecternError } from '../../src/errors.js';
import { readGbnf } from '../support/gbnf.js';

const grammarOf = (pattern: string) => {
  const json = new JsonText(new Grammar());
  return readGbnf(json.grammar.print(schemaExpression(json, { type: 'string', pattern }, 'schema')) ?? '');
};

t.test('punctuation may be escaped, within classes and outside', async (t) => {
  const cases: [string, string, string][] = [
    ['^\\d{3}\\-\\d{4}$', '123-4567', '123\\-4567'], ['^\\w+\\@x$', 'a@x', 'a\\@x'], ['^a\\_b$', 'a_b', 'a-b'], ['^\\#[0-9a-f]{2}$', '#0f', '0f'], ['^a\\ b$', 'a b', 'ab'], ['^\\%$', '%', '\\%'], ["^it\\'s$", "it's", 'its'],
    ['^a\\:b$', 'a:b', 'ab'], ['^a\\&b$', 'a&b', 'ab'], ['^[\\_\\-\\@]+\\"$', '_-@"', 'b"'], ['^\\.\\-\\/$', '.-/', 'a-/'], ['^\\\\\\-$', '\\-', '-'],
  ];
  for (const [pattern, right, wrong] of cases) {
    const grammar = grammarOf(pattern);
    t.equal(grammar.matches(JSON.stringify(right)), new RegExp(pattern).test(right), `${pattern} ${right}`);
    t.ok(new RegExp(pattern).test(right));
    t.equal(grammar.matches(JSON.stringify(wrong)), new RegExp(pattern).test(wrong), `${pattern} ${wrong}`);
  }
});

t.test('what is none without the flag either is refused', async (t) => {
  for (const pattern of ['(\\-', '[\\-', '\\-**']) t.throws(() => grammarOf(pattern), LecternError, pattern);
});
