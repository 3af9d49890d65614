/** Results of `lectern convert` in their directory: a document is done when all of it is there, and not before. */
import t from 'tap';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deliver, isUpToDate } from '../../src/cli/result-places.js';
import type { ConvertArguments } from '../../src/cli/convert-arguments.js';
import type { Source } from '../../src/cli/sources.js';

t.test('a document whose results were written in part is converted again', async (t) => {
  const root = t.testdir({ 'page.pdf': 'a document', scratch: { 'document.md': '# whole', 'document.json': '{}', pictures: { 'one.png': 'a picture' } }, out: {} });
  const [path, out] = [join(root, 'page.pdf'), join(root, 'out')];
  utimesSync(path, 1, 1);
  const wanted = { formats: ['md', 'json'], directory: out } as unknown as ConvertArguments;
  const done = (): Promise<boolean> => isUpToDate(path, 'page', wanted);
  const bring = (): Promise<string[]> => deliver({ path, folder: '' } as unknown as Source, 'page', join(root, 'scratch'), {
    status: 'success', errors: [], files: { md: 'document.md', json: 'document.json' }, artifacts: ['pictures/one.png'],
  }, wanted);
  t.equal(await done(), false, 'nothing');
  // Where a picture goes there is a file in the way: the run stops in the middle of this document.
  writeFileSync(join(out, 'pictures'), 'in the way');
  await t.rejects(bring(), { code: 'forbidden', message: /pictures\/one\.png cannot be written/ });
  t.strictSame(readdirSync(out), ['pictures'], 'no result without its pictures');
  t.equal(await done(), false);
  rmSync(join(out, 'pictures'));
  // The second of two results cannot be written.
  mkdirSync(join(out, 'page.json'));
  await t.rejects(bring(), { code: 'forbidden', message: /page\.json cannot be written/ });
  t.equal(await done(), false, 'one of two, and a directory in the place of the other');
  rmSync(join(out, 'page.json'), { recursive: true });
  t.strictSame(await bring(), ['pictures/one.png', 'page.md', 'page.json'].map((name) => join(out, name)));
  t.equal(await done(), true);
  t.equal(readFileSync(join(out, 'page.md'), 'utf8'), '# whole');
  t.strictSame(readdirSync(out).sort(), ['page.json', 'page.md', 'pictures'], 'nothing else is left');
  // A run that was killed leaves bytes under another name.
  rmSync(join(out, 'page.md'));
  writeFileSync(join(out, '.123.1.new'), '# wh');
  t.equal(await done(), false);
});
