/** The blocks of a manual page as they are gathered: a line of running text, lists inside lists, lines that stay as they are. */
import type { FlowBlock, FlowListEntry, FlowRun, FlowTableEntry, RunStyle } from '../flow/flow-blocks.js';
import { RoffText } from './roff-text.js';
import type { RoffStrings } from './roff-text.js';

interface OpenList {
  entries: FlowListEntry[];
  into: FlowBlock[];
  /** How often the page had indented when the list began. */
  indent: number;
}

/** Lists in lists: an entry that is indented deeper stands in the deepest one, because what reads the blocks calls itself for each. */
const deepestLists = 60;

const bullets = /^(?:[\u2022\u00b7*o+\u2013\u2014-]|\u2022)$/;
const counted = /^[([]?\w{1,3}[.)\]]$/;

export class PageBlocks {
  readonly blocks: FlowBlock[] = [];
  readonly text: RoffText;
  indent = 0;
  #into: FlowBlock[] = this.blocks;
  #runs: FlowRun[] = [];
  #lists: OpenList[] = [];
  #code: string[] | null = null;
  #glued = true;

  constructor(readonly strings: RoffStrings) {
    this.text = new RoffText(strings);
  }

  get isCode(): boolean {
    return this.#code !== null;
  }

  /** Runs of a line of the source: a space stands before them unless the line before ended with `\c`. */
  addRuns(runs: FlowRun[], continues = false): void {
    if (this.#code !== null) {
      const line = runs.map(({ text }) => text).join('');
      if (this.#glued && this.#code.length > 0) this.#code[this.#code.length - 1] += line;
      else this.#code.push(line);
    } else {
      if (!this.#glued && this.#runs.length > 0) this.#runs.push({ text: ' ' });
      for (const run of runs) this.#runs.push(run);
    }
    this.#glued = continues;
  }

  addText(line: string, style: RunStyle = {}): void {
    const { runs, continues } = this.text.runs(line, style);
    this.addRuns(runs, continues);
  }

  breakLine(): void {
    if (this.#code === null && this.#runs.length > 0) this.#runs.push({ text: '\n' });
    this.#glued = this.#code === null;
  }

  /** A blank line: in a program it stays, elsewhere it ends the paragraph. */
  space(): void {
    if (this.isCode) this.addText('');
    else this.flush();
  }

  /** Ends the paragraph. */
  flush(): void {
    const runs = this.#runs;
    this.#runs = [];
    this.#glued = true;
    while (runs.at(-1)?.text === '\n') runs.pop();
    if (runs.some(({ text }) => /\S/.test(text))) this.#into.push({ kind: 'paragraph', runs });
  }

  add(block: FlowBlock): void {
    this.flush();
    this.#into.push(block);
  }

  heading(level: number, runs: FlowRun[]): void {
    this.closeLists(0);
    this.indent = 0;
    this.endCode();
    this.flush();
    if (runs.length > 0) this.#into.push({ kind: 'heading', level, runs });
  }

  beginCode(): void {
    this.flush();
    this.#code ??= [];
    this.#glued = false;
  }

  endCode(): void {
    const lines = this.#code;
    this.#code = null;
    this.#glued = true;
    const text = (lines ?? []).join('\n').replace(/\u00a0/g, ' ').replace(/^\n+/, '').trimEnd();
    if (text !== '') this.#into.push({ kind: 'code', text });
  }

  /** Lists that began deeper than `indent`, or there, end: what follows stands beside them. */
  closeLists(indent: number): void {
    this.flush();
    while (this.#lists.length > 0 && (this.#lists.at(-1) as OpenList).indent >= indent) {
      const list = this.#lists.pop() as OpenList;
      this.#into = list.into;
    }
  }

  /** An entry with its tag: a bullet or a number becomes its mark, words its first line. What follows is part of it. */
  entry(tag: FlowRun[]): void {
    this.endCode();
    this.closeLists(this.indent + 1);
    this.flush();
    let list = this.#lists.at(-1);
    if (list === undefined || list.indent !== this.indent && this.#lists.length < deepestLists) {
      list = { entries: [], into: this.#into, indent: this.indent };
      this.#into.push({ kind: 'list', entries: list.entries });
      this.#lists.push(list);
    }
    const words = tag.map(({ text }) => text).join('').trim();
    const entry: FlowListEntry = { runs: [], blocks: [] };
    if (counted.test(words)) entry.marker = words;
    else if (words !== '' && !bullets.test(words)) entry.runs = tag;
    list.entries.push(entry);
    this.#into = entry.blocks;
  }

  /** Entries without a tag have their first paragraph as their line. */
  finish(): FlowBlock[] {
    this.endCode();
    this.closeLists(0);
    settle(this.blocks);
    return this.blocks;
  }
}

function settle(blocks: FlowBlock[]): void {
  for (const block of blocks) {
    if (block.kind !== 'list') continue;
    for (const entry of block.entries) {
      const [first] = entry.blocks;
      if (entry.runs.length === 0 && first?.kind === 'paragraph') {
        entry.runs = first.runs;
        entry.blocks.shift();
      }
      settle(entry.blocks);
    }
    block.entries = block.entries.filter(({ runs, blocks }) => runs.length > 0 || blocks.length > 0);
  }
}

/** A table of tbl(1): options, formats that end with a dot, rows; `T{` begins a text of several lines. Formats are read for nothing but their end. */
export function tableOf(lines: string[], text: RoffText): FlowBlock {
  let rest = lines;
  const options = /;\s*$/.test(rest[0] ?? '') ? rest[0] ?? '' : '';
  if (options !== '') rest = rest.slice(1);
  const separator = /tab\s*\((.)\)/.exec(options)?.[1] ?? '\t';
  const formatsEnd = rest.findIndex((line) => /\.\s*$/.test(line));
  const rows: FlowTableEntry[][] = [];
  let block: string[] | null = null;
  let row: string[] = [];
  const cell = (words: string): FlowTableEntry => ({ blocks: [{ kind: 'paragraph', runs: text.runs(words).runs }], rowSpan: 1, columnSpan: 1 });
  const end = (): void => {
    if (row.length > 0) rows.push(row.map((words) => cell(words)));
    row = [];
  };
  // `.T&` begins further formats, which end with a dot as the first ones do.
  let inFormats = false;
  for (const line of rest.slice(formatsEnd + 1)) {
    if (inFormats || block === null && /^\.T&/.test(line)) {
      inFormats = !(inFormats && /\.\s*$/.test(line));
      continue;
    }
    if (block !== null) {
      if (!line.startsWith('T}')) {
        block.push(line.replace(/^\.(?:[BIR]|SM|BR|nf|fi|br|sp|ad|na|PP|P|RB|BI|IR|IB|RI)\b ?/, ''));
        continue;
      }
      row.push(block.join(' '));
      block = null;
      const more = line.slice(2);
      if (more.startsWith(separator)) for (const words of more.slice(separator.length).split(separator)) row.push(words);
      if (row.at(-1) === 'T{') {
        row.pop();
        block = [];
      } else end();
      continue;
    }
    if (/^[_=]$/.test(line.trim()) || line.startsWith('.')) continue;
    for (const words of line.split(separator)) row.push(words);
    if (row.at(-1)?.trim() === 'T{') {
      row.pop();
      block = [];
    } else end();
  }
  end();
  return { kind: 'table', caption: [], rows: rows.filter((entries) => entries.some(({ blocks }) => blocks.some((one) => one.kind === 'paragraph' && one.runs.length > 0))) };
}
