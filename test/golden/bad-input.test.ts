/**
 * What strangers send: every broken, hostile or odd file ends in a clear answer in the contract's shape, through the real worker
 * processes; the program lives, and its temporary files go. `CI_FULL=1 node dist/test/golden/bad-input.test.js` tries thousands
 * of damaged files instead of some sixty: minutes, which the test runner would not wait for.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ConvertOptions } from '../../src/convert/options.js';
import type { ErrorCategory } from '../../src/convert/result.js';
import { damaged, loops, nestedBomb, onePage, rawPdf, sentence, stream, zerosBomb } from '../support/broken-pdf.js';
import { DocumentPool, type Answer } from '../support/document-pool.js';
import { fixturesDirectory, readFixtures } from '../support/fixtures.js';
import { mebibyte } from '../support/workers.js';

/** Which limit a bomb meets first depends on how fast the machine unpacks it. */
const eitherLimit = /more memory|time limit/u;

const full = process.env['CI_FULL'] === '1';
const categories: ErrorCategory[] = [
  'policy', 'capacity', 'source_unavailable', 'target_unavailable', 'timeout', 'internal', 'backend_failure', 'inference_failure', 'unknown',
];
const components = ['document_backend', 'model', 'doc_assembler', 'user_input', 'pipeline'];

const fixture = (name: string): Buffer => readFileSync(join(fixturesDirectory(), `${name}.pdf`));

/** The shape of section 3 of the contract; a sentence of the program's inside never reaches the client. */
function checkShape(t: Test, what: string, { outcome, document, files }: Answer): void {
  const { status, errors } = outcome;
  const faults: string[] = [];
  if (!['success', 'partial_success', 'failure', 'skipped'].includes(status)) faults.push(`status ${status}`);
  if (status !== 'success' && errors.length === 0) faults.push('no error tells why');
  for (const error of errors.slice(0, 50)) {
    if (!categories.includes(error.category) || error.category === 'internal' || error.category === 'unknown') faults.push(`category ${error.category}: ${error.error_message}`);
    if (!components.includes(error.component_type)) faults.push(`component ${error.component_type}`);
    if (!/^[A-Z].*\.$/su.test(error.error_message) && !/^Document has \d+ pages/u.test(error.error_message)) faults.push(`no sentence: ${error.error_message}`);
    if (/node_modules|\/tmp|\.ts\b|\.js\b|\n\s+at /u.test(error.error_message)) faults.push(`insides: ${error.error_message}`);
  }
  const delivered = status === 'success' || status === 'partial_success';
  if (delivered !== (document.md_content !== null)) faults.push(`content ${document.md_content === null ? 'missing' : 'left'} with status ${status}`);
  if (!delivered && files.length > 0) faults.push(`files left: ${files.join(' ')}`);
  t.same(faults, [], `${what}: ${status}`);
}

interface Case {
  name: string;
  filename?: string;
  bytes: () => Uint8Array;
  options?: Partial<ConvertOptions>;
  status: 'success' | 'partial_success' | 'failure' | 'skipped' | 'any';
  says?: RegExp;
  holds?: string;
}

const wrongFiles: Case[] = [
  { name: 'an empty file', bytes: () => Buffer.alloc(0), status: 'failure', says: /empty/u },
  { name: 'words under the name of a PDF', bytes: () => Buffer.from('only words'), status: 'failure', says: /not a PDF/u },
  { name: 'a PDF under the name of a word processor', filename: 'letter.docx', bytes: () => fixture('invoice'), status: 'success', holds: 'Invoice 2025-0417' },
  { name: 'a PDF with rubbish before its header', bytes: () => Buffer.concat([Buffer.alloc(700, 'x'), onePage(sentence('After rubbish.'))]), status: 'any' },
  { name: 'a program', filename: 'setup.exe', bytes: () => Buffer.from('MZ\x90\0'), status: 'skipped', says: /^File format not allowed: setup\.exe\. Allowed are pdf, image, .*docx, .*\.$/u },
  { name: 'no name at all', filename: '', bytes: () => Buffer.from('who am I'), status: 'skipped', says: /^File format not allowed/u },
  { name: 'the first bytes of an image', filename: 'a.png', bytes: () => Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), status: 'failure', says: /image/u },
  { name: 'a header and no more', bytes: () => Buffer.from('%PDF-1.7\n'), status: 'failure', says: /damaged|cut short/u },
  { name: 'no pages', bytes: () => rawPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>']), status: 'failure', says: /no pages/u },
  { name: 'a password that is not given', bytes: () => fixture('invoice-locked'), status: 'failure', says: /password/u },
  { name: 'a password that is wrong', bytes: () => fixture('invoice-locked'), options: { password: 'pulpit' }, status: 'failure', says: /password/u },
  { name: 'the right password', bytes: () => fixture('invoice-locked'), options: { password: 'lectern' }, status: 'success', holds: '2,045.52' },
  { name: 'a page range past the end', bytes: () => fixture('report-numbered'), options: { pageRange: [200, 300] }, status: 'failure', says: /^Document has 4 pages, fewer than the requested page_range start 200\.$/u },
  { name: 'a page range that ends past the end', bytes: () => fixture('report-numbered'), options: { pageRange: [4, 9e15] }, status: 'success', holds: 'Recommendations' },
  { name: 'more pages than are allowed', bytes: () => fixture('report-numbered'), options: { maxPages: 3 }, status: 'failure', says: /^Document has 4 pages, exceeding the max_num_pages limit of 3\.$/u },
];

