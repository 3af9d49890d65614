/** AsciiDoc as blocks: sections, paragraphs, nested lists, delimited blocks, tables, pictures. Included files and conditions are not followed. */
import type { FlowBlock, FlowListEntry, FlowRun, FlowTable } from '../flow/flow-blocks.js';
import { missingFiles } from '../flow/missing-files.js';
import { languageName } from '../flow/programming-languages.js';
import { readInline, withAttributes } from './asciidoc-inline.js';
import type { Attributes } from './asciidoc-inline.js';
import { tableRows } from './asciidoc-table.js';

/** What stands in brackets before a block, and the block's title. */
interface BlockHead {
  style: string;
  positional: string[];
  named: Map<string, string>;
  title: string;
}

const delimiter = /^(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\/{4,}|--|```+.*|[|,:!]={3,})\s*$/;
const listMarker = /^\s*(\*{1,10}|-|\.{1,10}|\d{1,9}\.|[a-zA-Z]\.|<\d{1,3}>|<\.>)[^\S\n]+(?=\S)/;
const termMarker = /^\s*(\S.{0,500}?)(::{1,3}|;;)(?:\s+|$)/;
const admonition = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION): /;
const deepest = 30;

function headOf(): BlockHead {
  return { style: '', positional: [], named: new Map(), title: '' };
}

function parseBrackets(content: string, head: BlockHead): void {
  const parts = content.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
  for (const [index, raw] of parts.entries()) {
    const part = raw.trim();
    const named = /^([\w-]+)\s*=\s*"?([^"]*)"?$/.exec(part);
    if (named !== null) head.named.set(named[1] ?? '', named[2] ?? '');
    else if (index === 0) {
      head.style = /^[^.#%]*/.exec(part)?.[0] ?? '';
      const options = [...part.matchAll(/%([\w-]+)/g)].map((match) => match[1] ?? '');
      if (options.length > 0) head.named.set('options', options.join(','));
    } else head.positional[index] = part;
  }
}

class AsciiDocReader {
  readonly blocks: FlowBlock[] = [];
  /** In the order of the text; shared with the readers of what is inside. */
  readonly footnotes: FlowRun[][];
  readonly #lines: string[];
  readonly #attributes: Attributes;
  readonly #depth: number;
  #at = 0;

  constructor(lines: string[], attributes: Attributes, depth: number, footnotes: FlowRun[][] = []) {
    this.footnotes = footnotes;
    this.#lines = lines;
    this.#attributes = attributes;
    this.#depth = depth;
  }

  read(): FlowBlock[] {
    let head = headOf();
    while (this.#at < this.#lines.length) {
      const line = this.#line();
      if (line.trim() === '' || this.#passed(line, head)) {
        this.#at++;
        continue;
      }
      this.#block(line, head);
      head = headOf();
    }
    return this.blocks;
  }

  #line(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? '';
  }

  /** Lines with attributes of the block that follows, and lines without content for a reader. */
  #passed(line: string, head: BlockHead): boolean {
    const attribute = /^:(!?[\w-]{1,60}!?):(?:\s+(.*))?$/.exec(line);
    if (attribute !== null) {
      this.#attributes.set((attribute[1] ?? '').toLowerCase(), withAttributes(attribute[2] ?? '', this.#attributes).slice(0, 2000));
      return true;
    }
    if (/^\/\/(?!\/)/.test(line) || /^(?:include|ifdef|ifndef|ifeval|endif|toc)::/.test(line) || /^(?:'{3,}|<{3,}|-\s?-\s?-|\*\s?\*\s?\*)\s*$/.test(line)) return true;
    const brackets = line.length > 2000 ? null : /^\[(.*)\]\s*$/.exec(line);
    if (brackets !== null && !line.startsWith('[[')) {
      parseBrackets(brackets[1] ?? '', head);
      return true;
    }
    if (/^\[\[.*\]\]\s*$/.test(line)) return true;
    const title = /^\.([^\s.].*)$/.exec(line);
    if (title !== null) head.title = title[1] ?? '';
    return title !== null;
  }

  #block(line: string, head: BlockHead): void {
    const heading = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line);
    if (heading !== null) {
      const level = (heading[1] ?? '').length - 1;
      const runs = this.#runs((heading[2] ?? '').replace(/\s+=+$/, ''));
      this.#add(level === 0 ? { kind: 'title', runs } : { kind: 'heading', level, runs });
      this.#at++;
      if (level === 0 && this.blocks.length === 1) this.#skipHeader();
      return;
    }
    if (delimiter.test(line)) this.#delimited(line, head);
    else if (/^(?:image|video|audio)::/.test(line)) this.#picture(line, head);
    else if (line.startsWith('|')) this.#bareTable(head);
    else if (listMarker.test(line) || termMarker.test(line)) this.#list(head);
    else this.#paragraph(line, head);
  }

  #add(block: FlowBlock): void {
    this.blocks.push(block);
  }

  #runs(text: string): FlowRun[] {
    const { runs, footnotes } = readInline(text, this.#attributes, this.footnotes.length);
    this.footnotes.push(...footnotes);
    return runs;
  }

  /** Author and revision: the lines right behind the title. */
  #skipHeader(): void {
    for (let line = this.#line(); line.trim() !== '' && !/^[=.[|*-]/.test(line); line = this.#line()) {
      if (!this.#passed(line, headOf())) this.#add({ kind: 'paragraph', runs: this.#runs(line) });
      this.#at++;
    }
  }

  #titled(head: BlockHead): void {
    if (head.title !== '') this.#add({ kind: 'paragraph', runs: this.#runs(head.title) });
  }

  #within(lines: string[]): FlowBlock[] {
    if (this.#depth >= deepest) return [{ kind: 'paragraph', runs: this.#runs(lines.join(' ')) }];
    return new AsciiDocReader(lines, this.#attributes, this.#depth + 1, this.footnotes).read();
  }

  #delimited(opening: string, head: BlockHead): void {
    const mark = opening.trim();
    const closing = mark.startsWith('```') ? '```' : mark;
    let end = this.#at + 1;
    while (end < this.#lines.length && this.#lines[end]?.trim() !== closing) end++;
    const lines = this.#lines.slice(this.#at + 1, end);
    this.#at = end + 1;
    const first = mark[0] ?? '';
    if (first === '/') return;
    if (/^[|,:!]=/.test(mark)) {
      this.#table(lines, head, first);
      return;
    }
    if (first === '+') {
      if (/^(?:stem|latexmath|asciimath)$/.test(head.style)) this.#add({ kind: 'formula', latex: lines.join('\n').trim() });
      return;
    }
    if (mark.startsWith('----') || first === '.' || first === '`' || /^(?:source|listing|literal)$/.test(head.style)) {
      const language = first === '`' ? mark.slice(3) : (head.positional[1] ?? head.named.get('language') ?? '');
      this.#add({ kind: 'code', text: lines.join('\n').replace(/^\n+|\s+$/g, ''), language: languageName(language), caption: this.#runs(head.title) });
      return;
    }
    this.#titled(head);
    if (first === '_') {
      this.#quote(head, head.style === 'verse' ? [verse(lines)] : this.#within(lines));
      return;
    }
    const blocks = this.#within(lines);
    const [begin] = blocks;
    if (/^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/.test(head.style) && begin?.kind === 'paragraph') begin.runs.unshift({ text: `${head.style}: `, bold: true });
    for (const block of blocks) this.blocks.push(block);
  }

  /** Who is quoted and from where stand below, as they are printed. */
  #quote(head: BlockHead, blocks: (FlowBlock | string)[]): void {
    const [, author = '', source = ''] = head.positional;
    const said = [head.named.get('attribution') ?? author, head.named.get('citetitle') ?? source].map((text) => text.replace(/^"|"$/g, '').trim()).filter((text) => text !== '');
    const read = blocks.map((block): FlowBlock => (typeof block === 'string' ? { kind: 'paragraph', runs: this.#runs(block) } : block));
    this.#add({ kind: 'quote', blocks: said.length === 0 ? read : [...read, { kind: 'paragraph', runs: this.#runs(`\u2014 ${said.join(', ')}`) }] });
  }

  /** `"…"` with `-- Name` in the last line. */
  #isQuoted(lines: string[]): boolean {
    return lines.length > 1 && /^"/.test(lines[0] ?? '') && /"\s*$/.test(lines.at(-2) ?? '') && /^-- \S/.test(lines.at(-1) ?? '');
  }

  #quotedParagraph(lines: string[], head: BlockHead): void {
    if (!this.#isQuoted(lines)) {
      this.#quote(head, [head.style === 'verse' ? verse(lines) : joinLines(lines)]);
      return;
    }
    const said = lines.at(-1)?.slice('-- '.length) ?? '';
    this.#quote({ ...head, positional: ['', said] }, [joinLines(lines.slice(0, -1)).replace(/^"|"$/g, '')]);
  }

  #table(lines: string[], head: BlockHead, sign: string): void {
    const options = head.named.get('options') ?? head.named.get('opts') ?? '';
    const format = head.named.get('format') ?? (sign === ',' ? 'csv' : sign === ':' ? 'dsv' : 'psv');
    const separated = format === 'csv' ? ',' : format === 'dsv' ? ':' : format === 'tsv' ? '\t' : null;
    const source = separated === null ? lines.join('\n').replace(/^!/gm, sign === '!' ? '|' : '!')
      : lines.map((line) => line.split(separated).map((cell) => `|${cell.replace(/^"|"$/g, '')}`).join(' ')).join('\n');
    const header = /(?:^|,)\s*header/.test(options) ? true : /noheader/.test(options) ? false : undefined;
    const rows = tableRows(source, { cols: head.named.get('cols'), header }, ({ text, style }) => {
      if (style === 'a') return this.#within(text.split('\n'));
      return text.split(/\n[^\S\n]*\n/).map((part): FlowBlock => {
        const runs = this.#runs(part.replace(/\s*\n\s*/g, ' ').trim());
        return { kind: 'paragraph', runs: style === 's' ? runs.map((run) => ({ ...run, bold: true })) : style === 'e' ? runs.map((run) => ({ ...run, italic: true })) : runs };
      });
    });
    const table: FlowTable = { kind: 'table', rows, caption: this.#runs(head.title) };
    this.#add(table);
  }

  /** Rows without the lines that a table is set off with. */
  #bareTable(head: BlockHead): void {
    const lines: string[] = [];
    for (; this.#line().startsWith('|'); this.#at++) lines.push(this.#line().trim().replace(/(?<!\\)\|$/, ''));
    this.#table(lines, head, '|');
  }

  #picture(line: string, head: BlockHead): void {
    const alt = /^\w+::[^[]*\[([^\],]*)/.exec(line)?.[1]?.replace(/^"|"$/g, '').trim() ?? '';
    this.#at++;
    this.#add({ kind: 'picture', caption: this.#runs(head.title === '' ? (/^[\w-]+=/.test(alt) ? '' : alt) : head.title) });
  }

  #paragraph(first: string, head: BlockHead): void {
    const lines: string[] = [];
    const indented = /^\s+\S/.test(first);
    for (let line = this.#line(); line.trim() !== ''; line = this.#line()) {
      if (lines.length > 0 && (delimiter.test(line) || /^\[[^\]]*\]$/.test(line.trim()) || /^={1,6}\s+\S/.test(line) || line.startsWith('|===') || /^image::/.test(line))) break;
      if (!/^\/\/(?!\/)/.test(line)) lines.push(line);
      this.#at++;
    }
    if (head.style === 'source' || head.style === 'listing' || head.style === 'literal' || indented && head.style === '') {
      const margin = lines.reduce((least, line) => Math.min(least, line.length - line.trimStart().length), Infinity);
      this.#add({ kind: 'code', text: lines.map((line) => line.slice(margin)).join('\n').trimEnd(), language: languageName(head.positional[1] ?? ''), caption: this.#runs(head.title) });
      return;
    }
    this.#titled(head);
    if (head.style === 'quote' || head.style === 'verse' || this.#isQuoted(lines)) {
      this.#quotedParagraph(lines, head);
      return;
    }
    const text = joinLines(lines);
    const said = admonition.exec(text);
    const label = said?.[1] ?? (/^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/.test(head.style) ? head.style : '');
    const runs = this.#runs(said === null ? text : text.slice(said[0].length));
    this.#add({ kind: 'paragraph', runs: label === '' ? runs : [{ text: `${label}: `, bold: true }, ...runs] });
  }

  #list(head: BlockHead): void {
    this.#titled(head);
    const start = Number(head.named.get('start') ?? 1);
    this.#add({ kind: 'list', entries: this.#entries([], Number.isInteger(start) ? start : 1) });
  }

  /** Entries of the list that begins here; a marker that is open further out ends it. */
  #entries(open: string[], start: number): FlowListEntry[] {
    const entries: FlowListEntry[] = [];
    const own = markerOf(this.#line());
    for (;;) {
      // Between entries an empty line has no meaning, unless something else follows it.
      let ahead = 0;
      while (this.#line(ahead).trim() === '' && this.#at + ahead < this.#lines.length) ahead++;
      const line = this.#line(ahead);
      const marker = markerOf(line);
      if (marker === null) break;
      if (marker === own) {
        this.#at += ahead;
        entries.push(this.#entry(own, start + entries.length));
      } else if (own !== null && !open.includes(marker) && entries.length > 0 && open.length < deepest) {
        this.#at += ahead;
        entries.at(-1)?.blocks.push({ kind: 'list', entries: this.#entries([...open, own], 1) });
      } else break;
    }
    return entries;
  }

  #entry(marker: string, number: number): FlowListEntry {
    const line = this.#line();
    this.#at++;
    const term = marker.startsWith(':') || marker === ';;' ? termMarker.exec(line) : null;
    const text = [line.slice((term ?? listMarker.exec(line))?.[0].length ?? 0)];
    const blocks: FlowBlock[] = [];
    for (let next = this.#line(); next.trim() !== ''; next = this.#line()) {
      if (next.trim() === '+') {
        this.#at++;
        blocks.push(...this.#attached());
      } else if (markerOf(next) !== null || delimiter.test(next) || /^\[[^\]]*\]$/.test(next.trim()) || blocks.length > 0) break;
      else {
        if (!/^\/\/(?!\/)/.test(next)) text.push(next.trim());
        this.#at++;
      }
    }
    const words = joinLines(text);
    const box = /^\[([ x*])\]\s+/.exec(words);
    const runs = this.#runs(box === null ? words : words.slice(box[0].length));
    if (term !== null) {
      const name = this.#runs(term[1] ?? '').map((run) => ({ ...run, bold: true }));
      return { runs: [...name, { text: runs.length > 0 ? ': ' : '' }, ...runs], blocks };
    }
    const counted = /^\./.test(marker) || /^\d/.test(marker) || marker === 'a.' || marker.startsWith('<');
    return { runs, blocks, ...(counted && { marker: `${number}.` }), ...(box !== null && { checked: box[1] !== ' ' }) };
  }

  /** The block that a `+` hangs on its entry. */
  #attached(): FlowBlock[] {
    const before = this.blocks.length;
    const head = headOf();
    while (this.#at < this.#lines.length && this.#passed(this.#line(), head)) this.#at++;
    if (this.#line().trim() !== '') this.#block(this.#line(), head);
    return this.blocks.splice(before);
  }
}

/** What kind of marker a line begins with, the same for all entries of one list; null for none. */
function markerOf(line: string): string | null {
  const mark = listMarker.exec(line)?.[1];
  if (mark !== undefined) return /^\d/.test(mark) ? '1.' : /^[a-zA-Z]/.test(mark) ? 'a.' : mark.startsWith('<') ? '<.>' : mark;
  return termMarker.exec(line)?.[2] ?? null;
}

/** A poem's lines end where they end. */
function verse(lines: string[]): string {
  return lines.join('\n').replace(/^\n+|\s+$/g, '');
}

/** Lines of one paragraph: joined by spaces, but behind a ` +` the line ends. */
function joinLines(lines: string[]): string {
  return lines.map((line) => line.trim()).join('\u0000').replace(/ \+\u0000/g, '\n').replaceAll('\u0000', ' ');
}

/** The blocks of an AsciiDoc text; its footnotes stand at its end. What it includes from other files is not there, and named in `losses`. */
export function readAsciiDoc(text: string, losses: string[] = []): FlowBlock[] {
  losses.push(...missingFiles(Array.from(text.matchAll(/^include::([^\s[]{1,500})\[/gm), ([, name = '']) => name)));
  const reader = new AsciiDocReader(text.replace(/\r\n?/g, '\n').replace(/\t/g, '    ').replaceAll('\u0000', '').split('\n'), new Map(), 0);
  const blocks = reader.read();
  return [...blocks, ...reader.footnotes.map((runs, index): FlowBlock => ({ kind: 'footnote', runs: [{ text: `${index + 1}. ` }, ...runs] }))];
}
