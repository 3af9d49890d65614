// What `lectern convert` is asked for: languages and engine of scans, and which documents.
import t from 'tap';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConvertArguments } from '../../src/cli/convert-arguments.js';
import type { OptionValue } from '../../src/cli/command.js';
import { resultNames } from '../../src/cli/result-places.js';
import { expandSources, printable } from '../../src/cli/sources.js';

const read = (options: Record<string, OptionValue>) => readConvertArguments({ words: ['a.png'], options, settings: [], environment: {} });

t.test('languages of scans: several lists, codes of any form; unknown ones are refused with names that are like them', (t) => {
  t.match(read({}).options, { ocrLanguages: [], ocrPreset: 'auto' });
  t.match(read({ ocrLang: ['de, en', 'pt-BR,'], ocrPreset: 'tesseract' }).options, { ocrLanguages: ['de', 'en', 'pt-BR'], ocrPreset: 'tesseract' });
  t.throws(() => read({ ocrLang: ['en,klingon'] }), { code: 'invalid_request', message: /^--ocr-lang must be codes of ISO 639 or names of languages, not "klingon"; near it are ukrainian, tongan, albanian\.$/ });
  t.equal(read({ ocrPreset: 'ppocr-russian' }).options.ocrPreset, 'ppocr-russian', 'which models there are is known where it is converted');
  t.throws(() => read({ ocrPreset: '' }), { code: 'invalid_request', message: /^--ocr-preset must be auto, tesseract or the name of an installed vision model/ });
  t.end();
});

t.test('directories, patterns, addresses and standard input become documents in order; results keep the directories apart', async (t) => {
  const root = t.testdir({ 'a.pdf': '', sub: { 'a.pdf': '', 'b.MD': '', 'c.exe': '', '.hidden.md': '' }, none: { 'x.exe': '' }, 'one [1].md': '' });
  const { sources, leftOut } = await expandSources([root, '-', 'https://example.org/dir/paper%20x.pdf?y=1', 'https://example.org/', join(root, 'sub', '*.pdf')], '/incoming', 'stdin');
  t.strictSame(sources.map(({ kind, path, folder }) => [kind, path.replace(root, 'R'), folder]), [
    ['file', 'R/a.pdf', '.'], ['file', 'R/one [1].md', '.'], ['file', 'R/sub/a.pdf', 'sub'], ['file', 'R/sub/b.MD', 'sub'],
    ['input', '/incoming/stdin', ''], ['address', '/incoming/2/paper x.pdf', ''], ['address', '/incoming/3/example.org.html', ''], ['file', 'R/sub/a.pdf', ''],
  ]);
  t.equal(leftOut, 2, 'programs are no documents; a hidden file is not even counted');
  t.strictSame(resultNames(sources, ['.md']), ['a', 'one [1]', 'sub/a', 'sub/b', 'stdin', 'paper x', 'example.org', 'a.pdf']);
  t.match((await expandSources([join(root, 'one [1].md')], '/incoming', 'stdin')).sources, [{ path: join(root, 'one [1].md') }], 'a file whose name looks like a pattern is itself');
  const failureOf = async (word: string): Promise<unknown> => (await expandSources([word], '', '')).sources[0]?.failure;
  t.match(await failureOf(join(root, 'none')), { code: 'not_found', message: /holds no documents, only 1 files of other kinds/ }, 'the other sources are converted all the same');
  t.match(await failureOf(join(root, '*.odt')), { code: 'not_found', message: /No file fits the pattern/ });
  await t.rejects(expandSources([''], '', ''), { code: 'invalid_request', message: /A source is empty/ });
  await t.rejects(expandSources(['ftp://host/a.pdf'], '', ''), { code: 'invalid_request', message: /only http and https/ });
  await t.rejects(expandSources(['https://'], '', ''), { code: 'invalid_request' });
  mkdirSync(join(root, 'empty'));
  writeFileSync(join(root, 'empty', '.keep'), '');
  t.match(await failureOf(join(root, 'empty')), { message: /holds no documents\.$/ });
  mkdirSync(join(root, 'odd'));
  writeFileSync(join(root, 'odd', 'noextension'), '%PDF-1.7\n');
  writeFileSync(join(root, 'odd', 'Makefile'), 'all:\n');
  symlinkSync('..', join(root, 'odd', 'loop'));
  symlinkSync('nowhere', join(root, 'odd', 'broken.pdf'));
  t.match(await expandSources([join(root, 'odd')], '', ''), { sources: [{ path: join(root, 'odd', 'noextension') }], leftOut: 1 }, 'links to directories are not followed');
  t.equal(printable('a\u001b[31m\nb'), 'a\\x1b[31m\\x0ab');
});
