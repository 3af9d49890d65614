/** A text that was written as RTF: paragraphs with their formatting, lists by their markers, headings by their outline level, tables, pictures, notes. */
import type { FlowBlock, FlowListEntry, FlowRun, FlowTableEntry } from '../flow/flow-blocks.js';
import { walkRtf } from './walk-rtf.js';
import type { RtfState, RtfVisitor } from './walk-rtf.js';

/** Properties of a paragraph, until `\pard` resets them. */
interface ParagraphState {
  /** How many tables it stands in. */
  depth: number;
  outline: number | null;
  level: number;
}

interface OpenRtfList {
  level: number;
  counts: boolean;
  entries: FlowListEntry[];
}

interface OpenRtfTable {
  rows: FlowTableEntry[][];
  row: FlowTableEntry[];
  cell: FlowBlock[];
}

/** Tables in tables: deeper ones are read as part of these. */
const deepestTable = 6;

const isCounter = (marker: string): boolean => /^\(?(?:\d+(?:\.\d+)*|[a-z]{1,4}|[A-Z]{1,4})[.)]?$/.test(marker) && marker !== 'o';

class RtfBlocks implements RtfVisitor {
  readonly #blocks: FlowBlock[] = [];
  #runs: FlowRun[] = [];
  #paragraph: ParagraphState = { depth: 0, outline: null, level: 0 };
  #lists: OpenRtfList[] = [];
  #marker: string | null = null;
  /** Outermost first. */
  readonly #tables: OpenRtfTable[] = [];
  /** What a field does, until its result is shown. */
  #instruction = '';
  #link: string | undefined;
  #picture: { hex: string[]; isBitmap: boolean } | null = null;
  /** The lines around the notes and text boxes that are being read, the innermost last. */
  readonly #aroundNotes: { runs: FlowRun[]; paragraph: ParagraphState; isBox: boolean }[] = [];
  #notes: FlowBlock[] = [];
  /** Text boxes of the paragraph: they follow it. */
  #boxes: FlowBlock[] = [];

  text(text: string, state: RtfState): void {
    if (state.destination === 'instruction') this.#instruction += text;
    else if (state.destination === 'marker') this.#marker = (this.#marker ?? '') + text;
    else if (state.destination === 'picture') this.#picture?.hex.push(text);
    else if (state.destination !== 'markup' && !state.hidden) this.#run(text, state);
  }

