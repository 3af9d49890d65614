/** Flowing documents (pages, books, mail, papers) as blocks and runs: what their readers make and the composer writes into a document. */

/** A part of a line in one style. White space at its ends counts: it decides whether its neighbours stand apart. */
export interface FlowRun {
  text: string;
  /** Default: words. A formula's text is LaTeX. */
  kind?: 'code' | 'formula' | undefined;
  bold?: boolean | undefined;
  italic?: boolean | undefined;
  underline?: boolean | undefined;
  strikethrough?: boolean | undefined;
  script?: 'sub' | 'super' | undefined;
  link?: string | undefined;
}

/** What is common to the runs of one style: all but their text. */
export type RunStyle = Omit<FlowRun, 'text'>;

export interface FlowListEntry {
  /** `1.`; left out where the list does not count. */
  marker?: string | undefined;
  /** A checkbox stands before the text. */
  checked?: boolean | undefined;
  runs: FlowRun[];
  /** What follows the entry's own line: nested lists, further paragraphs. */
  blocks: FlowBlock[];
}

export interface FlowTableEntry {
  blocks: FlowBlock[];
  rowSpan: number;
  columnSpan: number;
  /** Column header, row header, or neither. */
  header?: 'column' | 'row' | undefined;
}

export interface FlowTable {
  kind: 'table';
  /** As written: a place that a span from above or from the left covers has no entry. */
  rows: FlowTableEntry[][];
  caption: FlowRun[];
  footnotes?: FlowRun[][];
}

/** A picture's bytes as they are stored; unpacked anew at each call, which throws what archives throw. */
export type ImageBytes = () => Uint8Array;

/** `heading` counts from 1 right below the title. A picture's `alternative` is its description for those who do not see it. `furniture` holds what stands around the text: navigation, page headers. */
export type FlowBlock =
  | { kind: 'title' | 'paragraph' | 'footnote' | 'reference'; runs: FlowRun[] }
  | { kind: 'heading'; level: number; runs: FlowRun[] }
  | { kind: 'list'; entries: FlowListEntry[] }
  | { kind: 'code'; text: string; language?: string | undefined; caption?: FlowRun[] }
  | { kind: 'formula'; latex: string }
  | FlowTable
  | { kind: 'picture'; image?: ImageBytes | undefined; caption: FlowRun[]; alternative?: string | undefined }
  | { kind: 'furniture' | 'quote'; blocks: FlowBlock[] };

/** The words of runs, white space folded. */
export function wordsOf(runs: FlowRun[]): string {
  return runs.map((run) => run.text).join('').replace(/[^\S\n]+/g, ' ').replace(/ ?\n ?/g, '\n').trim();
}

/** The words of blocks, one after the other: the text of a table's cell without its layout. */
export function wordsOfBlocks(blocks: FlowBlock[]): string {
  return blocks.map(wordsOfBlock).filter((text) => text !== '').join('\n');
}

function wordsOfBlock(block: FlowBlock): string {
  switch (block.kind) {
    case 'list': return block.entries.map((entry) => [wordsOf(entry.runs), wordsOfBlocks(entry.blocks)].filter((text) => text !== '').join('\n')).join('\n');
    case 'code': return block.text;
    case 'formula': return block.latex;
    case 'table': return block.rows.map((row) => row.map((entry) => wordsOfBlocks(entry.blocks)).join(' ')).join('\n');
    case 'picture': return wordsOf(block.caption);
    case 'furniture': case 'quote': return wordsOfBlocks(block.blocks);
    default: return wordsOf(block.runs);
  }
}
