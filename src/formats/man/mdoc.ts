/** The macros of mdoc(7), the manual pages of BSD: what a line is about, and not how it is to look. */
import type { FlowRun, RunStyle } from '../flow/flow-blocks.js';
import type { PageBlocks } from './page-blocks.js';
import { requestArguments } from './roff-text.js';

interface Macro {
  style?: RunStyle;
  /** Around its arguments. */
  open?: string;
  close?: string;
  /** Before each argument, as the dash of a flag. */
  mark?: string;
  /** Where it has no arguments. */
  none?: string;
}

const bold = { bold: true };
const italic = { italic: true };
const macros: Record<string, Macro> = {
  Fl: { style: bold, mark: '-', none: '-' }, Ar: { style: italic, none: 'file ...' }, Cm: { style: bold }, Ic: { style: bold }, Sy: { style: bold }, Em: { style: italic }, Pa: { style: italic, none: '~' }, Va: { style: italic }, Vt: { style: italic }, Fa: { style: italic }, Ft: { style: italic },
  Ev: {}, Er: {}, Li: {}, Dv: {}, Tn: {}, No: {}, Ad: {}, Ms: { style: bold }, Cd: { style: bold }, Fd: { style: bold }, In: { style: bold, open: '#include <', close: '>' }, Lb: {}, Sx: {}, St: {}, An: {}, Mt: {}, Db: {}, Bf: {}, Ef: {},
  Op: { open: '[', close: ']' }, Dq: { open: '\u201c', close: '\u201d' }, Qq: { open: '"', close: '"' }, Sq: { open: '\u2018', close: '\u2019' }, Ql: { open: '\u2018', close: '\u2019' }, Pq: { open: '(', close: ')' }, Bq: { open: '[', close: ']' }, Brq: { open: '{', close: '}' }, Aq: { open: '<', close: '>' },
  Ux: { none: 'UNIX' }, Bx: { none: 'BSD' }, At: { none: 'AT&T UNIX' }, Fx: { none: 'FreeBSD' }, Nx: { none: 'NetBSD' }, Ox: { none: 'OpenBSD' }, Dx: { none: 'DragonFly' }, Bsx: { none: 'BSD/OS' },
};
/** Systems print their own name before the version. */
const systems = new Set(['Ux', 'Bx', 'At', 'Fx', 'Nx', 'Ox', 'Dx', 'Bsx']);
/** Enclosures whose ends are macros of their own. */
const openings: Record<string, string> = { Oo: '[', Do: '\u201c', Qo: '"', So: '\u2018', Po: '(', Bo: '[', Bro: '{', Ao: '<', Xo: '' };
const closings: Record<string, string> = { Oc: ']', Dc: '\u201d', Qc: '"', Sc: '\u2019', Pc: ')', Bc: ']', Brc: '}', Ac: '>', Xc: '' };
const closingMarks = /^[.,:;)\]?!]$/;
const openingMarks = /^[([]$/;
const referenceNames = /^%[ABCDIJNOPQRTUV]$/;

export class MdocReader {
  #name = '';
  /** Kinds of the lists that are open. */
  readonly #lists: { kind: string; count: number }[] = [];
  #inFunction = false;

  constructor(private readonly page: PageBlocks) {}

  line(line: string): void {
    const { page } = this;
    const request = /^\.[ \t]*(\S+)[ \t]*(.*)$/.exec(line);
    if (request !== null) this.#request(request[1] as string, request[2] as string);
    else if (page.isCode) page.addText(line);
    else if (line.trim() === '') page.flush();
    else page.addText(line.trim());
  }

  #request(name: string, rest: string): void {
    const { page } = this;
    const given = requestArguments(rest);
    const words = (): FlowRun[] => this.#inline(given);
    switch (name) {
      case 'Dd': page.add({ kind: 'furniture', blocks: [{ kind: 'paragraph', runs: page.text.runs(given.join(' ')).runs }] }); return;
      case 'Dt': page.add({ kind: 'title', runs: page.text.runs(`${given[0] ?? ''}${given[1] === undefined ? '' : `(${given[1]})`}`).runs }); return;
      case 'Os': if (given.length > 0) page.add({ kind: 'furniture', blocks: [{ kind: 'paragraph', runs: page.text.runs(given.join(' ')).runs }] }); return;
      case 'Sh': page.heading(1, words()); return;
      case 'Ss': page.heading(2, words()); return;
      case 'Pp': case 'Lp': case 'sp': page.space(); return;
      case 'br': page.breakLine(); return;
      case 'Nd': page.addRuns([{ text: '\u2013 ' }, ...words()]); return;
      case 'Bd': this.#display(given); return;
      case 'Ed': page.endCode(); page.flush(); return;
      case 'Dl': page.add({ kind: 'code', text: words().map(({ text }) => text).join('') }); return;
      case 'D1': page.flush(); page.addRuns(words()); page.flush(); return;
      case 'Bl': this.#lists.push({ kind: (given[0] ?? '').replace(/^-/, ''), count: 0 }); page.flush(); page.indent++; return;
      case 'El':
        this.#lists.pop();
        page.closeLists(page.indent);
        page.indent = Math.max(0, page.indent - 1);
        return;
      case 'It': this.#item(given); return;
      case 'Rs': page.flush(); return;
      case 'Re': page.flush(); return;
      case 'Ex': page.addText(`The ${given.slice(1).join(' ') || this.#name} utility exits 0 on success, and >0 if an error occurs.`); return;
      case 'Rv': page.addText('Upon successful completion, the value 0 is returned; otherwise the value -1 is returned and the global variable errno is set to indicate the error.'); return;
      case 'Fo': this.#inFunction = true; page.addRuns([...page.text.runs(given[0] ?? '', bold).runs, { text: '(' }], true); return;
      case 'Fc': this.#inFunction = false; page.addRuns([{ text: ')' }]); return;
      case 'Sm': case 'Bk': case 'Ek': case 'ta': case 'in': case 'ti': case 'ns': case 'ft': case 'nr': case 'ne': case 'ad': case 'na': case 'hy': case 'nh': return;
      case 'nf': page.beginCode(); return;
      case 'fi': page.endCode(); return;
      default: this.#default(name, given);
    }
  }

  #default(name: string, given: string[]): void {
    const { page } = this;
    if (referenceNames.test(name)) page.addRuns([...page.text.runs(given.join(' '), /^%[BJT]$/.test(name) ? italic : {}).runs, { text: ',' }]);
    else if (this.#inFunction && name === 'Fa') page.addRuns([...page.text.runs(given.join(' '), italic).runs, { text: ', ' }], true);
    else {
      const runs = this.#inline([name, ...given]);
      // A function and an included file begin lines of their own in a synopsis.
      if (name === 'Ft' || name === 'In' || name === 'Fd' || name === 'Vt' && page.indent === 0) page.breakLine();
      if (runs.length > 0) page.addRuns(runs);
    }
  }

  #display(given: string[]): void {
    if (given.some((one) => one === '-literal' || one === '-unfilled')) this.page.beginCode();
    else this.page.flush();
  }

  #item(given: string[]): void {
    const { page } = this;
    const list = this.#lists.at(-1) ?? { kind: '', count: 0 };
    if (list.kind === 'enum') page.entry([{ text: `${++list.count}.` }]);
    else if (list.kind === 'column') this.#columns(given);
    else page.entry(this.#inline(given));
  }

  /** Cells of a line of a list in columns follow each other. */
  #columns(given: string[]): void {
    const cells: string[][] = [[]];
    for (const one of given.flatMap((word) => word.split(/(\t)/))) {
      if (one === 'Ta' || one === '\t') cells.push([]);
      else if (one !== '') cells.at(-1)?.push(one);
    }
    this.page.entry(cells.flatMap((words, index) => [...(index > 0 ? [{ text: ' \u2014 ' }] : []), ...this.#inline(words)]));
  }

  /** Macros that a line calls within: each has the arguments up to the next one. */
  #inline(given: string[]): FlowRun[] {
    const line = new MdocLine(given, this.page, this.#name);
    const runs = line.read();
    this.#name = line.name;
    return runs;
  }
}

/** The macros and words of one line. */
class MdocLine {
  readonly #runs: FlowRun[] = [];
  /** What closes the enclosures that last to the end of the line. */
  readonly #pending: string[] = [];
  #current: Macro = {};
  #glue = true;
  #used = true;
  #at = 0;

  constructor(private readonly given: string[], private readonly page: PageBlocks, public name: string) {}

  read(): FlowRun[] {
    for (; this.#at < this.given.length; this.#at++) this.#word(this.given[this.#at] as string);
    this.#close();
    return this.#runs;
  }

  #put(made: FlowRun[], tight = false): void {
    if (made.length === 0) return;
    if (!this.#glue && !tight) this.#runs.push({ text: ' ' });
    for (const run of made) this.#runs.push(run);
    this.#glue = false;
  }

  #end(): void {
    if (!this.#used && this.#current.none !== undefined) this.#put([{ ...this.#current.style, text: this.#current.none }]);
    this.#used = true;
    this.#current = {};
  }

  #close(): void {
    this.#end();
    for (const mark of this.#pending.splice(0).reverse()) this.#put([{ text: mark }], true);
  }

  #word(word: string): void {
    const macro = Object.hasOwn(macros, word) ? macros[word] : undefined;
    if (closingMarks.test(word)) {
      this.#end();
      // Behind the last words an enclosure of one line ends before the mark.
      if (this.given.slice(this.#at).every((one) => closingMarks.test(one))) this.#close();
      this.#put([{ text: word }], true);
    } else if (openingMarks.test(word)) {
      this.#put([{ text: word }]);
      this.#glue = true;
    } else if (macro !== undefined) this.#macro(word, macro);
    else if (Object.hasOwn(openings, word) || Object.hasOwn(closings, word)) this.#enclosure(word);
    else if (!this.#special(word)) this.#plain(word);
  }

  #plain(word: string): void {
    const { style, mark } = this.#current;
    this.#used = true;
    const { runs } = this.page.text.runs(word, style);
    this.#put(mark === undefined ? runs : [{ ...style, text: mark }, ...runs]);
    this.page.text.upright();
  }

  #macro(word: string, macro: Macro): void {
    // Two flags in a row are one with two dashes.
    const doubled = !this.#used && this.#current.mark !== undefined && macro.mark !== undefined;
    this.#end();
    this.#glue ||= doubled;
    [this.#current, this.#used] = [macro, false];
    if (systems.has(word)) this.#end();
    if (macro.open === undefined) return;
    this.#put([{ ...macro.style, text: macro.open }]);
    this.#glue = true;
    this.#pending.push(macro.close ?? '');
    if (macro.style === undefined) this.#used = true;
  }

  #enclosure(word: string): void {
    this.#end();
    const [opening = '', closing = ''] = [openings[word], closings[word]];
    if (opening !== '') {
      this.#put([{ text: opening }]);
      this.#glue = true;
    } else if (closing !== '') this.#put([{ text: closing }], true);
  }

  /** Macros with arguments of their own kind; false where the word is none. */
  #special(word: string): boolean {
    const { text } = this.page;
    const rest = this.given.slice(this.#at + 1);
    const words = rest.filter((one) => !closingMarks.test(one));
    if (!/^(?:Ns|Ap|Ta|Nm|Xr|Lk|Fn)$/.test(word)) return false;
    this.#end();
    if (word === 'Ns') this.#glue = true;
    else if (word === 'Ap') {
      this.#put([{ text: "'" }], true);
      this.#glue = true;
    } else if (word === 'Ta') this.#put([{ text: '\u2014' }]);
    else if (word === 'Nm') this.#nameOf(rest[0]);
    else if (word === 'Xr') {
      const [page = '', section] = rest;
      const hasSection = section !== undefined && /^\d\w*$/.test(section);
      this.#put(text.runs(hasSection ? `${page}(${section})` : page).runs);
      this.#at += hasSection ? 2 : 1;
    } else if (word === 'Lk') {
      const [address = '', ...name] = words;
      this.#put([{ text: name.length === 0 ? address : `${name.join(' ')}: ${address}` }]);
      this.#at += words.length;
    } else {
      this.#put([...text.runs(words[0] ?? '', bold).runs, { text: '(' }, ...words.slice(1).flatMap((one, index) => [...(index > 0 ? [{ text: ', ' }] : []), ...text.runs(one, italic).runs]), { text: ')' }]);
      this.#at += words.length;
    }
    return true;
  }

  /** The name that the page is about, where no other is given. */
  #nameOf(next: string | undefined): void {
    const isGiven = next !== undefined && !closingMarks.test(next) && !Object.hasOwn(macros, next) && !Object.hasOwn(openings, next) && next !== 'Ns';
    if (!isGiven) {
      this.#put([{ ...bold, text: this.name }]);
      return;
    }
    if (this.name === '') this.name = next;
    this.#put(this.page.text.runs(next, bold).runs);
    this.#at++;
  }
}
