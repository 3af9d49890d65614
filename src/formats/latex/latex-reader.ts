/** The reader of LaTeX's commands and environments: a cursor over prepared source, and the blocks it leaves behind. */
import type { FlowBlock, FlowRun, RunStyle } from '../flow/flow-blocks.js';
import { closeFrame, endCell, endEntry, endParagraph, endRow, openFrame } from './frames.js';
import type { LatexFrame } from './frames.js';
import { accented, isAccent, characterOf } from './latex-characters.js';
import { citationText, codeOf, formulaOf, openingRuns, referenceText } from './latex-environments.js';
import type { LatexNumbers } from './latex-numbers.js';
import { quantityCommands, quantityRuns } from './latex-units.js';
import { declarations, formulas, sections, silent, styles, verbatim } from './latex-commands.js';

const deepestFrames = 150;
const deepestGroups = 12;
/** Characters; a dollar sign that opens a formula and finds no end so far stands for itself. */
const longestFormula = 20_000;

/** Reads one range of the source, from a place to another; `partners` are its matched braces. */
export class LatexReader {
  readonly footnotes: FlowRun[][];
  readonly #source: string;
  readonly #partners: Uint32Array;
  readonly #end: number;
  readonly #depth: number;
  readonly #topLevel: number;
  readonly #numbers: LatexNumbers;
  #at: number;
  #frames: LatexFrame[] = [openFrame('', 0)];
  /** Environments past the deepest: read as if they were not there. */
  #skipped = 0;
  #styles: RunStyle[] = [{}];

  constructor(source: string, partners: Uint32Array, from: number, end: number, shared: { footnotes: FlowRun[][]; topLevel: number; numbers: LatexNumbers }, depth = 0) {
    this.footnotes = shared.footnotes;
    this.#topLevel = shared.topLevel;
    this.#numbers = shared.numbers;
    this.#source = source;
    this.#partners = partners;
    this.#at = from;
    this.#end = end;
    this.#depth = depth;
  }

