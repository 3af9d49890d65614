/** No word is lost and none is doubled, in generated documents of every format: each word stands in the source once, and must stand in the document and in its markdown once. */
import t from 'tap';
import { plainWords } from '../../src/document/document-words.js';
import { writeMarkdown } from '../../src/document/markdown.js';
import { makeArchive, makeDocx, makeOdf, makePptx, makeXlsx } from '../support/office-files.js';
import { readFormat } from '../support/read-format.js';
import { asciidocText, countedWord, growText, jatsBody, latexText, markdownText, odfText, rtfBody, sheetRows, slideShapes, wildPage, wordBody } from '../support/word-grammars.js';
import type { Grammar } from '../support/word-grammars.js';

const seeds = process.env['CI_FULL'] === '1' ? 300 : 12;
const elements = 60;

const numbering = '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="-"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>';
const page = (text: string): string => `<!DOCTYPE html><html><body>${text}</body></html>`;
const book = (text: string): Uint8Array => makeArchive({
  mimetype: 'application/epub+zip', 'META-INF/container.xml': '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
  'a.opf': '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>', 'a.xhtml': page(text),
});
const mail = (type: string, text: string): string => `From: a@x.example\nTo: b@x.example\nSubject: s\nMIME-Version: 1.0\nContent-Type: ${type}; charset=utf-8\n\n${text}\n`;

const formats: [name: string, format: string, grammar: Grammar, make: (text: string) => string | Uint8Array][] = [
  ['html', 'html', wildPage, page],
  ['docx', 'docx', wordBody, (body) => makeDocx({ body, numbering, styles: '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>' })],
  ['odt', 'odt', odfText, (body) => makeOdf('text', { body })],
  ['xml_jats', 'xml_jats', jatsBody, (body) => `<article article-type="research-article"><body>${body}</body></article>`],
  ['rtf', 'rtf', rtfBody, (text) => `{\\rtf1\\ansi ${text}}`],
  ['xlsx', 'xlsx', sheetRows, (rows) => makeXlsx({ sheets: [{ name: 'S', xml: `<sheetData>${rows}</sheetData>` }] })],
  ['pptx', 'pptx', slideShapes, (shapes) => makePptx({ slides: [{ shapes }] })],
  ['md', 'md', markdownText, (text) => text],
  ['latex', 'latex', latexText, (text) => `\\documentclass{article}\\begin{document}${text}\\end{document}`],
  ['asciidoc', 'asciidoc', asciidocText, (text) => text],
  ['epub', 'epub', wildPage, book],
  ['email', 'email', wildPage, (text) => mail('text/html', page(text))],
];

const counted = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(countedWord)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** Words that a text has not once: `-q1z` is lost, `+q2z` doubled. A cell over several columns stands in each column of a markdown table. */
function faults(words: string[], text: string, spans = false): string[] {
  const counts = counted(text);
  return words.flatMap((word) => (counts.get(word) === 1 || spans && counts.has(word) ? [] : [`${counts.has(word) ? '+' : '-'}${word}`]));
}

for (const [name, format, grammar, make] of formats) {
  t.test(`${name}: each word once`, async (t) => {
    let total = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const { text, words } = growText(grammar, seed, elements);
      total += words.length;
      const { document } = await readFormat(format, make(text));
      const inDocument = faults(words, [...plainWords(document)].join(' '));
      const inMarkdown = faults(words, [...writeMarkdown(document, { keepFurniture: true })].join(''), /gridSpan|columns-spanned/.test(text));
      if (inDocument.length > 0 || inMarkdown.length > 0) t.same({ inDocument, inMarkdown }, { inDocument: [], inMarkdown: [] }, `seed ${seed}: ${text}`);
    }
    t.ok(total > seeds * 10, `${total} words were counted`);
  });
}
