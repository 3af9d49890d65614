/**
 * Manual pages in the macros man(7) and mdoc(7) as blocks. There is no kept library on npm for either (`jroff` and `roff` are abandoned), and mandoc and groff are programs of their own that write for terminals.
 */
import { LecternError } from '../../errors.js';
import type { FlowBlock, FlowRun, RunStyle } from '../flow/flow-blocks.js';
import { missingFiles } from '../flow/missing-files.js';
import { MdocReader } from './mdoc.js';
import { PageBlocks, tableOf } from './page-blocks.js';
import { roffLines } from './roff-lines.js';
import { predefinedStrings, requestArguments } from './roff-text.js';

const fonts: Record<string, RunStyle> = { B: { bold: true }, I: { italic: true }, R: {} };
/** Requests that change how a page appears, or that are for the formatter alone. */
const silent = new Set('ad na hy nh ne in ti ta ft ps vs ll pl po lt ll nr rr rn rm als ns rs fl nop tr cu ul ce rj fp mk rt sv os ev di da em wh ch tm ab ex cp do hw hc hla shc ec eo cc c2 color pso sy mso AT UC HP PD DT TP. lf nx pm pc bd ss cs lc tc uf it itc DS DE'.split(' '));

class ManReader {
  readonly page: PageBlocks;
  /** What the next line of text is: the tag of an entry, a heading, or text in a font. */
  #next: 'tag' | { level: number } | { style: RunStyle } | null = null;
  #link: { address: string; at: number } | null = null;

  constructor(page: PageBlocks) {
    this.page = page;
  }

  line(line: string): void {
    const request = /^\.(\S+)[ \t]*(.*)$/.exec(line);
    if (request === null) this.#text(line);
    else this.#request(request[1] as string, request[2] as string);
  }

  #text(line: string): void {
    const { page } = this;
    if (page.isCode) page.addText(line);
    else if (line.trim() === '') page.flush();
    else if (this.#next === null) {
      // A space at the begin of a line breaks it.
      if (/^[ \t]/.test(line)) page.breakLine();
      page.addText(line.trimStart());
    } else this.#give(page.text.runs(line).runs);
  }

  /** Runs where the page expects a heading or a tag. */
  #give(runs: FlowRun[], continues = false): void {
    const { page } = this;
    const next = this.#next;
    this.#next = null;
    if (next === 'tag') page.entry(runs);
    else if (next !== null && 'level' in next) page.heading(next.level, runs);
    else page.addRuns(next === null ? runs : runs.map((run) => ({ ...next.style, ...run })), continues);
    if (next !== null) page.text.upright();
  }

  /** Arguments one after the other, without spaces, in two fonts by turns. */
  #alternating(name: string, given: string[]): void {
    const turns = [...name].map((letter) => fonts[letter] ?? {});
    const parts = given.map((words, index) => this.page.text.runs(words, turns[index % turns.length]));
    this.#give(parts.flatMap(({ runs }) => runs), parts.at(-1)?.continues);
    this.page.text.upright();
  }

  #request(name: string, rest: string): void {
    const { page } = this;
    const given = requestArguments(rest);
    switch (name) {
      case 'TH': this.#begin(given); return;
      case 'SH': case 'SS':
        this.#next = { level: name === 'SH' ? 1 : 2 };
        page.text.upright();
        if (given.length > 0) this.#give(page.text.runs(given.join(' ')).runs);
        return;
      case 'PP': case 'P': case 'LP': case 'HP':
        page.endCode();
        page.closeLists(page.indent);
        return;
      case 'TP': case 'TQ': this.#next = 'tag'; return;
      case 'IP':
        if (given[0] === undefined || given[0] === '') page.flush();
        else {
          this.#next = 'tag';
          this.#give(page.text.runs(given[0]).runs);
        }
        return;
      case 'RS': page.flush(); page.indent++; return;
      case 'RE': page.endCode(); page.indent = Math.max(0, page.indent - 1); page.closeLists(page.indent + 1); return;
      case 'B': case 'I': case 'R': case 'SB': case 'SM': {
        const style = fonts[name.replace('SB', 'B')] ?? {};
        if (given.length === 0) this.#next ??= { style };
        else {
          const { runs, continues } = page.text.runs(given.join(' '), style);
          this.#give(runs, continues);
          page.text.upright();
        }
        return;
      }
      case 'BI': case 'BR': case 'IB': case 'IR': case 'RB': case 'RI': this.#alternating(name, given); return;
      case 'UR': case 'MT': this.#link = { address: `${name === 'MT' ? 'mailto:' : ''}${given[0] ?? ''}`, at: 0 }; return;
      case 'UE': case 'ME': this.#endLink(given); return;
      case 'EX': case 'nf': page.beginCode(); return;
      case 'EE': case 'fi': page.endCode(); return;
      case 'br': page.breakLine(); return;
      case 'sp': page.space(); return;
      case 'SY': page.flush(); this.#alternating('B', given); return;
      case 'YS': page.flush(); return;
      case 'OP': this.#give([{ text: '[' }, ...page.text.runs(given[0] ?? '', { bold: true }).runs, ...(given.length > 1 ? [{ text: ' ' }, ...page.text.runs(given.slice(1).join(' '), { italic: true }).runs] : []), { text: ']' }]); return;
      default:
        // A macro of another package: its words stay.
        if (!silent.has(name) && /^[A-Z]/.test(name) && given.length > 0) this.#give(page.text.runs(given.join(' ')).runs);
    }
  }

  /** Name and section are the title; date, source and the manual's name stand at the edges of the print. */
  #begin([name = '', section = '', ...edges]: string[]): void {
    const { page } = this;
    const title = page.text.runs(section === '' ? name : `${name}(${section})`).runs;
    page.add({ kind: 'title', runs: title });
    const blocks = edges.flatMap((edge): FlowBlock[] => {
      const { runs } = page.text.runs(edge);
      return runs.length === 0 ? [] : [{ kind: 'paragraph', runs }];
    });
    if (blocks.length > 0) page.add({ kind: 'furniture', blocks });
  }

  #endLink(given: string[]): void {
    const link = this.#link;
    this.#link = null;
    if (link !== null && link.address !== '' && this.page.isCode === false) {
      const words = link.address.replace(/^mailto:/, '');
      this.page.addRuns([{ text: `<${words}>${given[0] ?? ''}` }]);
    }
  }
}

