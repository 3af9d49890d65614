/** Markdown as blocks: CommonMark with GFM's tables, struck words and checkboxes, the HTML inside it read as HTML, formulas kept as LaTeX. */
import MarkdownIt from 'markdown-it';
import { LecternError } from '../errors.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { readHtml } from './html/read-html.js';
import type { HtmlReaderOptions } from './html/read-html.js';

const parser = new MarkdownIt({ html: true, linkify: false, typographer: false, maxNesting: 100 });

/** Columns from which a line is code. */
const codeIndentation = 4;

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

// `$…$`, `$$…$$`, `\(…\)` and `\[…\]`, as pandoc and GitHub have them: no space inside single dollars, no digit after them.
parser.inline.ruler.before('escape', 'formula', (state, silent) => {
  const { src, pos } = state;
  const opening = ['$$', '$', '\\(', '\\['].find((mark) => src.startsWith(mark, pos));
  if (opening === undefined) return false;
  const closing = opening === '\\(' ? '\\)' : opening === '\\[' ? '\\]' : opening;
  const begin = pos + opening.length;
  // A formula is short: a page of lone dollars is not searched again and again to its end.
  const window = src.slice(begin, begin + 2000);
  const length = window.indexOf(closing);
  const latex = window.slice(0, length);
  if (length <= 0 || latex.trim() === '' || opening.startsWith('\\') && window[length - 1] === '\\') return false;
  if (opening === '$' && (/^\s|\s$|\n\n|\\$/.test(latex) || /[0-9]/.test(src[begin + length + 1] ?? ''))) return false;
  if (opening === '$' && !/[\\^_={}]|^[A-Za-z]$|^[A-Za-z][+\-*/<>]/.test(latex)) return false;
  if (!silent) {
    const token = state.push('formula', 'math', 0);
    token.content = latex.trim();
    token.block = opening === '$$' || opening === '\\[';
  }
  state.pos = begin + length + closing.length;
  return true;
});
parser.renderer.rules.formula = (tokens, index) => {
  const token = tokens[index];
  return `<math${token?.block === true ? ' display="block"' : ''} alttext="${escaped(token?.content ?? '').replace(/"/g, '&quot;')}"></math>`;
};

// A footnote of one word has the form of an address that a link refers to (`[^1]: word`): it is text, up to the next blank line or the next note.
parser.block.ruler.before('reference', 'footnote', (state, startLine, endLine, silent) => {
  const lineAt = (line: number): string => state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
  if (!/^\[\^[^\]\s]+\]:/.test(lineAt(startLine)) || (state.sCount[startLine] ?? 0) - state.blkIndent >= codeIndentation) return false;
  if (silent) return true;
  // It ends where a paragraph does: before a heading, a list, a fence ...
  const blocks = state.md.block.ruler.getRules('paragraph');
  const endsBefore = (line: number): boolean => state.isEmpty(line) || (state.sCount[line] ?? 0) < state.blkIndent || lineAt(line).startsWith('[^') || blocks.some((rule) => rule(state, line, endLine, true));
  let next = startLine + 1;
  while (next < endLine && !endsBefore(next)) next++;
  state.push('paragraph_open', 'p', 1).map = [startLine, next];
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(startLine, next, state.blkIndent, false).trim();
  inline.map = [startLine, next];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = next;
  return true;
});

// An entry that begins with `[ ]` or `[x]` has a checkbox.
parser.core.ruler.after('inline', 'checkboxes', (state) => {
  for (const [index, token] of state.tokens.entries()) {
    const first = token.children?.[0];
    if (token.type !== 'inline' || first?.type !== 'text' || state.tokens[index - 2]?.type !== 'list_item_open') continue;
    const box = /^\[([ xX])\]\s+/.exec(first.content);
    if (box === null) continue;
    first.content = first.content.slice(box[0].length);
    const html = new state.Token('html_inline', '', 0);
    html.content = `<input type="checkbox"${box[1] === ' ' ? '' : ' checked'}>`;
    token.children?.unshift(html);
  }
});

// A line's end inside a paragraph is a space; the place of an empty heading or entry stays empty.
parser.renderer.rules.softbreak = () => ' ';

/** The front matter that site generators put before a text: keys and values, not content. */
function withoutFrontMatter(text: string): string {
  if (!/^---[^\S\n]*\n/.test(text)) return text;
  let at = text.indexOf('\n') + 1;
  for (let lines = 0; lines < 500 && at < text.length; lines++) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end).trimEnd();
    at = end < 0 ? text.length : end + 1;
    if (line === '---' || line === '...') return lines === 0 ? text : text.slice(at);
    // Keys, their further lines, entries of lists, comments.
    if (line !== '' && !/^(?:[\w"'-][^:]{0,200}:|\s|- |#)/.test(line)) return text;
  }
  return text;
}

/** Position marks of models that read pages, one for each block. */
const groundingMarks = /<\|ref\|>[^<\n]*<\|\/ref\|>(?:<\|det\|>[^<\n]*<\|\/det\|>)?[^\S\n]*\n?/g;

/** The parser leaves out what is nested deeper than it goes: quotes in quotes and lists in lists are brought up to where it still reads. */
const deepestQuote = 40;
const deepestIndentation = 90;
const deepItems = new RegExp(`^ {${deepestIndentation},}(?=(?:[-*+]|\\d{1,9}[.)]) )`, 'gm');
/** On one line: quotes, and entries of lists, which begin with a mark and a space. */
const opening = '[ \\t]{0,3}(?:>|(?:[-*+]|\\d{1,9}[.)])(?=[ \\t]))';
const deepQuotes = new RegExp(`^((?:${opening}){${deepestQuote}})(?:${opening})+`, 'gm');

/** Cells of all tables: parsed, each takes some two kilobytes on its way. */
const mostCells = 600_000;

function checkCells(text: string): void {
  let cells = 0;
  for (const [row] of text.matchAll(/^ {0,3}\|.*$/gm)) {
    for (let at = row.indexOf('|', row.indexOf('|') + 1); at >= 0; at = row.indexOf('|', at + 1)) cells++;
    if (cells > mostCells) throw new LecternError('too_large', `The text has tables of more than ${mostCells.toLocaleString('en')} cells.`);
  }
}

/** The blocks of a markdown text. Throws LecternError `too_large`. */
export function readMarkdown(text: string, options: HtmlReaderOptions = {}): FlowBlock[] {
  const plain = withoutFrontMatter(text.replace(/\r\n?/g, '\n')).replace(groundingMarks, '').replace(deepQuotes, '$1').replace(deepItems, ' '.repeat(deepestIndentation));
  checkCells(plain);
  return readHtml(parser.render(plain), { ...options, keepAll: true });
}
