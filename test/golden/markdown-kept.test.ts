/** The markdown that people keep: every golden file through a parser of GitHub's kind, and through pandoc where it is installed, against the words of the document; escapes and HTML only where they are needed. */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import markdownIt from 'markdown-it';
import { parse } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import t from 'tap';
import { plainWords } from '../../src/document/document-words.js';
import { writeMarkdown } from '../../src/document/markdown.js';
import { readDocument } from '../../src/document/read-document.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { makeDocument } from '../support/made-document.js';

const directory = join(packageRoot(), 'test/fixtures/formats');
const documents = readdirSync(directory).filter((name) => name.endsWith('.md.json') || /\.(?!md)\w+\.json$/.test(name)).map((name) => name.replace(/\.json$/, ''));
const parser = markdownIt({ html: true, linkify: false });
const pandoc = spawnSync('pandoc', ['--version']).status === 0;

/** Text of a page, and the text of formulas and alternative texts, as words. */
function pageWords(page: string): string[] {
  const parts: string[] = [];
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === '#text') parts.push((node as DefaultTreeAdapterTypes.TextNode).value);
    if ('childNodes' in node) node.childNodes.forEach(walk);
    if (/^(?:p|li|td|th|h\d|pre|br|tr)$/.test(node.nodeName)) parts.push(' ');
  };
  walk(parse(page));
  return wordsOf(parts.join(''));
}

const wordsOf = (text: string): string[] => text.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? [];

/** What `from` has more of than `other`. */
function surplus(from: string[], other: string[]): string[] {
  const left = new Map<string, number>();
  for (const word of other) left.set(word, (left.get(word) ?? 0) + 1);
  return from.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
}

const read = (name: string): { markdown: string; words: string[] } => {
  const document = readDocument(readFileSync(join(directory, `${name}.json`), 'utf8'));
  const markdown = [...writeMarkdown(document, { keepFurniture: true })].join('');
  // Numbers of entries are marks of markdown, and hidden sheets are in the JSON alone.
  for (const item of document.texts) {
    if ('marker' in item) item.marker = '';
    if (item.content_layer === 'invisible') item.text = '';
  }
  for (const table of document.tables) if (table.content_layer === 'invisible') table.data.table_cells = [];
  return { markdown, words: wordsOf([...plainWords(document)].join(' ')) };
};

t.test('through markdown-it: no word is lost', (t) => {
  t.ok(documents.length > 20, `${documents.length} documents`);
  for (const name of documents) {
    const { markdown, words } = read(name);
    // A note and a claim that begin with their number are entries of a list in markdown, and the number is their mark.
    t.same(surplus(words, pageWords(parser.render(markdown))).filter((word) => !['manual.adoc', 'grant.xml'].includes(name) || word !== '1'), [], name);
  }
  t.end();
});

t.test('through pandoc: no word is lost', { skip: pandoc ? false : 'pandoc is not installed' }, (t) => {
  for (const name of documents) {
    const { markdown, words } = read(name);
    const { stdout, status } = spawnSync('pandoc', ['-f', 'gfm', '-t', 'html', '--wrap=none'], { input: markdown, encoding: 'utf8' });
    t.equal(status, 0, name);
    // Marks of footnotes that stand in the text as they were written are notes for pandoc, and their numbers its own.
    t.same(surplus(words, pageWords(stdout)).filter((word) => !/^\d$|^footnote$/.test(word)), [], name);
  }
  t.end();
});

t.test('made documents: blocks stay what they are', (t) => {
  for (let seed = 1; seed <= (process.env['CI_FULL'] === '1' ? 200 : 20); seed++) {
    const { document } = makeDocument(seed, 25);
    // The words of pictures and of code in a line are not shown, or not in the same way.
    const wanted = document.texts.filter(({ parent, label }) => parent?.$ref.startsWith('#/pictures/') !== true && label !== 'formula' && label !== 'caption').flatMap(({ text }) => text.match(/w\d+/g) ?? []);
    const shown = new Set(parser.render([...writeMarkdown(document, { keepFurniture: true })].join('')).match(/w\d+/g));
    t.same(wanted.filter((word) => !shown.has(word)), [], `seed ${seed}`);
  }
  t.end();
});

t.test('escapes only where a parser would take the character for its own, but for underscores, which docling always escapes', (t) => {
  for (const name of documents) {
    for (const block of read(name).markdown.split('\n\n')) {
      if (/^\s*(?:```|\||<)/.test(block)) continue;
      for (const { index } of block.matchAll(/\\[*~`[\]#>+!-]/g)) {
        const bare = block.slice(0, index) + block.slice(index + 1);
        t.not(parser.render(bare), parser.render(block), `${name}: ${block.slice(Math.max(0, index - 20), index + 20)}`);
      }
    }
  }
  t.end();
});