const lies: Case[] = [
  ...['999999999', '-5', '(many)'].map((count): Case => ({
    name: `a page count of ${count}`, bytes: () => Buffer.from(onePage(sentence('The only page.')).toString('latin1').replace('/Count 1', `/Count ${count}`), 'latin1'), status: 'any',
  })),
  { name: 'a page of 1e12 points', bytes: () => onePage(sentence('In a field.'), [], '', '/MediaBox [0 0 1e12 1e12]'), status: 'success', holds: 'In a field.' },
  { name: 'a page without area', bytes: () => onePage(sentence('On a point.'), [], '', '/MediaBox [0 0 0 0]'), status: 'any' },
  { name: 'a page box of names', bytes: () => onePage(sentence('In a box.'), [], '', '/MediaBox [/a /b /c /d]'), status: 'any' },
  { name: 'a page of 100,000 points, to be drawn', bytes: () => onePage(sentence('Large.'), [], '', '/MediaBox [0 0 100000 100000]'), options: { includePageImages: true, imageExportMode: 'embedded', outputs: ['md', 'json'] }, status: 'any' },
  { name: '200,000 open brackets in the content', bytes: () => onePage('['.repeat(200_000)), status: 'any' },
  { name: '100,000 open brackets in the page', bytes: () => onePage(sentence('x'), [], '', `/MediaBox [0 0 612 792] /Deep ${'['.repeat(100_000)}`), status: 'any' },
  { name: '500,000 saved states', bytes: () => onePage('q '.repeat(500_000) + sentence('Deep.')), status: 'success', holds: 'Deep.' },
];

const many = (count: number, one: (i: number) => string): string => Array.from({ length: count }, (_, i) => one(i)).join('\n');
/** Curves cost the PDF engine twenty times as much as lines do. */
const curves = full ? 100_000 : 20_000;
const crowds: Case[] = [
  { name: '100,000 words on a page', bytes: () => onePage(many(100_000, (i) => `BT /F1 4 Tf ${20 + (i % 250) * 2.3} ${780 - Math.floor(i / 250) * 1.9} Td (${i % 10}) Tj ET`)), status: 'success' },
  { name: '100,000 rectangles on a page', bytes: () => onePage(sentence('Boxes.') + many(100_000, (i) => `${(i * 37) % 600} ${(i * 91) % 780} ${1 + (i % 40)} ${1 + (i % 30)} re S`)), status: 'success', holds: 'Boxes.' },
  { name: '100,000 lines on a page', bytes: () => onePage(sentence('Lines.') + many(100_000, (i) => (i % 2 ? `0 ${i * 0.0078} m 600 ${i * 0.0078} l S` : `${i * 0.006} 0 m ${i * 0.006} 790 l S`))), status: 'success', holds: 'Lines.' },
  { name: `${curves} curves on a page`, bytes: () => onePage(sentence('Curves.') + many(curves, (i) => `${(i * 37) % 600} ${(i * 91) % 780} m ${(i * 7) % 600} ${(i * 3) % 780} ${(i * 5) % 600} ${(i * 9) % 780} ${(i * 11) % 600} ${(i * 13) % 780} c S`)), status: 'any' },
];

const nested = nestedBomb(2048, 3);
const bombs: Case[] = [
  { name: 'a gigabyte of zeros as the content', bytes: () => onePage(stream('/Filter /FlateDecode', zerosBomb(1024))), status: 'failure', says: eitherLimit },
  { name: 'two gigabytes, packed three times', bytes: () => onePage(stream(nested.filters, nested.data)), status: 'any' },
  {
    name: 'a gigabyte as an image', status: 'any', options: { imageExportMode: 'embedded' },
    bytes: () => onePage(`q 600 0 0 700 0 0 cm /I Do Q ${sentence('Beside it.')}`, [
      stream('/Type /XObject /Subtype /Image /Width 32768 /Height 32768 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode', zerosBomb(1024)),
    ], '/XObject << /I 6 0 R >>'),
  },
];

