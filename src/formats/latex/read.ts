/** LaTeX as blocks: sections, lists, tables, figures, formulas as they are written, citations, footnotes. Nothing is typeset, no file is included. */
import type { Block, Run } from '../flow/blocks.js';
import { LatexReader } from './reader.js';
import { expandCommands, matchBraces, withoutComments } from './source.js';

/** The blocks of a LaTeX text; its footnotes stand at its end. What is included from other files is not there. */
export function readLatex(text: string): Block[] {
  const source = expandCommands(withoutComments(text));
  const begin = source.indexOf('\\begin{document}');
  const stop = source.indexOf('\\end{document}', Math.max(0, begin));
  const partners = matchBraces(source);
  const shared = { footnotes: [] as Run[][], topLevel: /\\chapter\b/.test(source) ? 1 : 2 };
  const read = (from: number, to: number): Block[] => new LatexReader(source, partners, from, to, shared).read();
  // Of what stands before the text only its title and authors are printed.
  const head = begin < 0 ? [] : preamble(source, begin).flatMap(([from, to]) => read(from, to));
  const body = read(begin < 0 ? 0 : begin + '\\begin{document}'.length, stop < 0 ? source.length : stop);
  const notes = shared.footnotes.map((runs, index): Block => ({ kind: 'footnote', runs: [{ text: `${index + 1}. ` }, ...runs] }));
  return [...head, ...body, ...notes];
}

/** Where the preamble names the title and the authors. */
function preamble(source: string, end: number): [number, number][] {
  const partners = matchBraces(source.slice(0, end));
  return [...source.slice(0, end).matchAll(/\\(?:title|subtitle|author|institute)\s*(?:\[[^\]]{0,500}\])?\s*(?=\{)/g)].map((match): [number, number] => [match.index, (partners[match.index + match[0].length] ?? 0) + 1]);
}
