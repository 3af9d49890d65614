/** No word of a fixture of any text or office format is lost: its visible text, gathered by a plain walk over the source, against the words of the document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { parse } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import t from 'tap';
import { plainWords } from '../../src/document/document-words.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { goldenDocx, goldenOdp, goldenOdt, goldenPptx } from '../support/golden-office.js';
import { readFormat } from '../support/read-format.js';

const fixture = (name: string): Uint8Array => readFileSync(join(packageRoot(), 'test/fixtures/formats', name));

/** Letters and digits, without the marks that formats write around them. */
function wordsOf(text: string): Set<string> {
  return new Set(text.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? []);
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
const sources: [name: string, format: string, bytes: () => Uint8Array, text: (bytes: Uint8Array) => string][] = [
  ['web.html', 'html', () => fixture('web.html'), (bytes) => pageText(Buffer.from(bytes).toString('utf8'))],
  ['story.txt', 'md', () => fixture('story.txt'), (bytes) => Buffer.from(bytes).toString('utf8')],
  ['table.csv', 'csv', () => fixture('table.csv'), (bytes) => Buffer.from(bytes).toString('utf8')],
  ['report.docx', 'docx', goldenDocx, (bytes) => xmlText(bytes, /^word\/(?:document|footnotes|endnotes|comments)\.xml$/, leftOfWord, /<\/w:p>|<w:(?:tab|br)\/>/g)],
  ['talk.pptx', 'pptx', goldenPptx, (bytes) => xmlText(bytes, /^ppt\/slides\/[^/]+\.xml$/, /<mc:Fallback>[\s\S]*?<\/mc:Fallback>|<m:oMath>[\s\S]*?<\/m:oMath>/g, /<\/a:p>|<a:br\/>/g)],
  ['letter.odt', 'odt', goldenOdt, (bytes) => xmlText(bytes, /^content\.xml$/, /<text:(?:tracked-changes|note-citation)\b[\s\S]*?<\/text:(?:tracked-changes|note-citation)>|<dc:[\s\S]*?<\/dc:[^>]*>|<math\b[\s\S]*?<\/math>|<office:(?:automatic-styles|font-face-decls)>[\s\S]*?<\/office:(?:automatic-styles|font-face-decls)>|<svg:(?:title|desc)>[\s\S]*?<\/svg:(?:title|desc)>/g, /<\/?text:(?:p|h)\b[^>]*>|<text:(?:s|tab|line-break)[^>]*\/>/g)],
  ['talk.odp', 'odp', goldenOdp, (bytes) => xmlText(bytes, /^content\.xml$/, /<office:(?:automatic-styles|font-face-decls)>[\s\S]*?<\/office:(?:automatic-styles|font-face-decls)>|<math\b[\s\S]*?<\/math>/g, /<\/text:(?:p|h)>|<text:(?:s|tab|line-break)[^>]*\/>/g)],
];

for (const [name, format, bytes, text] of sources) {
  t.test(`${name} keeps its words`, async (t) => {
    const source = bytes();
    const { document, losses } = await readFormat(format, source, name);
    t.same(losses, []);
    const wanted = wordsOf(text(source));
    const found = wordsOf([...plainWords(document)].join(' '));
    t.ok(wanted.size > 5, `there are words to keep (${wanted.size})`);
    t.same([...wanted].filter((word) => !found.has(word)), [], 'none is lost');
  });
}
