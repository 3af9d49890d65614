/** AsciiDoc's inline markup as runs: emphasis, code, links, formulas, footnotes, attributes. */
import type { FlowRun, RunStyle } from '../flow/flow-blocks.js';

/** Names that a document sets, and those that every processor knows. */
export type Attributes = Map<string, string>;

const builtIn: Record<string, string> = {
  nbsp: '\u00a0', sp: ' ', empty: '', blank: '', lt: '<', gt: '>', amp: '&', startsb: '[', endsb: ']', vbar: '|', caret: '^', asterisk: '*', tilde: '~', backtick: '`',
  plus: '+', apos: "'", quot: '"', ldquo: '\u201c', rdquo: '\u201d', lsquo: '\u2018', rsquo: '\u2019', deg: '\u00b0', zwsp: '\u200b', wj: '\u2060', backslash: '\\', 'two-colons': '::',
};

/** `{name}` replaced by its value; a name without a value stays as it is written. */
export function withAttributes(text: string, attributes: Attributes): string {
  if (!text.includes('{')) return text;
  return text.replace(/(\\?)\{([\w-]{1,60})\}/g, (whole, escape: string, name: string) => {
    if (escape !== '') return whole.slice(1);
    const known = attributes.get(name.toLowerCase()) ?? (Object.hasOwn(builtIn, name) ? builtIn[name] : undefined);
    return known ?? whole;
  });
}

const marks: Record<string, RunStyle> = {
  '*': { bold: true }, _: { italic: true }, '`': { kind: 'code' }, '#': {}, '+': {}, '^': { script: 'super' }, '~': { script: 'sub' },
};

