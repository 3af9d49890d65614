/** A line's runs put in order: white space folded and moved out of the styles, neighbours of one style joined; then written as any reader's. */
import type { DocumentBuilder, NodeOptions, TextOptions } from '../../document/builder.js';
import type { DocumentNode, Formatting } from '../../document/model.js';
import { addParagraph as addRunsAsParagraph, addRuns } from '../inline-runs.js';
import type { StyledRun } from '../inline-runs.js';
import { wordsOf } from './flow-blocks.js';
import type { FlowRun } from './flow-blocks.js';

function sameStyle(a: FlowRun, b: FlowRun): boolean {
  return a.kind === b.kind && a.link === b.link && a.script === b.script && a.bold === b.bold && a.italic === b.italic && a.underline === b.underline
    && a.strikethrough === b.strikethrough;
}

/** Neighbours of one style as one; formulas stay apart, because two are never one. */
function joined(runs: FlowRun[]): FlowRun[] {
  if (runs.length === 1 && runs[0]?.text !== '') return runs;
  const groups: FlowRun[] = [];
  for (const run of runs) {
    if (run.text === '') continue;
    const last = groups.at(-1);
    // White space belongs to any style: it does not part two runs of the same.
    if (last !== undefined && run.kind !== 'formula' && (sameStyle(last, run) || run.kind === undefined && /^[^\S\n]+$/.test(run.text))) last.text += run.text;
    else groups.push({ ...run });
  }
  return groups;
}

function formattingOf({ bold, italic, underline, strikethrough, script }: FlowRun): Partial<Formatting> | undefined {
  if (!bold && !italic && !underline && !strikethrough && script === undefined) return undefined;
  return { bold: bold ?? false, italic: italic ?? false, underline: underline ?? false, strikethrough: strikethrough ?? false, ...(script && { script }) };
}

/** The pieces of a line: trimmed, without empty ones, each with whether a space stands before it. Line ends (`\n`) stay. */
export function settleRuns(runs: FlowRun[]): StyledRun[] {
  const pieces: StyledRun[] = [];
  let space = true;
  for (const run of joined(runs)) {
    const folded = run.kind === 'formula' ? run.text : run.text.replace(/[ \t\r\f\v]+/g, ' ').replace(/ ?\n ?/g, '\n');
    const text = folded.replace(/^ +| +$/g, '');
    if (text === '') {
      space = true;
      continue;
    }
    const glued = pieces.length > 0 && !space && !folded.startsWith(' ');
    pieces.push({ kind: run.kind ?? 'text', text, glued, formatting: formattingOf(run), hyperlink: run.link });
    space = folded.endsWith(' ');
  }
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first !== undefined) first.text = first.text.trimStart();
  if (last !== undefined) last.text = last.text.trimEnd();
  return pieces.filter((piece) => piece.text !== '');
}

/** An item made by `add` with the runs as its text; null, and no item, where they hold no words. */
export function addItem<Item extends DocumentNode>(
  builder: DocumentBuilder, runs: FlowRun[], add: (text: string, options: TextOptions) => Item,
): Item | null {
  const pieces = settleRuns(runs);
  const [first] = pieces;
  if (first === undefined) return null;
  if (pieces.length === 1 && first.kind === 'text') return add(first.text, { formatting: first.formatting, hyperlink: first.hyperlink });
  const item = add('', { orig: wordsOf(runs) });
  addRuns(builder, pieces, { parent: item });
  return item;
}

/** A paragraph as one node: a text, a formula, a block of code, or a group of runs. Null where there is nothing to write. */
export function addParagraph(builder: DocumentBuilder, runs: FlowRun[], options: NodeOptions): DocumentNode | null {
  return addRunsAsParagraph(builder, settleRuns(runs), options);
}
