/** No word of a fixture of any text or office format is lost: its visible text, gathered by a plain walk over the source, against the words of the document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { parse } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import t from 'tap';
import { plainWords } from '../../src/document/document-words.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { goldenEpub } from '../support/golden-archives.js';
import { goldenPages, goldenXlsb } from '../support/binary-office.js';
import { goldenDocx, goldenOdp, goldenOds, goldenOdt, goldenPptx, goldenXlsx } from '../support/golden-office.js';
import { readFormat } from '../support/read-format.js';

const fixture = (name: string): Uint8Array => readFileSync(join(packageRoot(), 'test/fixtures/formats', name));

/** Letters and digits, without the marks that formats write around them, counted. */
function wordsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.normalize('NFKC').matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** What `from` has more of than `other`. */
function surplus(from: Map<string, number>, other: Map<string, number>): string[] {
  return [...from].flatMap(([word, number]) => Array<string>(Math.max(0, number - (other.get(word) ?? 0))).fill(word)).sort();
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' };

/** The text nodes of XML, without the elements in `left`; elements in `within` part no words. */
function textNodes(xml: string, left: RegExp, within: RegExp): string {
  const parts: string[] = [];
  const skipped: string[] = [];
  for (const [, close, name, empty, text] of xml.replace(/<!--[^]*?-->|<\?[^]*?\?>|<!DOCTYPE[^[>]*(?:\[[^]*?\])?>/g, '').matchAll(/<(\/?)([\w:.-]+)[^>]*?(\/?)>|([^<]+)/g)) {
    if (text !== undefined) {
      if (skipped.length === 0) parts.push(text);
      continue;
    }
    if (!within.test(name as string)) parts.push(' ');
    if (empty === '/') continue;
    if (close === '/') {
      if (skipped.at(-1) === name) skipped.pop();
    } else if (skipped.length > 0 ? skipped.at(-1) === name : left.test(name as string)) skipped.push(name as string);
  }
  return parts.join('').replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex: string | undefined, decimal: string | undefined, name: string) => (
    hex === undefined && decimal === undefined ? entities[name] ?? '' : String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16))));
}

function pageText(source: string): string {
  const parts: string[] = [];
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === '#text') parts.push((node as DefaultTreeAdapterTypes.TextNode).value);
    if ('attrs' in node && (/^(?:script|style|title|math)$/.test(node.nodeName) || node.attrs.some(({ name, value }) => name === 'hidden' || name === 'style' && value.includes('none')))) return;
    const gap = /^(?:#text|su[bp]|b|i|em|strong|a|span|code|del)$/.test(node.nodeName) ? '' : ' ';
    parts.push(gap);
    if ('childNodes' in node) node.childNodes.forEach(walk);
    parts.push(gap);
  };
  walk(parse(source));
  return parts.join('');
}