  #run(text: string, { bold, italic, underline, strikethrough, script, link }: RtfState): void {
    this.#runs.push({ text, bold, italic, underline, strikethrough, script, link });
  }

  begin(): void {
    // A group's first control word decides what it does.
  }

  end(state: RtfState): void {
    // A group in a note has the note's destination too: it ends nothing.
    if (!state.isOutermost) return;
    if (state.destination === 'instruction') {
      const [, quoted, bare] = /^\s*HYPERLINK\s+(?:"([^"]+)"|([^"\s\\]\S*))/i.exec(this.#instruction) ?? [];
      this.#link = quoted ?? bare;
    } else if (state.destination === 'picture' && this.#picture !== null) {
      this.#endPicture(this.#picture);
      this.#picture = null;
    } else if (state.destination === 'note') this.#endNote();
  }

  word(name: string, value: number | null, state: RtfState): void {
    switch (name) {
      case 'par': case 'sect': case 'page': this.#endParagraph(); return;
      case 'line': this.#run('\n', state); return;
      case 'tab': this.text('\t', state); return;
      case 'pard': this.#paragraph = { depth: 0, outline: null, level: 0 }; return;
      case 'intbl': this.#paragraph.depth ||= 1; return;
      case 'itap': this.#paragraph.depth = Math.max(0, Math.min(value ?? 1, deepestTable)); return;
      case 'outlinelevel': this.#paragraph.outline = value !== null && value >= 0 ? value : null; return;
      case 'ilvl': this.#paragraph.level = Math.max(0, Math.min(value ?? 0, 8)); return;
      case 'cell': this.#endCell(1); return;
      case 'nestcell': this.#endCell(Math.max(2, this.#paragraph.depth)); return;
      case 'row': this.#endRow(1); return;
      case 'nestrow': this.#endRow(Math.max(2, this.#tables.length)); return;
      case 'fldinst': this.#instruction = ''; return;
      case 'fldrslt': state.link = this.#link; this.#link = undefined; return;
      case 'pict': this.#picture = { hex: [], isBitmap: false }; return;
      case 'pngblip': case 'jpegblip': if (this.#picture !== null) this.#picture.isBitmap = true; return;
      case 'footnote': case 'annotation': case 'shptxt':
        this.#aroundNotes.push({ runs: this.#runs, paragraph: { ...this.#paragraph }, isBox: name === 'shptxt' });
        this.#runs = [];
    }
  }

  #endPicture({ hex, isBitmap }: { hex: string[]; isBitmap: boolean }): void {
    const digits = hex.join('').replace(/[^0-9a-fA-F]/g, '');
    if (digits.length === 0) return;
    // Metafiles of Windows are pictures that cannot be drawn here.
    this.#put({ kind: 'picture', caption: [], ...(isBitmap && { image: () => Buffer.from(digits, 'hex') }) });
  }

  /** The line that the note stands in goes on. */
  #endNote(): void {
    const around = this.#aroundNotes.pop();
    if (around === undefined) return;
    if (this.#runs.some(({ text }) => /\S/.test(text))) {
      if (around.isBox) this.#boxes.push({ kind: 'paragraph', runs: this.#runs });
      else this.#notes.push({ kind: 'footnote', runs: this.#runs });
    }
    this.#runs = around.runs;
    this.#paragraph = around.paragraph;
  }

  #endParagraph(): void {
    if (this.#aroundNotes.length > 0) {
      this.#runs.push({ text: '\n' });
      return;
    }
    const [runs, marker] = [this.#runs, this.#marker?.trim() ?? null];
    this.#runs = [];
    this.#marker = null;
    const boxes = this.#boxes.splice(0);
    if (runs.some(({ text }) => /\S/.test(text))) this.#putParagraph(runs, marker);
    for (const box of boxes) this.#put(box);
  }

  #putParagraph(runs: FlowRun[], marker: string | null): void {
    const { outline, level } = this.#paragraph;
    if (marker !== null && outline === null) this.#listEntry(level, { runs, blocks: [], ...(isCounter(marker) && { marker }) });
    else if (outline !== null && outline < 6) this.#put({ kind: 'heading', level: outline + 1, runs: marker === null ? runs : [{ text: `${marker} ` }, ...runs] });
    else this.#put({ kind: 'paragraph', runs });
  }

  #put(block: FlowBlock): void {
    this.#lists = [];
    this.#place(this.#paragraph.depth).push(block);
  }

  /** Where blocks go that stand in so many tables: deeper ones end there. */
  #place(depth: number): FlowBlock[] {
    while (this.#tables.length > depth) {
      const { rows, row, cell } = this.#tables.pop() as OpenRtfTable;
      if (cell.length > 0) row.push({ blocks: cell, rowSpan: 1, columnSpan: 1 });
      if (row.length > 0) rows.push(row);
      const around = this.#tables.at(-1)?.cell ?? this.#blocks;
      // One cell is a frame, and an empty table shows nothing.
      if (rows.length === 1 && rows[0]?.length === 1) around.push(...(rows[0][0] as FlowTableEntry).blocks);
      else if (rows.some((cells) => cells.some(({ blocks }) => blocks.length > 0))) around.push({ kind: 'table', rows, caption: [] });
    }
    while (this.#tables.length < depth) this.#tables.push({ rows: [], row: [], cell: [] });
    return this.#tables.at(-1)?.cell ?? this.#blocks;
  }

  #listEntry(level: number, entry: FlowListEntry): void {
    const counts = entry.marker !== undefined;
    while ((this.#lists.at(-1)?.level ?? -1) > level) this.#lists.pop();
    // Points after numbers are another list.
    if (this.#lists.at(-1)?.level === level && this.#lists.at(-1)?.counts !== counts) this.#lists.pop();
    let list = this.#lists.at(-1);
    if (list?.level !== level) {
      const parent = list?.entries.at(-1);
      list = { level, counts, entries: [] };
      if (parent === undefined) this.#put({ kind: 'list', entries: list.entries });
      else parent.blocks.push({ kind: 'list', entries: list.entries });
      this.#lists.push(list);
    }
    list.entries.push(entry);
  }

  #endCell(depth: number): void {
    this.#paragraph.depth = Math.min(depth, deepestTable);
    this.#endParagraph();
    this.#lists = [];
    this.#place(this.#paragraph.depth);
    const table = this.#tables.at(-1) as OpenRtfTable;
    table.row.push({ blocks: table.cell, rowSpan: 1, columnSpan: 1 });
    table.cell = [];
  }

  #endRow(depth: number): void {
    this.#place(Math.min(depth, deepestTable));
    const table = this.#tables.at(-1) as OpenRtfTable;
    if (table.row.length > 0) table.rows.push(table.row);
    table.row = [];
  }

  finish(): FlowBlock[] {
    this.#endParagraph();
    return [...this.#place(0), ...this.#notes];
  }
}

/** The blocks of an RTF. Throws LecternError `too_large`. */
export function readRtf(bytes: Uint8Array): FlowBlock[] {
  const blocks = new RtfBlocks();
  walkRtf(bytes, blocks);
  return blocks.finish();
}
