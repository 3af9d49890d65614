/** The lint rule that counts numeric literals of functions. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ESLint, Linter } from 'eslint';
import t from 'tap';
import { packageRoot } from '../../src/platform/package-files.js';

// By its place in the checkout: the compiled test lies elsewhere.
const { default: literals } = (await import(pathToFileURL(join(packageRoot(), '.lint/literals.js')).href)) as { default: ESLint.Plugin };

const problems = (code: string, most = 3): string[] => new Linter().verify(code, [{ plugins: { lectern: literals }, rules: { 'lectern/literals': ['error', { most }] } }]).map(({ message }) => message.split(';')[0] ?? '');

t.test('functions with too many numbers are reported', (t) => {
  t.same(problems('function f(x) { return 3 * x + 4 * x + 5 * x; }'), [], 'three are allowed');
  t.match(problems('function f(x) { return 3 * x + 4 * x + 5 * x + 0.5; }'), [/'f' has 4 /]);
  t.same(problems('function f(x) { return 0 + 1 + 2 - 1 - 2 + x[7]; }', 0), [], '0, 1, 2, their negatives and indices are free');
  t.match(problems('function f(x) { return -3; }', 0), [/'f' has 1 /], 'a sign adds nothing');
  t.same(problems('const table = { a: 3, b: 4, c: 5, d: 6 };'), [], 'const tables are free');
  t.match(problems('const f = (xs) => xs.filter((x) => x > 3 && x < 4).map((x) => x * 5 + 6);'), [/'f' has 4 /], 'literals of nested functions count for the outer one');
  t.end();
});