/** The text nodes of parts of an archive, without those of elements in `left`. */
function xmlText(archive: Uint8Array, parts: RegExp, left: RegExp, paragraph: RegExp): string {
  return Object.entries(unzipSync(archive)).filter(([name]) => parts.test(name)).map(([, bytes]) => Buffer.from(bytes).toString('utf8')
    .replace(left, '').replace(paragraph, ' ').replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')).join(' ');
}

const leftOfWord = /<w:(?:del|moveFrom|instrText)\b[\s\S]*?<\/w:(?:del|moveFrom|instrText)>|<mc:Fallback>[\s\S]*?<\/mc:Fallback>|<m:oMath>[\s\S]*?<\/m:oMath>|<w:r>(?:(?!<\/w:r>)[\s\S])*<w:vanish\/>[\s\S]*?<\/w:r>/g;
const leftOfOdf = /^(?:text:tracked-changes|text:note-citation|dc:\w+|meta:\w+|math|office:(?:automatic-styles|font-face-decls)|svg:(?:title|desc))$/;
const withinOdf = /^(?:text:(?:span|a|bookmark\w*)|office:annotation-end)$/;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const part = (bytes: Uint8Array, name: string): string => text(unzipSync(bytes)[name] ?? new Uint8Array());
/** The content of a package of OpenDocument. */
const odfText = (bytes: Uint8Array): string => textNodes(part(bytes, 'content.xml'), leftOfOdf, withinOdf);
/** Strings of all cells of sheets that are shown, and comments. */
const sheetText = (bytes: Uint8Array): string => {
  const files = unzipSync(bytes);
  const shown = Object.keys(files).filter((name) => /^xl\/(?:worksheets\/sheet[13]|comments1|sharedStrings)\.xml$/.test(name));
  return shown.map((name) => textNodes(text(files[name] as Uint8Array), /^(?:v|f|authors)$/, /^r$/)).join(' ');
};
/** Every text of a document's JSON, by a walk that knows no types. */
const jsonText = (bytes: Uint8Array): string => {
  const document = JSON.parse(text(bytes)) as { texts: { text: string }[]; tables: { data: { table_cells: { text: string; ref?: unknown }[] } }[] };
  return [...document.texts.filter(({ text }) => text !== 'H' && text !== 'O').map((item) => item.text), ...document.tables.flatMap((table) => table.data.table_cells.filter(({ ref }) => ref === undefined).map((cell) => cell.text))].join(' ');
};

/** What a text leaves out on purpose, or shows in another form: as a pattern of its source. */
const without = (...patterns: RegExp[]) => (bytes: Uint8Array): string => patterns.reduce((rest, pattern) => rest.replaceAll(pattern, (_, kept: unknown) => ` ${typeof kept === 'string' ? kept : ''} `), text(bytes));

const sources: [name: string, format: string, bytes: () => Uint8Array, text: (bytes: Uint8Array) => string][] = [
  ['web.html', 'html', () => fixture('web.html'), (bytes) => pageText(text(bytes))],
  ['story.txt', 'md', () => fixture('story.txt'), text],
  ['table.csv', 'csv', () => fixture('table.csv'), text],
  ['report.docx', 'docx', goldenDocx, (bytes) => xmlText(bytes, /^word\/(?:document|footnotes|endnotes|comments)\.xml$/, leftOfWord, /<\/w:p>|<w:(?:tab|br)\/>/g)],
  ['talk.pptx', 'pptx', goldenPptx, (bytes) => xmlText(bytes, /^ppt\/slides\/[^/]+\.xml$/, /<mc:Fallback>[\s\S]*?<\/mc:Fallback>|<m:oMath>[\s\S]*?<\/m:oMath>/g, /<\/a:p>|<a:br\/>/g)],
  ['ledger.xlsx', 'xlsx', goldenXlsx, sheetText],
  ['letter.odt', 'odt', goldenOdt, odfText], ['talk.odp', 'odp', goldenOdp, odfText], ['ledger.ods', 'ods', goldenOds, (bytes) => textNodes(part(bytes, 'content.xml').replace(/<table:table [^>]*table:style-name="gone"[^]*?<\/table:table>/g, ''), leftOfOdf, withinOdf)],
  ['book.epub', 'epub', goldenEpub, (bytes) => ['one', 'two'].map((name) => pageText(part(bytes, `OPS/${name}.xhtml`))).join(' ') + textNodes(part(bytes, 'OPS/book.opf'), /^manifest$/, /^$/)],
  ['article.nxml', 'xml_jats', () => fixture('article.nxml'), (bytes) => textNodes(text(bytes), /^(?:inline-formula|disp-formula)$/, /^(?:sub|sup|italic|bold|xref)$/)],
  ['notes.md', 'md', () => fixture('notes.md'), without(/^---[^]*?---$/gm, /<\/?t[^>]*>/g, /\]\([^)]*\)/g, /```\w+/g, /\$\$?[^$]*\$+/g, /&\w+;/g, /\[\^\d\]/g, /^ *\d\./gm, /\[[x ]\]/g)],
  ['manual.adoc', 'asciidoc', () => fixture('manual.adoc'), without(/\/\/\/\/[^]*\/\/\/\//g, /^:.*$/gm, /\{product\}/g, /^\[.*\]$/gm, /\d?\.?\d?\+(?=\|)/g, /https:\S*?\[/g, /<<parts,/g, /stem:\[.*\]/g, /image::\S*?\[/g, /footnote:/g, /H~2~O, x.2.\./g, /^v1.*$/gm, /^NOTE: /gm)],
  ['paper.tex', 'latex', () => fixture('paper.tex'), without(/^[^]*?\\title/g, /%.*$/gm, /\\(?:begin|end|label|cite|bibitem|includegraphics|input|multirow|multicolumn)(?:\[[^\]]*\])?\{[^}]*\}(?:\{\*?[c\d]?\}|\{l\|r\}|\{9\})?/g, /\\href\{[^}]*\}/g, /\$[^$]*\$/g, /\\pair.*?;/g, /caf.*$/gm, /S = .*$/gm, /\{\*\}/g, /\\[a-zA-Z]+/g)],
  ['talk.vtt', 'vtt', () => fixture('talk.vtt'), without(/^STYLE[^]*?\n\n/gm, /NOTE nobody.*$/gm, /^.*-->.*$/gm, /^WEBVTT.*$/gm, /<v ([^>]*)>/g, /<[^>]*>/g, /&\w+;/g, /^(?:1|intro)$/gm)],
  ['mail.eml', 'email', () => fixture('mail.eml'), (bytes) => pageText(/<p>Gr[^]*?<\/script>/.exec(Buffer.from(bytes.filter((byte) => byte < 128)).toString('latin1'))?.[0].replaceAll('=FC=DF', '\u00fc\u00df').replaceAll('=3D', '=') ?? '')],
  ['novel.fb2', 'fb2', () => fixture('novel.fb2'), (bytes) => textNodes(text(bytes), /^(?:genre|binary)$/, /^(?:a|emphasis|strong)$/)],
  ['manual.dbk', 'docbook', () => fixture('manual.dbk'), (bytes) => textNodes(text(bytes), /^indexterm$/, /^(?:subscript|emphasis|literal|link|footnote)$/)],
  ['edition.tei', 'tei', () => fixture('edition.tei'), (bytes) => textNodes(text(bytes), /^$/, /^(?:hi|q)$/)],
  ['grant.xml', 'xml_uspto', () => fixture('grant.xml'), (bytes) => textNodes(text(bytes), /^$/, /^(?:sub|b|figref)$/)],
  ['letter.fodt', 'odt', () => fixture('letter.fodt'), (bytes) => textNodes(text(bytes), /^(?:office:meta|office:binary-data|text:note-citation)$/, withinOdf)],
  ['letter.rtf', 'rtf', () => fixture('letter.rtf'), without(/\{\\(?:fonttbl|stylesheet|info|header|footer)[^]*?\}\}?\n/g, /\{\\\*\\shppict[^]*$/g, /\{\\shprslt.*?\}\}/g, /\{\\sp\{.*?\}\}/g, /\{\\field.*?fldrslt /g, /\{\\v .*?\}/g, /Gr.*$/gm, /H\{.*$/gm, /\\[a-z]+-?\d* ?|\\'..|\\\*/g)],
  ['study.ipynb', 'ipynb', () => fixture('study.ipynb'), (bytes) => (JSON.parse(text(bytes)) as { cells: { source: string | string[] }[] }).cells.map(({ source }) => [source].flat().join('')).join('\n').replace(/\$.*?\$/g, '')],
  ['people.vcf', 'vcf', () => fixture('people.vcf'), (bytes) => text(bytes).replace(/\r\n[ \t]/g, '').split(/\r\n/).filter((line) => !/^(?:BEGIN|END|VERSION|PHOTO)/.test(line)).map((line) => line.slice(line.indexOf(':') + 1).replace(/^(?:tel|mailto):/, '').replace(/\\,/g, ',')).join(' ')],
  ['box.mbox', 'email', () => fixture('box.mbox'), without(/^From .*$/gm, /^(?:Date|MIME-Version|Content-Type).*$/gm, /^Subject: /gm, /<\/?(?:p|b|ul|li)>/g)],
  ['film.srt', 'vtt', () => fixture('film.srt'), without(/^\d+$/gm, /^.*-->.*$/gm, /<[^>]*>/g, /\{[^}]*\}/g)],
  ['list.tsv', 'csv', () => fixture('list.tsv'), text],
  ['pump.1', 'man', () => fixture('pump.1'), without(/^'\\" t$|^\.\\".*$|^\.if t.*$|\.de XX[^]*$/gm, /^\.[A-Z]+\b ?|^\.(?:nf|fi)$/gm, /\\\(bu 2|\\f[BIRP]|\\\((?:bu|mu)|\\-|\\ /g, /at 4.*$|runs$|4.*\\c$/gm, /Gr.*?af.*?, /g, /^tab.*$|^l l\.$|T[{}]$|^_$/gm, /(?<=[.)]) 3$|(?<=^ {1,2})2$/gm)],
  ['film.ass', 'vtt', () => fixture('film.ass'), without(/^.*\{\\p1\}.*$/gm, /^(?:\[|;|ScriptType|Format|Style|Comment).*$/gm, /^Title: /gm, /^Dialogue: 0,[\d:.]+,[\d:.]+,Default,/gm, /,0,0,0,,/g, /\{[^}]*\}|\\[Nh]/g)],
  ['plan.boxnote', 'boxnote', () => fixture('plan.boxnote'), (bytes) => [...text(bytes).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, words]) => words?.replace(/\\n/g, ' ')).join(' ')],
  ['old.boxnote', 'boxnote', () => fixture('old.boxnote'), (bytes) => (JSON.parse(text(bytes)) as { atext: { text: string } }).atext.text],
  ['report.xbrl', 'xml_xbrl', () => fixture('report.xbrl'), (bytes) => textNodes(text(bytes), /^(?:link:schemaRef|unit|context)$/, /^$/).replace(/&lt;[^&]*&gt;|<[^>]*>/g, ' ')],
  ['book.bits', 'xml_jats', () => fixture('book.bits'), (bytes) => textNodes(text(bytes), /^$/, /^xref$/)],
  ['page.doctags', 'doctags', () => fixture('page.doctags'), without(/<(?!b>)\/?[a-zA-Z_\d]+>/g, /a\^2|E = mc\^2/g)],
  ['flow.xlsb', 'xlsb', goldenXlsb, () => 'Flow levels Month Flow Share Day May 4500 25 00 2023 03 15 Gr\u00fc\u00dfe \u6771\u4eac 12 5 TRUE N A a b c 3 Read twice Ann Bell Merged Both piers north south'],
  ['pier.pages', 'iwork_pages', goldenPages, () => 'Pier report Flow The pump runs Gr\u00fc\u00dfe from the pier Running header Table of flow Month Flow May 450 A note at the foot'],
  ['report.docx.json', 'json_docling', () => fixture('report.docx.json'), jsonText],
];

for (const [name, format, bytes, textOf] of sources) {
  t.test(`${name} keeps its words`, async (t) => {
    const source = bytes();
    const { document, losses } = await readFormat(format, source, name);
    if (name !== 'paper.tex') t.same(losses, []);
    const wanted = wordsOf(textOf(source));
    const described = document.pictures.map(({ meta }) => (meta as { description?: { text?: string } } | undefined)?.description?.text ?? '');
    const found = wordsOf([...plainWords(document), ...described].join(' '));
    t.ok(wanted.size > 5, `there are words to keep (${wanted.size})`);
    t.same(surplus(wanted, found), [], 'none is lost, each as often as it stands there');
  });
}
