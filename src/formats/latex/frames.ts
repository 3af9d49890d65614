/** Environments that are open while LaTeX is read: what gathers in each, and the blocks it becomes at its end. */
import type { FlowBlock, FlowListEntry, FlowRun, FlowTableEntry } from '../flow/flow-blocks.js';

/** Cells of a `tabular` as they come. */
export interface OpenLatexTable {
  rows: FlowTableEntry[][];
  row: FlowTableEntry[];
  rowSpan: number;
  columnSpan: number;
}

export interface LatexFrame {
  /** As written in `\begin{…}`; empty for the text itself. */
  name: string;
  kind: 'plain' | 'list' | 'float' | 'table' | 'bibliography';
  blocks: FlowBlock[];
  runs: FlowRun[];
  entries: FlowListEntry[];
  /** Of a list that counts: the next number. */
  number: number | null;
  caption: FlowRun[];
  table: OpenLatexTable | null;
  /** How many styles were open at its begin. */
  styles: number;
}

const lists = new Set(['itemize', 'enumerate', 'description', 'compactitem', 'compactenum', 'inparaenum', 'asparaitem', 'asparaenum', 'trivlist']);
const floats = new Set(['figure', 'table', 'wrapfigure', 'wraptable', 'subfigure', 'subtable', 'sidewaystable', 'sidewaysfigure', 'longtable', 'algorithm', 'listing', 'teaserfigure', 'SCfigure']);
const tables = new Set(['tabular', 'tabularx', 'tabulary', 'longtable', 'array', 'supertabular', 'tblr', 'xltabular']);

export function openFrame(name: string, styles: number): LatexFrame {
  const bare = name.replace(/\*$/, '');
  const kind = lists.has(bare) ? 'list' : tables.has(bare) ? 'table' : floats.has(bare) ? 'float' : bare === 'thebibliography' ? 'bibliography' : 'plain';
  return {
    name, kind, blocks: [], runs: [], entries: [], number: /enum/.test(bare) ? 1 : null, caption: [],
    table: kind === 'table' ? { rows: [], row: [], rowSpan: 1, columnSpan: 1 } : null, styles,
  };
}

/** The text since the last paragraph ended, as a paragraph. */
export function endParagraph(frame: LatexFrame): void {
  if (frame.runs.some((run) => run.text.trim() !== '')) frame.blocks.push({ kind: 'paragraph', runs: frame.runs });
  frame.runs = [];
}

/** Ends the entry that is open in a list. */
export function endEntry(frame: LatexFrame): void {
  endParagraph(frame);
  const entry = frame.entries.at(-1);
  if (entry === undefined) return;
  const [first, ...rest] = frame.blocks;
  if (first?.kind === 'paragraph' && entry.blocks.length === 0) {
    entry.runs.push(...first.runs);
    entry.blocks.push(...rest);
  } else for (const block of frame.blocks) entry.blocks.push(block);
  frame.blocks = [];
}

export function endCell(frame: LatexFrame): void {
  const { table } = frame;
  if (table === null) return;
  endParagraph(frame);
  table.row.push({ blocks: frame.blocks, rowSpan: table.rowSpan, columnSpan: table.columnSpan });
  frame.blocks = [];
  table.rowSpan = 1;
  table.columnSpan = 1;
}

export function endRow(frame: LatexFrame): void {
  const { table } = frame;
  if (table === null) return;
  endCell(frame);
  // Behind the last row's end stand rules alone.
  if (table.row.length > 1 || (table.row[0]?.blocks.length ?? 0) > 0) table.rows.push(table.row);
  table.row = [];
}

/** Places below a cell of several rows are written, empty, in LaTeX; as a grid they are the cell's own. */
function withoutCovered(rows: FlowTableEntry[][]): FlowTableEntry[][] {
  const until: number[] = [];
  return rows.map((row, y) => {
    let column = 0;
    return row.filter((entry) => {
      const covered = (until[column] ?? 0) > y && entry.blocks.length === 0;
      if (!covered) for (let x = column; x < column + Math.min(entry.columnSpan, 1000); x++) until[x] = y + entry.rowSpan;
      column += Math.min(entry.columnSpan, 1000);
      return !covered;
    });
  });
}

/** The blocks that the environment becomes. */
export function closeFrame(frame: LatexFrame): FlowBlock[] {
  if (frame.kind === 'list' || frame.kind === 'bibliography') {
    endEntry(frame);
    const list: FlowBlock[] = [...frame.blocks, { kind: 'list', entries: frame.entries }];
    return frame.kind === 'list' ? list : [{ kind: 'heading', level: 1, runs: [{ text: 'References' }] }, ...list];
  }
  if (frame.table !== null) {
    endRow(frame);
    const rows = withoutCovered(frame.table.rows).map((row, index) => row.map((entry) => (index === 0 ? { ...entry, header: 'column' as const } : entry)));
    return [{ kind: 'table', rows, caption: frame.caption }];
  }
  endParagraph(frame);
  if (frame.kind !== 'float') return frame.blocks;
  const owner = frame.blocks.find((block) => block.kind === 'table' || block.kind === 'picture' || block.kind === 'code');
  if (owner === undefined) return frame.caption.length === 0 ? frame.blocks : [...frame.blocks, { kind: 'paragraph', runs: frame.caption }];
  if (frame.caption.length > 0) owner.caption = frame.caption;
  return frame.blocks;
}
