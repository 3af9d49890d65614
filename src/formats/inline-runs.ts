/** The inline contents of a paragraph: runs of text with their styles, gathered by a reader and written as one item or as a group of runs. */
import type { DocumentBuilder, TextOptions } from '../document/builder.js';
import type { DocumentNode, Formatting, GroupItem, ListItem } from '../document/model.js';

export interface Look {
  formatting?: Partial<Formatting> | undefined;
  hyperlink?: string | undefined;
}

export interface StyledRun extends Look {
  kind: 'text' | 'formula' | 'code';
  /** Without white space at its ends; of a formula LaTeX. */
  text: string;
  /** No space stands between this run and the one before. */
  glued: boolean;
}

const keys = ['bold', 'italic', 'underline', 'strikethrough'] as const;

const none: Partial<Formatting> = {};
const plain: Look = {};

function sameLook(one: Look, other: Look): boolean {
  if (one.hyperlink !== other.hyperlink) return false;
  const a = one.formatting ?? none;
  const b = other.formatting ?? none;
  return a === b || (a.script ?? 'baseline') === (b.script ?? 'baseline') && keys.every((key) => (a[key] ?? false) === (b[key] ?? false));
}

function isPlain(look: Look): boolean {
  return look.hyperlink === undefined && sameLook(look, plain);
}

/** Collects a paragraph in reading order; neighbours that look alike become one run. */
export class InlineText {
  readonly #pieces: (Look & { kind: StyledRun['kind']; text: string })[] = [];

  add(text: string, look: Look = {}): void {
    if (text === '') return;
    const last = this.#pieces.at(-1);
    const blank = text.trim() === '';
    // A space has no look: it belongs to what stands before it, so that words are not cut apart by it.
    if (last?.kind === 'text' && (blank || sameLook(last, look))) last.text += text;
    else this.#pieces.push({ kind: 'text', text, formatting: blank ? undefined : look.formatting, hyperlink: blank ? undefined : look.hyperlink });
  }

  addFormula(latex: string): void {
    if (latex !== '') this.#pieces.push({ kind: 'formula', text: latex });
  }

  addCode(text: string, look: Look = {}): void {
    if (text.trim() !== '') this.#pieces.push({ kind: 'code', text, ...look });
  }

  get isEmpty(): boolean {
    return this.#pieces.every(({ text }) => text.trim() === '');
  }

  /** What a reader of the paragraph sees, formulas between dollar signs; white space within stays. */
  get plain(): string {
    return this.#pieces.map(({ kind, text }) => (kind === 'formula' ? `$${text}$` : text)).join('').trim();
  }

  /** All text as it stands, with the white space at its ends: for code. */
  get source(): string {
    return this.#pieces.map(({ text }) => text).join('');
  }

  runs(): StyledRun[] {
    const runs: StyledRun[] = [];
    let last: StyledRun | null = null;
    let spaced = true;
    for (const piece of this.#pieces) {
      const { kind, text } = piece;
      const trimmed = text.trim();
      if (trimmed === '') {
        spaced ||= text !== '';
        continue;
      }
      const glued = !spaced && trimmed.charCodeAt(0) === text.charCodeAt(0);
      // A blank between two alike was in the way of joining them while the paragraph was gathered.
      if (last?.kind === 'text' && kind === 'text' && sameLook(last, piece)) last.text += `${glued ? '' : ' '}${trimmed}`;
      else runs.push((last = { kind, text: trimmed, glued: glued && last !== null, formatting: piece.formatting, hyperlink: piece.hyperlink }));
      spaced = trimmed.charCodeAt(trimmed.length - 1) !== text.charCodeAt(text.length - 1);
    }
    return runs;
  }
}

function textOptions(run: StyledRun, options: TextOptions): TextOptions {
  if (isPlain(run)) return options;
  return { ...options, hyperlink: run.hyperlink, formatting: sameLook({ formatting: run.formatting }, plain) ? undefined : run.formatting };
}

/** Runs as an inline group: the text of its parent where that is an item, else a paragraph of its own. */
export function addRuns(builder: DocumentBuilder, runs: StyledRun[], options: TextOptions): GroupItem {
  const parent = builder.addInlineGroup({ parent: options.parent, layer: options.layer });
  for (const run of runs) {
    const own = textOptions(run, { layer: options.layer, at: options.at, parent, glued: run.glued });
    if (run.kind === 'formula') builder.addFormula(run.text, { parent, layer: options.layer, at: options.at, glued: run.glued });
    else if (run.kind === 'code') builder.addCode(run.text, own);
    else builder.addText('text', run.text, own);
  }
  return parent;
}

/** A paragraph as one node: a text, a formula, or a group of runs. Null where there is nothing to write. */
export function addParagraph(
  builder: DocumentBuilder, runs: StyledRun[], options: TextOptions & { label?: 'text' | 'footnote' | 'caption' | undefined } = {},
): DocumentNode | null {
  const { label = 'text', ...rest } = options;
  const [only] = runs;
  if (only === undefined) return null;
  if (runs.length > 1) {
    if (runs.every(({ kind }) => kind === 'formula')) return addFormulas(builder, runs, rest);
    if (label === 'text') return addRuns(builder, runs, rest);
    const owner = builder.addText(label, '', rest);
    addRuns(builder, runs, { layer: rest.layer, at: rest.at, parent: owner });
    return owner;
  }
  if (only.kind === 'formula') return builder.addFormula(only.text, rest);
  if (only.kind === 'code') return builder.addCode(only.text, rest);
  return builder.addText(label, only.text, textOptions(only, rest));
}

/**
 * A heading made by `add`: its text itself, or, where scripts stand in it, runs of which only the scripts keep their style: `CO2` is
 * another word than `CO<sub>2</sub>`, while bold type in a heading says nothing.
 */
export function addHeadingLine(builder: DocumentBuilder, runs: StyledRun[], text: string, add: (text: string, options: TextOptions) => DocumentNode): void {
  const scriptOf = (run: StyledRun): 'baseline' | 'sub' | 'super' => run.formatting?.script ?? 'baseline';
  if (runs.every((run) => scriptOf(run) === 'baseline')) {
    add(text, {});
    return;
  }
  const item = add('', { orig: text });
  addRuns(builder, runs.map((run) => ({ ...run, text: run.text.replace(/\s+/g, ' '), hyperlink: undefined, formatting: scriptOf(run) === 'baseline' ? undefined : { script: scriptOf(run) } })), { parent: item });
}

/** Formulas that fill a paragraph stand each in a line of its own. */
function addFormulas(builder: DocumentBuilder, runs: StyledRun[], options: TextOptions): DocumentNode {
  const [first] = runs.map(({ text }) => builder.addFormula(text, options));
  return first as DocumentNode;
}

/** A list item: its text itself, or its runs below it. */
export function addItem(
  builder: DocumentBuilder, list: GroupItem, runs: StyledRun[], options: TextOptions & { marker?: string | undefined; enumerated?: boolean | undefined } = {},
): ListItem {
  const [only] = runs;
  if (runs.length === 1 && only?.kind === 'text') return builder.addListItem(list, only.text, textOptions(only, options));
  const item = builder.addListItem(list, '', options);
  if (runs.length > 0) addRuns(builder, runs, { layer: options.layer, at: options.at, parent: item });
  return item;
}
