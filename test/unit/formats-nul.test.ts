/** Zeros in texts: a stray one is dropped, a program is no text. */
import t from 'tap';
import { readCsvFile, readHtmlFile, readMarkdownFile } from '../../src/formats/text-readers.js';
import { writeText } from '../../src/document/markdown.js';
import type { ReadOptions } from '../../src/formats/format-reader.js';

const options: ReadOptions = { filename: 'a.md', mimetype: 'text/markdown', sha256: '00', password: null, pageRange: [1, 9], keepNotes: false, signal: new AbortController().signal, alive: () => undefined };

t.test('a zero in a text', async (t) => {
  for (const [name, reader, text, words] of [
    ['markdown', readMarkdownFile, '# Title\n\nwords \0 words\n', '# Title\n\nwords words'], ['html', readHtmlFile, '<p>wo\0rds</p>', 'words'], ['csv', readCsvFile, 'a,b\n1\0,2\n', '| a | b |\n|-----|-----|\n| 1 | 2 |'],
  ] as const) {
    const { document } = await reader(Buffer.from(text), options);
    const out = [...writeText(document)].join('');
    t.notOk(out.includes('\0'), name);
    t.equal(out.replace(/ +/g, ' ').trim(), words, name);
  }
});

t.test('bytes of a program', async (t) => {
  for (const bytes of [Buffer.alloc(100), Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0', 'latin1'), Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) & 0xff))]) {
    await t.rejects(async () => readMarkdownFile(bytes, options), { code: 'invalid_document', message: /not text/ });
  }
});
