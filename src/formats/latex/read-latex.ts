/** LaTeX as blocks: sections, lists, tables, figures, formulas as they are written, citations, footnotes. Nothing is typeset, no file is included. */
import type { FlowBlock, FlowRun } from '../flow/flow-blocks.js';
import { missingFiles } from '../flow/missing-files.js';
import { numberLatex } from './latex-numbers.js';
import { LatexReader } from './latex-reader.js';
import { expandCommands, matchBraces, withoutComments } from './latex-source.js';

/** The blocks of a LaTeX text; its footnotes stand at its end. What is included from other files is not there, and named in `losses`. */
export function readLatex(text: string, losses: string[] = []): FlowBlock[] {
  const { source, unfinished } = expandCommands(withoutComments(text));
  if (unfinished.length > 0) losses.push(`Commands that the text defines stand for themselves or for too much, and are left out: ${unfinished.slice(0, 10).map((name) => `\\${name.slice(0, 40)}`).join(', ')}.`);
  const begin = source.indexOf('\\begin{document}');
  const stop = source.indexOf('\\end{document}', Math.max(0, begin));
  if (begin >= 0 && stop < 0) losses.push('The text ends before its document does: it is cut short.');
  const partners = matchBraces(source);
  const shared = { footnotes: [] as FlowRun[][], numbers: numberLatex(source), topLevel: /\\chapter\b/.test(source) ? 1 : 2 };
  const read = (from: number, to: number): FlowBlock[] => new LatexReader(source, partners, from, to, shared).read();
  // What a preamble includes is settings; a text in parts has its words there. Code that nothing ends goes on to the end: the end is searched for once, not from each beginning.
  const shown = source.slice(Math.max(0, begin), stop < 0 ? source.length : stop).replace(/\\begin\{(verbatim|lstlisting|minted|Verbatim)\*?\}[^]*?(?:\\end\{\1\*?\}|$)|\\verb\*?([^a-zA-Z\s*]).{0,500}?\2/g, '');
  losses.push(...missingFiles(Array.from(shown.matchAll(/\\(?:input|include|subfile|subfileinclude)\s*\{([^{}]{1,500})\}|\\(?:sub)?import\*?\s*(\{[^{}]{0,500}\}\s*\{[^{}]{1,500}\})/g), ([, name, parts = '']) => name ?? parts.replace(/[{}\s]/g, ''))));
  // Of what stands before the text only its title and authors are printed.
  const head = begin < 0 ? [] : preamble(source, begin).flatMap(([from, to]) => read(from, to));
  const body = read(begin < 0 ? 0 : begin + '\\begin{document}'.length, stop < 0 ? source.length : stop);
  const notes = shared.footnotes.map((runs, index): FlowBlock => ({ kind: 'footnote', runs: [{ text: `${index + 1}. ` }, ...runs] }));
  return [...head, ...body, ...notes];
}

/** Where the preamble names the title and the authors. */
function preamble(source: string, end: number): [number, number][] {
  const partners = matchBraces(source.slice(0, end));
  return [...source.slice(0, end).matchAll(/\\(?:title|subtitle|author|institute)\s*(?:\[[^\]]{0,500}\])?\s*(?=\{)/g)].map((match): [number, number] => [match.index, (partners[match.index + match[0].length] ?? 0) + 1]);
}