/** Behind the line that ends an area of tbl or eqn; -1 where none does. */
function endOf(lines: string[], at: number, end: string): number {
  for (let index = at + 1; index < lines.length; index++) if (lines[index]?.startsWith(end) === true) return index;
  return -1;
}

/** Throws LecternError `invalid_document` where the text is no manual page, or refers to another. What is left out is named in `losses`. */
export function readMan(source: string, losses: string[] = []): FlowBlock[] {
  const strings = predefinedStrings();
  const lines = roffLines(source.replace(/^\ufeff/, ''), strings);
  const page = new PageBlocks(strings);
  const isMdoc = lines.some((line) => /^\.D[dt]\b/.test(line)) && !lines.some((line) => /^\.TH\b/.test(line));
  if (!isMdoc && !lines.some((line) => /^\.(?:TH|SH|so)\b/.test(line))) throw new LecternError('invalid_document', 'The file is no manual page: it has neither a title (.TH, .Dd) nor a section (.SH).');
  const reader = isMdoc ? new MdocReader(page) : new ManReader(page);
  const included: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const file = /^\.so[ \t]+(.*)$/.exec(line)?.[1];
    if (file !== undefined) {
      included.push(file.trim());
      continue;
    }
    const area = /^\.(TS|EQ)\b/.exec(line)?.[1];
    if (area === undefined) {
      reader.line(line);
      continue;
    }
    const end = endOf(lines, at, area === 'TS' ? '.TE' : '.EN');
    const inside = lines.slice(at + 1, end < 0 ? undefined : end);
    page.add(area === 'TS' ? tableOf(inside, page.text) : { kind: 'code', text: inside.join('\n').trim() });
    if (end < 0) break;
    at = end;
  }
  const blocks = page.finish();
  if (blocks.length === 0 && included[0] !== undefined) throw new LecternError('invalid_document', `The manual page has no text: it refers to another file (${included[0].slice(0, 200)}).`);
  losses.push(...strings.budget.losses, ...missingFiles(included));
  return blocks;
}
