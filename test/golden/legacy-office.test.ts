/** DOC, XLS and PPT by the LibreOffice of this machine: made by it from today's formats, read back side by side, one ended before its time. Left out where it is not installed. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { writeMarkdown } from '../../src/document/markdown.js';
import { findFormat } from '../../src/formats/index.js';
import { findLibreOffice, modernize } from '../../src/formats/office/legacy-office.js';
import { missingOfficeParts } from '../../src/formats/office/office-parts.js';
import { confineWorkers } from '../../src/program/worker-confinement.js';
import { DocumentPool } from '../support/document-pool.js';
import { makeDocx, makePptx, makeXlsx } from '../support/office-files.js';
import { readOptions } from '../support/read-office.js';
import { until } from '../support/until.js';
import { program as commandOf } from '../support/workers.js';

const office = findLibreOffice();
const skip = office === null ? 'LibreOffice is not installed on this machine' : false;
const program = office ?? '';
const lacking = office === null ? [] : missingOfficeParts(office).map(({ legacy }) => legacy as string);
const usual = { signal: new AbortController().signal, alive: () => undefined };
const limits = { limitMs: 600_000, maximumOutputBytes: 10_000_000 };

/** Programs that still run with a profile of ours, by their command lines. */
function running(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  }).filter((line) => line.includes(join(temporary, 'lectern-office-')));
}

// Of its own, so that files of other tests are not taken for those of this one.
const temporary = mkdtempSync(join(tmpdir(), 'lectern-legacy-'));
process.env['TMPDIR'] = temporary;
// The loader of TypeScript keeps there what it compiled.
mkdirSync(join(temporary, `tsx-${process.getuid?.() ?? 0}`));
t.teardown(() => rmSync(temporary, { recursive: true, force: true }));
const leftovers = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('lectern-office-'));

async function markdownOf(kind: string, bytes: Uint8Array): Promise<string> {
  const format = findFormat(kind);
  const read = await (await format?.load())?.(bytes, { ...readOptions, filename: `a.${kind}`, mimetype: format?.mimetype ?? '' });
  return read === undefined ? '' : [...writeMarkdown(read.document, { compactTables: true })].join('');
}

const isLong = process.env['CI_FULL'] === '1';

/** LibreOffice wants the main part's type said. */
const types = (part: string, kind: string): Record<string, string> => ({
  '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    + `<Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${kind}.main+xml"/></Types>`,
});

const text = makeDocx({
  parts: types('word/document.xml', 'wordprocessingml.document'),
  body: '<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>Pumps</w:t></w:r></w:p><w:p><w:r><w:t xml:space="preserve">Water is </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>heavy</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p>',
  styles: '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>',
});
const sheet = makeXlsx({ parts: types('xl/workbook.xml', 'spreadsheetml.sheet'), sheets: [{ name: 'Flow', xml: '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Month</t></is></c><c r="B1" t="inlineStr"><is><t>Rate</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>May</t></is></c><c r="B2"><v>4.5</v></c></row></sheetData>' }] });
const slides = makePptx({ parts: types('ppt/presentation.xml', 'presentationml.presentation'), slides: [{ shapes: '<p:sp><p:nvSpPr><p:cNvPr id="2" name="t"/><p:cNvSpPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>Rotor</a:t></a:r></a:p></p:txBody></p:sp>' }] });

t.test('old files, two at once, and one that takes too long', { skip: skip || (lacking.length > 0 && `LibreOffice lacks what ${lacking.join(' and ')} need`), timeout: 900_000 }, async (t) => {
  const kinds: [old: string, modern: string, source: Uint8Array, shown: RegExp][] = [
    ['doc', 'docx', text, /^## Pumps\n\nWater is \*\*heavy\*\*\.$/u], ['xls', 'xlsx', sheet, /^\| Month \| Rate \|\n\| - \| - \|\n\| May \| 4\.5 \|$/u],
    ...(isLong ? [['ppt', 'pptx', slides, /Rotor/u] as [string, string, Uint8Array, RegExp]] : []),
  ];
  const before = leftovers();
  // The same program writes them: the argument names the target.
  const made = await Promise.all(kinds.map(([old, modern, source]) => modernize(program, source, modern, old as 'docx', usual, limits)));
  for (const bytes of made) t.same([...bytes.subarray(0, 4)], [0xd0, 0xcf, 0x11, 0xe0]);
  const late = modernize(program, made[0] as Uint8Array, 'doc', 'docx', usual, { ...limits, limitMs: 400 });
  const read = Promise.all(kinds.map(([old], index) => markdownOf(old, made[index] as Uint8Array)));
  await t.rejects(late, { code: 'timeout' });
  for (const [index, markdown] of (await read).entries()) t.match(markdown, kinds[index]![3], kinds[index]![0]);
  await until('all of them have ended', () => running().length === 0);
  t.same(leftovers(), before, 'nothing of it is left');
});

t.test('in a confined worker, twice, so that a socket of the first start does not stand in the way', { skip: skip || (lacking.includes('doc') && 'LibreOffice lacks Writer'), timeout: 900_000 }, async (t) => {
  const old = await modernize(program, text, 'docx', 'doc' as 'docx', usual, limits);
  const command = commandOf(new URL(`../../src/worker.${import.meta.url.endsWith('.js') ? 'js' : 'ts'}`, import.meta.url));
  const { confinement } = confineWorkers('auto', [], command);
  const directory = mkdtempSync(join(temporary, 'documents-'));
  const documents = new DocumentPool(directory, {}, undefined, { size: 1, confinement });
  t.teardown(() => documents.close());
  for (const turn of [1, 2]) t.match((await documents.convert('old.doc', old)).document.md_content, /^## Pumps\n\nWater is \*\*heavy\*\*\.$/u, `${turn}`);
});