// A mark in double may stand within a word; a single one only around whole words. No mark reaches past 500 characters.
const unconstrained = /^(\*\*|__|``|##|\+\+\+|\+\+)(?=\S)([\s\S]{1,500}?)\1/;
const constrained = /^([*_`#+])(?=\S)([\s\S]{0,500}?\S)\1(?![\w*_`#+])/;
const script = /^([\^~])([^\s^~]{1,200})\1/;
const macro = /^(link|xref|mailto|stem|latexmath|asciimath|image|footnote|footnoteref|kbd|btn|menu|icon|anchor|indexterm2?|pass):([^\s[\]]{0,2000})\[((?:\\.|[^\]\\]){0,4000})\]/;
const address = /^(?:https?|ftp|irc|mailto):[^\s[\]<>"']{1,2000}[^\s[\]<>"'.,;:!?)]/;

export interface AsciiDocLine {
  runs: FlowRun[];
  footnotes: FlowRun[][];
}

class AsciiDocInlineReader {
  readonly footnotes: FlowRun[][] = [];

  /** `counted` footnotes stand before this text. */
  constructor(readonly counted: number) {}

  read(text: string, style: RunStyle, runs: FlowRun[], depth: number): void {
    let plain = '';
    const flush = (): void => {
      if (plain !== '') runs.push({ ...style, text: plain });
      plain = '';
    };
    for (let at = 0; at < text.length;) {
      const rest = text.slice(at, at + 6200);
      const before = at === 0 ? '' : (text[at - 1] ?? '');
      const escaped = /^\\[*_`#+^~<h[:]/.test(rest);
      if (escaped) {
        plain += rest[1] ?? '';
        at += 2;
        continue;
      }
      const taken = /[*_`#+^~<\n"'a-z]/.test(rest[0] ?? '') && depth < 8 ? this.#one(rest, before, style, depth) : null;
      if (taken === null) {
        plain += rest[0] ?? '';
        at++;
        continue;
      }
      flush();
      runs.push(...taken.runs);
      at += taken.length;
    }
    flush();
  }

  #inside(text: string, style: RunStyle, depth: number): FlowRun[] {
    const runs: FlowRun[] = [];
    this.read(text, style, runs, depth + 1);
    return runs;
  }

  /** What begins here and is more than a letter, or null. */
  #one(rest: string, before: string, style: RunStyle, depth: number): { runs: FlowRun[]; length: number } | null {
    const first = rest[0] ?? '';
    if (first === '\n') return { runs: [{ ...style, text: '\n' }], length: 1 };
    if (first === '<') return this.#reference(rest, style);
    if (/[a-z]/.test(first)) return /\w/.test(before) && !rest.startsWith('footnote:') ? null : this.#macro(rest, style, depth);
    if (first === '"' || first === "'") return this.#quotes(rest, style, depth);
    const double = unconstrained.exec(rest);
    if (double !== null) {
      const [whole, mark = '', content = ''] = double;
      const literal = mark.startsWith('+');
      return { runs: literal ? [{ ...style, text: content }] : this.#inside(content, { ...style, ...marks[mark[0] ?? ''] }, depth), length: whole.length };
    }
    const single = first === '^' || first === '~' ? script.exec(rest) : /\w/.test(before) ? null : constrained.exec(rest);
    if (single === null) return null;
    const [whole, mark = '', content = ''] = single;
    const own = { ...style, ...marks[mark] };
    return { runs: mark === '+' ? [{ ...style, text: content }] : mark === '`' ? [{ ...own, text: content.replace(/^\+(.*)\+$/, '$1') }] : this.#inside(content, own, depth), length: whole.length };
  }

  #quotes(rest: string, style: RunStyle, depth: number): { runs: FlowRun[]; length: number } | null {
    const match = /^(["'])`(?=\S)([\s\S]{0,500}?\S)`\1/.exec(rest);
    if (match === null) return null;
    const [open, close] = match[1] === '"' ? ['\u201c', '\u201d'] : ['\u2018', '\u2019'];
    return { runs: [{ ...style, text: open }, ...this.#inside(match[2] ?? '', style, depth), { ...style, text: close }], length: match[0].length };
  }

  /** `<<id,words>>` and `<https://…>`. */
  #reference(rest: string, style: RunStyle): { runs: FlowRun[]; length: number } | null {
    const cross = /^<<([^<>,\n]{1,200})(?:,([^<>]{0,500}))?>>/.exec(rest);
    if (cross !== null) return { runs: [{ ...style, text: (cross[2] ?? cross[1] ?? '').trim().replace(/^#/, '') }], length: cross[0].length };
    const link = /^<((?:https?|ftp|mailto):[^\s<>]{1,2000})>/.exec(rest);
    return link === null ? null : { runs: [{ ...style, text: link[1] ?? '', link: link[1] }], length: link[0].length };
  }

  #macro(rest: string, style: RunStyle, depth: number): { runs: FlowRun[]; length: number } | null {
    const url = address.exec(rest);
    if (url !== null && !rest.startsWith('mailto:')) {
      const label = /^\[((?:\\.|[^\]\\]){0,4000})\]/.exec(rest.slice(url[0].length));
      const words = label === null ? '' : linkWords(label[1] ?? '');
      const own = { ...style, link: url[0] };
      return { runs: words === '' ? [{ ...own, text: url[0] }] : this.#inside(words, own, depth), length: url[0].length + (label?.[0].length ?? 0) };
    }
    const match = macro.exec(rest);
    if (match === null) return null;
    const [whole, name = '', target = '', content = ''] = match;
    return { runs: this.#macroRuns(name, target, content.replace(/\\\]/g, ']'), style, depth), length: whole.length };
  }

  #macroRuns(name: string, target: string, content: string, style: RunStyle, depth: number): FlowRun[] {
    switch (name) {
      case 'link': return this.#inside(linkWords(content) || target, { ...style, link: target }, depth);
      case 'mailto': return this.#inside(linkWords(content) || target, { ...style, link: `mailto:${target}` }, depth);
      case 'xref': return this.#inside(linkWords(content) || target.replace(/^#/, ''), style, depth);
      case 'stem': case 'latexmath': case 'asciimath': return [{ kind: 'formula', text: content }];
      case 'image': case 'icon': return [{ ...style, text: /^[^,=]*/.exec(content)?.[0].trim() ?? '' }];
      case 'kbd': return [{ ...style, kind: 'code', text: content }];
      case 'menu': return [{ ...style, text: content === '' ? target : `${target} > ${content}` }];
      case 'indexterm': case 'anchor': return [];
      case 'footnote': case 'footnoteref': {
        if (content === '') return [];
        const note: FlowRun[] = [];
        this.read(content, {}, note, depth + 1);
        this.footnotes.push(note);
        return [{ ...style, text: `[${this.counted + this.footnotes.length}]`, script: 'super' }];
      }
      default: return [{ ...style, text: content }];
    }
  }
}

/** The words of a link's brackets, without the attributes behind them. */
function linkWords(content: string): string {
  const quoted = /^"((?:\\.|[^"\\])*)"/.exec(content);
  if (quoted !== null) return quoted[1] ?? '';
  return content.replace(/,\s*\w+\s*=.*$/s, '').replace(/\^$/, '').trim();
}

/** The runs of a text with its attributes replaced, and the footnotes that hang on it; `counted` stand before it. */
export function readInline(text: string, attributes: Attributes, counted: number): AsciiDocLine {
  const reader = new AsciiDocInlineReader(counted);
  const runs: FlowRun[] = [];
  const bare = withAttributes(text, attributes).replace(/\[\[[^\]\n]{1,200}\]\]/g, '').replace(/\(\(\([^()\n]{1,300}\)\)\)/g, '').replace(/\[(?:\.|#)[\w.#-]{1,100}\](?=[#*_`])/g, '');
  reader.read(bare.replace(/--(?=\s|$)|(?<=\w)--(?=\w)/g, '\u2014').replace(/\.\.\.(?!\.)/g, '\u2026'), {}, runs, 0);
  return { runs, footnotes: reader.footnotes };
}