  read(): FlowBlock[] {
    while (this.#at < this.#end) this.#step();
    while (this.#frames.length > 1) this.#leave();
    return closeFrame(this.#frame);
  }

  get #frame(): LatexFrame {
    return this.#frames.at(-1) as LatexFrame;
  }

  get #style(): RunStyle {
    return this.#styles.at(-1) ?? {};
  }

  #say(text: string, style: RunStyle = this.#style): void {
    const last = this.#frame.runs.at(-1);
    if (last !== undefined && style === this.#lastStyle && last.kind !== 'formula') last.text += text;
    else this.#frame.runs.push({ ...style, text });
    this.#lastStyle = style;
  }

  #lastStyle: RunStyle | null = null;

  #add(...blocks: FlowBlock[]): void {
    endParagraph(this.#frame);
    this.#lastStyle = null;
    for (const block of blocks) this.#frame.blocks.push(block);
  }

  #step(): void {
    const char = this.#source[this.#at] ?? '';
    switch (char) {
      case '\\': this.#command(); return;
      case '{': this.#styles.push(this.#style); break;
      case '}': if (this.#styles.length > 1) this.#styles.pop(); break;
      case '$': this.#dollars(); return;
      case '&': if (this.#frame.table !== null) { endCell(this.#frame); this.#lastStyle = null; } else this.#say('&'); break;
      case '~': this.#say('\u00a0'); break;
      case '\n': this.#newline(); return;
      default: this.#words(); return;
    }
    this.#at++;
  }

  /** An empty line ends a paragraph. */
  #newline(): void {
    const blank = /^\n[^\S\n]*\n\s*/.exec(this.#source.slice(this.#at, Math.min(this.#end, this.#at + 400)));
    this.#at += blank?.[0].length ?? 1;
    if (blank === null || this.#frame.table !== null) this.#say(' ');
    else {
      endParagraph(this.#frame);
      this.#lastStyle = null;
    }
  }

  #words(): void {
    let end = this.#at;
    while (end < this.#end && !'\\{}$&~\n'.includes(this.#source[end] ?? '')) end++;
    const text = this.#source.slice(this.#at, end);
    this.#at = end;
    const code = this.#style.kind === 'code';
    this.#say(code ? text : text.replace(/---/g, '\u2014').replace(/--/g, '\u2013').replace(/``/g, '\u201c').replace(/''/g, '\u201d').replace(/`/g, '\u2018').replace(/'/g, '\u2019'));
  }

  #dollars(): void {
    const block = this.#source.startsWith('$$', this.#at);
    const mark = block ? '$$' : '$';
    const from = this.#at + mark.length;
    let to = this.#source.indexOf(mark, from);
    while (to > 0 && this.#source[to - 1] === '\\') to = this.#source.indexOf(mark, to + 1);
    // A formula does not go over an empty line: a lone dollar sign stands for itself.
    const broken = to < 0 || to > this.#end || to - from > longestFormula || !block && /\n\s*\n/.test(this.#source.slice(from, to));
    if (broken) {
      this.#say('$');
      this.#at++;
      return;
    }
    this.#formula(this.#source.slice(from, to), block);
    this.#at = to + mark.length;
  }

  #formula(latex: string, block: boolean): void {
    const bare = latex.replace(/\\label\{[^}]{0,200}\}/g, '').replace(/\\(?:nonumber|notag)\b/g, '').trim();
    if (bare === '') return;
    if (block) this.#add({ kind: 'formula', latex: bare });
    else {
      this.#frame.runs.push({ kind: 'formula', text: bare.replace(/\s+/g, ' ') });
      this.#lastStyle = null;
    }
  }

  #command(): void {
    const next = this.#source[this.#at + 1] ?? '';
    if (!/[A-Za-z@]/.test(next)) {
      this.#at += 2;
      this.#sign(next);
      return;
    }
    let end = this.#at + 1;
    while (end < this.#end && /[A-Za-z@]/.test(this.#source[end] ?? '')) end++;
    const name = this.#source.slice(this.#at + 1, end);
    this.#at = end;
    const starred = this.#source[end] === '*';
    if (starred) this.#at++;
    this.#named(name);
  }

  /** A backslash and a character: an escape, an accent, a line's end, a formula. */
  #sign(sign: string): void {
    if (sign === '(' || sign === '[') {
      const close = sign === '(' ? '\\)' : '\\]';
      const length = this.#source.slice(this.#at, Math.min(this.#end, this.#at + longestFormula)).indexOf(close);
      if (length < 0) return;
      this.#formula(this.#source.slice(this.#at, this.#at + length), sign === '[');
      this.#at += length + 2;
    } else if (sign === '\\') {
      this.#at += /^\*?\s*(?:\[[^\]\n]{0,50}\])?/.exec(this.#source.slice(this.#at, this.#at + 60))?.[0].length ?? 0;
      if (this.#frame.table !== null) {
        endRow(this.#frame);
        this.#lastStyle = null;
      } else this.#say('\n');
    } else if (isAccent(sign)) this.#accent(sign);
    else if (sign === ' ' || sign === '\n' || sign === ',' || sign === ';' || sign === ':') this.#say(' ');
    else if ('%&_#${}'.includes(sign)) this.#say(sign);
  }

  #accent(sign: string): void {
    while (this.#source[this.#at] === ' ') this.#at++;
    const group = this.#group();
    const raw = group === null ? this.#source.slice(this.#at, this.#at + 1) : this.#source.slice(group[0], group[1]);
    if (group === null) this.#at++;
    const letter = /^\\([A-Za-z]+)\s*$/.exec(raw);
    if (raw === '\\') {
      const name = /^[A-Za-z]+/.exec(this.#source.slice(this.#at, this.#at + 20))?.[0] ?? '';
      this.#at += name.length;
      this.#say(accented(sign, characterOf(name) ?? name));
    } else this.#say(accented(sign, letter === null ? raw : characterOf(letter[1] ?? '') ?? ''));
  }

  /** The braces that begin here: their inside; the cursor is then behind them. */
  #group(): [number, number] | null {
    let at = this.#at;
    while (at < this.#end && /\s/.test(this.#source[at] ?? '')) at++;
    if (this.#source[at] !== '{') return null;
    const end = Math.min(this.#partners[at] ?? this.#end, this.#end);
    this.#at = end + 1;
    return [at + 1, end];
  }

  #optional(): string | null {
    const match = /^\s*\[((?:[^\][]|\[[^\]]{0,200}\]){0,1000})\]/.exec(this.#source.slice(this.#at, Math.min(this.#end, this.#at + 1200)));
    this.#at += match?.[0].length ?? 0;
    return match?.[1] ?? null;
  }

  #raw(): string {
    const group = this.#group();
    return group === null ? '' : this.#source.slice(group[0], group[1]).trim();
  }

  #runs(group: [number, number] | null): FlowRun[] {
    if (group === null) return [];
    if (this.#depth >= deepestGroups) return [{ text: this.#source.slice(group[0], group[1]) }];
    const reader = new LatexReader(this.#source, this.#partners, group[0], group[1], { footnotes: this.footnotes, topLevel: this.#topLevel, numbers: this.#numbers }, this.#depth + 1);
    return reader.read().flatMap((block, index) => ('runs' in block ? [...(index > 0 ? [{ text: ' ' }] : []), ...block.runs] : block.kind === 'formula' ? [{ kind: 'formula' as const, text: block.latex }] : []));
  }

  #named(name: string): void {
    const sign = characterOf(name);
    const level = sections.indexOf(name);
    if (sign !== undefined) {
      // The space behind a command ends its name.
      const gap = /^[ \t]*\n?(?:\{\})?/.exec(this.#source.slice(this.#at, this.#at + 20))?.[0].length ?? 0;
      this.#at += gap;
      this.#say(sign);
    } else if (level >= 0) this.#heading(level);
    else if (name === 'begin') this.#enter();
    else if (name === 'end') this.#leaveNamed();
    else if (Object.hasOwn(styles, name)) this.#styled(styles[name] ?? {});
    else if (Object.hasOwn(declarations, name)) this.#styles[this.#styles.length - 1] = { ...this.#style, ...declarations[name] };
    else if (Object.hasOwn(silent, name)) {
      this.#optional();
      for (let i = 0; i < (silent[name] ?? 0); i++) if (this.#group() === null) break;
      this.#optional();
    } else if (isAccent(name)) this.#accent(name);
    else this.#special(name);
  }

  #styled(style: RunStyle): void {
    while (/[ \t]/.test(this.#source[this.#at] ?? '')) this.#at++;
    if (this.#source[this.#at] !== '{') return;
    this.#styles.push({ ...this.#style, ...style });
    this.#at++;
  }

  #heading(level: number): void {
    this.#optional();
    const runs = this.#runs(this.#group());
    this.#add({ kind: 'heading', level: Math.max(1, level - this.#topLevel + 1), runs });
  }

  #special(name: string): void {
    switch (name) {
      case 'item': this.#item(); return;
      case 'bibitem': {
        this.#optional();
        const mark = this.#numbers.citations.get(this.#raw());
        endEntry(this.#frame);
        this.#lastStyle = null;
        this.#frame.entries.push({ marker: mark === undefined ? undefined : `[${mark}]`, runs: [], blocks: [] });
        return;
      }
      case 'title': this.#optional(); this.#add({ kind: 'title', runs: this.#runs(this.#group()) }); return;
      case 'author': case 'date': case 'institute': case 'affiliation': case 'subtitle': this.#optional(); this.#add({ kind: 'paragraph', runs: this.#runs(this.#group()) }); return;
      case 'caption': this.#caption(); return;
      case 'includegraphics': case 'includesvg': this.#optional(); this.#raw(); this.#add({ kind: 'picture', caption: [] }); return;
      case 'footnote': case 'footnotetext': case 'thanks': this.#footnote(); return;
      case 'url': case 'path': case 'nolinkurl': { const url = this.#raw(); this.#say(url, { ...this.#style, link: url }); return; }
      case 'href': { const link = this.#raw().replace(/\\([%#&_~])/g, '$1'); this.#frame.runs.push(...this.#runs(this.#group()).map((run) => ({ ...run, link }))); this.#lastStyle = null; return; }
      case 'verb': case 'lstinline': this.#verb(); return;
      case 'multicolumn': case 'multirow': this.#spanned(name); return;
      case 'par': case 'newpage': case 'clearpage': case 'bigskip': case 'medskip': case 'smallskip': case 'maketitle': if (this.#frame.table === null) this.#add(); return;
      case 'tabularnewline': endRow(this.#frame); this.#lastStyle = null; return;
      default: this.#unknown(name);
    }
  }

  /** References as they are printed; of what is not known the words, as if the command were not there. */
  #unknown(name: string): void {
    if (/^(?:[Cc]ite|parencite|textcite|autocite|footcite|fullcite|nocite)/.test(name)) {
      this.#optional();
      const note = this.#optional();
      this.#say(citationText(this.#raw(), note, this.#numbers.citations));
    } else if (/^(?:ref|eqref|autoref|[cC]ref|pageref|nameref|vref)$/.test(name)) {
      this.#say(referenceText(name, this.#raw(), this.#numbers.labels));
    } else if (Object.hasOwn(quantityCommands, name)) {
      this.#optional();
      for (const run of quantityRuns(name, Array.from({ length: quantityCommands[name] ?? 0 }, () => this.#raw()))) this.#say(run.text, run.script === undefined ? this.#style : { ...this.#style, script: run.script });
    } else if (/^\s*\[/.test(this.#source.slice(this.#at, this.#at + 20)) && this.#source[this.#at] === '[') this.#optional();
    else if (/[ \t]/.test(this.#source[this.#at] ?? '')) this.#at++;
  }

  #item(): void {
    const list = this.#frame;
    const label = this.#optional();
    if (list.kind !== 'list') {
      this.#add();
      if (label !== null) this.#say(`${label} `);
      return;
    }
    endEntry(list);
    this.#lastStyle = null;
    const marker = list.number === null ? undefined : `${list.number++}.`;
    list.entries.push({ marker, runs: [], blocks: [] });
    if (label !== null && label.trim() !== '') list.runs.push({ text: `${label.replace(/\\[A-Za-z]+|[{}$]/g, '').trim()} `, bold: true });
  }

  #caption(): void {
    this.#optional();
    const runs = this.#runs(this.#group());
    const frame = this.#frames.findLast((one) => one.kind === 'float' || one.kind === 'table');
    if (frame === undefined) this.#add({ kind: 'paragraph', runs });
    else if (frame.caption.length === 0) frame.caption = runs;
    else frame.caption.push({ text: ' ' }, ...runs);
    // A caption in a long table stands in a row of its own.
    if (frame?.table) endRow(frame);
  }

  #footnote(): void {
    this.#optional();
    const runs = this.#runs(this.#group());
    if (runs.length === 0) return;
    this.footnotes.push(runs);
    this.#say(`[${this.footnotes.length}]`, { ...this.#style, script: 'super' });
  }

  #verb(): void {
    this.#optional();
    const mark = this.#source[this.#at] ?? '';
    const to = this.#source.indexOf(mark === '{' ? '}' : mark, this.#at + 1);
    if (to < 0 || to > this.#end || to - this.#at > 2000) return;
    this.#frame.runs.push({ kind: 'code', text: this.#source.slice(this.#at + 1, to) });
    this.#lastStyle = null;
    this.#at = to + 1;
  }

  #spanned(name: string): void {
    const { table } = this.#frame;
    this.#optional();
    const count = Number.parseInt(this.#raw(), 10);
    this.#optional();
    this.#raw();
    this.#optional();
    const span = count > 0 ? Math.min(count, 1000) : 1;
    if (table !== null && name === 'multicolumn') table.columnSpan = span;
    if (table !== null && name === 'multirow') table.rowSpan = span;
  }

  #enter(): void {
    const place = this.#at;
    const name = this.#raw();
    const bare = name.replace(/\*$/, '');
    if (formulas.has(bare) || verbatim.has(bare) || /^(?:tikzpicture|comment|filecontents|CCSXML|pgfplots)/.test(bare)) {
      this.#untilEnd(name, bare);
      return;
    }
    if (name === 'document') return;
    if (this.#frames.length >= deepestFrames) {
      this.#skipped++;
      return;
    }
    endParagraph(this.#frame);
    this.#lastStyle = null;
    const option = this.#optional();
    if (/^(?:tabular|array|longtable|supertabular|tblr|minipage|thebibliography|multicols|wrapfigure|wraptable|subfigure|subtable|adjustbox|tabulary|xltabular)/.test(bare)) {
      this.#optional();
      this.#raw();
      if (/^(?:tabularx|tabulary|xltabular|tabular\*|wrapfigure|wraptable)$/.test(bare) || name === 'tabular*') this.#raw();
      this.#optional();
    }
    this.#frames.push(openFrame(name, this.#styles.length));
    for (const { text, ...style } of openingRuns(bare, option, place, this.#numbers)) this.#say(text, style);
    if (bare === 'abstract') this.#add({ kind: 'heading', level: 1, runs: [{ text: 'Abstract' }] });
  }

  /** Environments whose inside is taken as it stands. */
  #untilEnd(name: string, bare: string): void {
    const closing = `\\end{${name}}`;
    const found = this.#source.indexOf(closing, this.#at);
    const to = found < 0 || found > this.#end ? this.#end : found;
    const inside = this.#source.slice(this.#at, to);
    this.#at = Math.min(this.#end, to + closing.length);
    if (formulas.has(bare)) {
      this.#formula(formulaOf(bare, inside), bare !== 'math');
    } else if (verbatim.has(bare)) this.#add({ kind: 'code', ...codeOf(bare, inside) });
    else if (bare === 'tikzpicture' || bare.startsWith('pgf')) this.#add({ kind: 'picture', caption: [] });
  }

  #leaveNamed(): void {
    const name = this.#raw();
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    // An end without its begin ends nothing.
    if (!this.#frames.slice(1).some((frame) => frame.name === name)) return;
    while (this.#frame.name !== name) this.#leave();
    if (name === 'proof') this.#say(' \u25a1');
    this.#leave();
  }

  #leave(): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    this.#styles.length = Math.max(1, Math.min(this.#styles.length, frame.styles));
    // What only sets blocks apart leaves no mark: its blocks stand where it stood.
    for (const block of closeFrame(frame)) this.#add(block);
  }
}
