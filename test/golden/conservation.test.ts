/** No word of a page is lost or doubled on its way into the document: counted on every PDF of the project and of the samples beside it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import { noRecognisers } from '../../src/convert/ocr/recogniser.js';
import type { ConvertPorts } from '../../src/convert/request.js';
import { readDocument } from '../../src/document/read-document.js';
import { plainWords } from '../../src/document/document-words.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { openPdf } from '../../src/pdf/index.js';

const root = packageRoot();
const folders = ['../shared/samples/replica', '../shared/samples/styled', '../shared/samples/latex', '../shared/samples/docling/pdf', 'test/fixtures/pdf'];

const ports: ConvertPorts = {
  engine: { deskewAngle: async () => 0 },
  recognisers: noRecognisers,
  progress: () => undefined,
  signal: new AbortController().signal,
};

type Counts = Map<string, number>;

function count(parts: Iterable<string>): Counts {
  const counts: Counts = new Map();
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1);
  return counts;
}

/**
 * Hyphens may have been joined, dots that lead to a page number are left out, formulas get signs for their bars and scripts, and their large
 * strokes are set of several pieces: none are counted. Scripts may have become small signs, signs that the file
 * does not name bullets, and boxes to tick the kind of their item.
 */
function bare(word: string): string {
  return word.normalize('NFKC').replace(/\ufffd/g, '•').replace(/[-\u00ad\u2010\u2011.·…‧_()/^|\u2044☐☒]/g, '');
}

/** What `from` has more of than `other`. */
function surplus(from: Counts, other: Counts): string[] {
  const more: string[] = [];
  for (const [key, number] of from) for (let i = other.get(key) ?? 0; i < number; i++) more.push(key);
  return more;
}

/** Words that are left on one side only: halves of joined words. Their letters must be the same on both sides. */
function difference(before: string[], after: string[]): { lost: string; gained: string; share: number } {
  const [left, right] = [count(before), count(after)];
  const letters = (words: string[]): Counts => count(words.join(''));
  const [gone, come] = [surplus(left, right), surplus(right, left)];
  return {
    lost: surplus(letters(gone), letters(come)).sort().join(''), gained: surplus(letters(come), letters(gone)).sort().join(''),
    share: gone.length / Math.max(1, before.length),
  };
}

/** Of the project's own PDFs a file beside each says what opens it. */
function passwordOf(path: string): string | null {
  const notes = path.replace(/\.pdf$/, '.json');
  return existsSync(notes) ? (JSON.parse(readFileSync(notes, 'utf8')) as { password?: string | null }).password ?? null : null;
}

async function wordsOfPages(bytes: Uint8Array, password: string | null): Promise<string[]> {
  const pdf = await openPdf(bytes, { password });
  const words: string[] = [];
  for (let page = 0; page < pdf.pageCount; page++) for (const word of pdf.readPage(page).words) words.push(word.text);
  pdf.close();
  return words.map(bare).filter((word) => word !== '');
}

for (const folder of folders) {
  const directory = join(root, folder);
  const skip = existsSync(directory) ? false : `${folder} is not beside this checkout`;
  t.test(`conservation in ${folder}`, { skip }, async (t) => {
    const files = readdirSync(directory).filter((name) => name.endsWith('.pdf'));
    t.ok(files.length > 0, 'there are files to count');
    for (const file of files) {
      const out = t.testdir({ [file]: {} });
      const path = join(directory, file);
      const password = passwordOf(path);
      const before = await wordsOfPages(readFileSync(path), password);
      const outcome = await convertDocument({
        inputPath: path, filename: file, outputDirectory: join(out, file), failedPages: [],
        options: { ...defaultConvertOptions, outputs: ['json'], doOcr: false, password },
      }, ports);
      t.equal(outcome.status, 'success', `${file} converts`);
      const document = readDocument(readFileSync(join(out, file, outcome.files.json ?? ''), 'utf8'));
      // A formula that became LaTeX has its signs in `orig`.
      for (const item of document.texts) if (item.label === 'formula') item.text = item.orig;
      const after = [...plainWords(document)].map(bare).filter((word) => word !== '');
      const { lost, gained, share } = difference(before, after);
      t.same({ lost, gained }, { lost: '', gained: '' }, `${file} keeps its ${before.length} words`);
      // Chinese and Japanese lines are joined without a space, so each is a part of a longer word afterwards.
      t.ok(share < 0.6, `${file}: few of its words are joined with others (${share.toFixed(3)})`);
    }
  });
}