/** Paths are cut off by the callers of the converter; whatever gets through names no file. */
const oddNames = [
  'Bericht „Größe“ – 2025 (final).pdf', '日誌.pdf', '../../etc/passwd.pdf', '..\\..\\windows\\system.pdf', '/absolute.pdf', '.pdf', 'no extension', 'a\nb\tc.pdf', 'nul\0byte.pdf',
  '<script>alert(1)</script>.pdf', `${'x'.repeat(5000)}.pdf`, '\u202efdp.exe.pdf', '%2e%2e%2f.pdf', 'CON.pdf', '~/-rf.pdf',
];

t.setTimeout(full ? 3_600_000 : 1_200_000);

/** For what need not be converted: a machine that is slow for a while converts the others all the same. */
const hasty = { pageMs: 5_000, documentMs: 30_000 };

let documents: DocumentPool;
let directory: string;

t.before(() => {
  directory = t.testdir({});
  documents = new DocumentPool(directory, {}, 500 * mebibyte);
});

async function check(t: Test, { name, filename = 'document.pdf', bytes, options = {}, status, says, holds }: Case): Promise<void> {
  const answer = await documents.convert(filename, bytes(), options, status === 'any' || says === eitherLimit ? hasty : {});
  checkShape(t, name, answer);
  if (status !== 'any') t.equal(answer.outcome.status, status, `${name}: ${answer.outcome.errors[0]?.error_message ?? 'no error'}`);
  if (says !== undefined) t.match(answer.outcome.errors[0]?.error_message ?? '', says, `${name} says why`);
  if (holds !== undefined) t.ok(answer.document.md_content?.includes(holds), `${name}: its text is there`);
}

for (const [title, cases] of Object.entries({ 'wrong files': wrongFiles, 'files that lie': lies, 'crowded pages': crowds, bombs })) {
  t.test(title, async (t) => {
    for (const one of cases) await check(t, one);
  });
}

t.test('structures that lead in circles', async (t) => {
  for (const [name, make] of Object.entries(loops)) await check(t, { name, bytes: make, status: 'any' });
});

t.test('odd names', async (t) => {
  const before = readdirSync(directory);
  for (const filename of oddNames) {
    const answer = await documents.convert(filename, onePage(sentence('Named oddly.')));
    checkShape(t, JSON.stringify(filename.slice(0, 40)), answer);
    t.match(answer.document.md_content, /Named oddly/u, 'its text is there');
    t.ok(answer.files.every((file) => file === 'document.md'), 'no file is named after it');
  }
  t.same(readdirSync(directory), before, 'nothing is written elsewhere');
});

t.test('truncated files', async (t) => {
  for (const name of ['paper-two-columns', 'report-tagged', 'slides-web', 'invoice-locked']) {
    const bytes = fixture(name);
    for (const share of [0.1, 0.5, 0.9, 0.99]) checkShape(t, `${name} cut to ${share * 100} %`, await documents.convert('cut.pdf', bytes.subarray(0, bytes.length * share), { password: 'lectern' }, hasty));
  }
});

t.test('damaged files', async (t) => {
  const fixtures = readFixtures().filter(({ facts }) => facts.pages < 10);
  const seeds = full ? 3000 : 60;
  // Two at a time, as there are two workers.
  let seed = 0;
  const lane = async (): Promise<void> => {
    while (seed < seeds) {
      const mine = seed++;
      const { name, pdf, facts } = fixtures[mine % fixtures.length] as (typeof fixtures)[number];
      checkShape(t, `${name}, seed ${mine}`, await documents.convert('damaged.pdf', damaged(readFileSync(pdf), mine), { password: facts.password }, hasty));
    }
  };
  await Promise.all([lane(), lane()]);
  if (!full) t.comment(`${seeds} of 3,000 damaged files; the others with CI_FULL=1`);
});

t.test('afterwards', async (t) => {
  const answer = await documents.convert('sound.pdf', onePage(sentence('All is well.')));
  t.equal(answer.outcome.status, 'success');
  t.equal(answer.document.md_content, 'All is well.', 'the next document is converted as ever');
  t.same(documents.lines.filter((line) => line.includes('defect')), [], 'no defect was met');
  await documents.close();
  t.same(readdirSync(join(directory, 'scratch')), [], 'no temporary files are left');
});
