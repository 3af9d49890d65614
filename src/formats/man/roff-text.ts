/** Text of roff with its escapes as runs: fonts become styles, names of characters become characters, motions and sizes are left out. */
import type { FlowRun, RunStyle } from '../flow/flow-blocks.js';
import { RoffBudget } from './roff-budget.js';

/** Names of characters (groff_char(7)) that manual pages use. */
const characters = new Map(Object.entries({
  bu: '\u2022', co: '\u00a9', rg: '\u00ae', tm: '\u2122', em: '\u2014', en: '\u2013', hy: '\u2010', mi: '\u2212', pl: '+', mu: '\u00d7', di: '\u00f7', eq: '=', '==': '\u2261', '!=': '\u2260', '>=': '\u2265', '<=': '\u2264', '+-': '\u00b1',
  lq: '\u201c', rq: '\u201d', oq: '\u2018', cq: '\u2019', aq: "'", dq: '"', Bq: '\u201e', bq: '\u201a', ga: '`', aa: '\u00b4', ha: '^', ti: '~', rs: '\\', sl: '/', ba: '|', or: '|', at: '@', sh: '#', Do: '$', lB: '[', rB: ']', lC: '{', rC: '}', la: '\u27e8', ra: '\u27e9',
  '->': '\u2192', '<-': '\u2190', '<>': '\u2194', ua: '\u2191', da: '\u2193', 'rA': '\u21d2', lA: '\u21d0', de: '\u00b0', fm: '\u2032', sd: '\u2033', dg: '\u2020', dd: '\u2021', sc: '\u00a7', ps: '\u00b6', ct: '\u00a2', Po: '\u00a3', Eu: '\u20ac', eu: '\u20ac', Ye: '\u00a5', if: '\u221e', sr: '\u221a',
  ss: '\u00df', ae: '\u00e6', AE: '\u00c6', oe: '\u0153', OE: '\u0152', '/o': '\u00f8', '/O': '\u00d8', '/l': '\u0142', '/L': '\u0141', oa: '\u00e5', oA: '\u00c5', TP: '\u00de', Tp: '\u00fe', '-D': '\u00d0', Sd: '\u00f0', '.i': '\u0131', ij: '\u0133', IJ: '\u0132',
  '*a': '\u03b1', '*b': '\u03b2', '*g': '\u03b3', '*d': '\u03b4', '*e': '\u03b5', '*h': '\u03b8', '*m': '\u03bc', '*p': '\u03c0', '*l': '\u03bb', '*s': '\u03c3', '*w': '\u03c9', '*D': '\u0394', '*S': '\u03a3', '*W': '\u03a9', '*F': '\u03a6',
  '12': '\u00bd', '14': '\u00bc', '34': '\u00be', S2: '\u00b2', S3: '\u00b3', Fo: '\u00ab', Fc: '\u00bb', fo: '\u2039', fc: '\u203a', r: '\u00ae', 'r!': '\u00a1', 'r?': '\u00bf', ul: '_', rn: '\u203e', br: '\u2502', ff: '\ufb00', fi: '\ufb01', fl: '\ufb02', sq: '\u25a1', ci: '\u25cb', lz: '\u25ca', CR: '\u21b5', OK: '\u2713', ap: '\u223c', '~~': '\u2248', '~=': '\u2245', no: '\u00ac', 'mo': '\u2208', te: '\u2203', fa: '\u2200', es: '\u2205', 'pc': '\u00b7', md: '\u22c5', '**': '\u2217',
  u2026: '\u2026', R: '\u00ae', Tm: '\u2122', Lq: '\u201c', Rq: '\u201d',
}));

/** Accents before their letter, as `'a`. */
const accents: Record<string, string> = { "'": '\u0301', '`': '\u0300', '^': '\u0302', '~': '\u0303', ':': '\u0308', ',': '\u0327', v: '\u030c' };

/** `u0041`, or a base and its marks `u0041_0301`. A name that is not known stays as it is. */
function named(name: string): string {
  const points = /^u([0-9A-Fa-f]{4,6}(?:_[0-9A-Fa-f]{4,6}){0,5})$/.exec(name)?.[1]?.split('_').map((code) => Number.parseInt(code, 16));
  if (points?.every((point) => point > 0 && point <= 0x10ffff) === true) return String.fromCodePoint(...points).normalize('NFC');
  const byte = /^char(\d{1,3})$/.exec(name)?.[1];
  if (byte !== undefined) return String.fromCodePoint(Number(byte));
  const accent = name.length === 2 && /^[A-Za-z]$/.test(name[1] ?? '') ? accents[name[0] ?? ''] : undefined;
  return characters.get(name) ?? (accent === undefined ? name : `${name[1]}${accent}`.normalize('NFC'));
}

/** The styles of fonts by their names. Fonts of constant width are no code by themselves: pages set single options in them. */
function styleOf(font: string): RunStyle {
  return { ...(/^(?:B|3|CB|BI|4|CBI)$/.test(font) && { bold: true }), ...(/^(?:I|2|CI|BI|4|CBI)$/.test(font) && { italic: true }) };
}

/** An argument of an escape: one character, `(xx`, or `[name]`. */
function nameAt(text: string, at: number): { name: string; end: number } {
  if (text[at] === '(') return { name: text.slice(at + 1, at + 3), end: at + 3 };
  if (text[at] !== '[') return { name: text[at] ?? '', end: at + 1 };
  const close = text.indexOf(']', at);
  return close < 0 ? { name: text.slice(at + 1), end: text.length } : { name: text.slice(at + 1, close), end: close + 1 };
}

/** Behind an argument in quotes of its own kind, as `'...'` of `\h'...'`. */
function behindQuoted(text: string, at: number): number {
  const quote = text[at] ?? '';
  const close = quote === '' ? -1 : text.indexOf(quote, at + 1);
  return close < 0 ? text.length : close + 1;
}

/** Single characters behind a backslash that stand for text. */
const shortEscapes: Record<string, string> = { '-': '-', e: '\\', E: '\\', '\\': '\\', ' ': ' ', '~': ' ', 0: ' ', t: '\t', '.': '.', "'": "'", '`': '`', _: '_', '"': '' };
const quotedEscapes = new Set(['h', 'v', 'w', 'l', 'L', 'b', 'x', 'X', 'D', 'A', 'B', 'R', 'H', 'S', 'Z']);
const namedEscapes = new Set(['n', 'm', 'M', 'F', 'g', 'k', 'V', 'Y', '$', '*']);

/** What `\*` gives: strings that pages and macros define, and how much they may make. */
export class RoffStrings extends Map<string, string> {
  readonly budget = new RoffBudget();
}

export const predefinedStrings = (): RoffStrings => new RoffStrings([['lq', '\u201c'], ['rq', '\u201d'], ['Lq', '\u201c'], ['Rq', '\u201d'], ['R', '\u00ae'], ['Tm', '\u2122'], ['Am', '&'], ['Ba', '|'], ['Ge', '\u2265'], ['Le', '\u2264'], ['Ne', '\u2260'], ['Pm', '\u00b1'], ['q', '"'], ['Pi', '\u03c0'], ['If', '\u221e'], ['Na', 'NaN']]);

/** Strings in strings are followed that deep. */
const deepest = 8;

/** Reads lines one after the other: a font lasts until the next one. */
export class RoffText {
  #font = 'R';
  #previous = 'R';
  /** Half lines above the baseline. */
  #raised = 0;

  constructor(private readonly strings: RoffStrings) {}

  /** Back to the upright font, as headings and tags begin. */
  upright(): void {
    this.#font = 'R';
    this.#previous = 'R';
    this.#raised = 0;
  }

  /** The runs of a line without its end; `style` is that of the macro. `continues`: the next line follows without a space. */
  runs(line: string, style: RunStyle = {}, depth = 0): { runs: FlowRun[]; continues: boolean } {
    const runs: FlowRun[] = [];
    let [text, continues] = ['', false];
    const end = (): void => {
      if (text !== '') runs.push({ ...style, ...styleOf(this.#font), ...(this.#raised !== 0 && { script: this.#raised > 0 ? 'super' : 'sub' }), text });
      text = '';
    };
    for (let at = 0; at < line.length;) {
      const next = line.indexOf('\\', at);
      text += line.slice(at, next < 0 ? undefined : next);
      if (next < 0) break;
      const escape = line[next + 1] ?? '';
      at = next + 2;
      if (escape === '"' || escape === '#') break;
      if (escape === 'c') {
        continues = true;
        break;
      }
      if (escape === '(' || escape === '[' || escape === 'C') {
        const { name, end: behind } = escape === 'C' ? { name: line.slice(at + 1, behindQuoted(line, at) - 1), end: behindQuoted(line, at) } : nameAt(line, at - 1);
        text += named(name);
        at = behind;
      } else if (escape === 'f') {
        const { name, end: behind } = nameAt(line, at);
        end();
        [this.#font, this.#previous] = [name === 'P' || name === '' ? this.#previous : name, this.#font];
        at = behind;
      } else if (escape === '*') {
        const { name, end: behind } = nameAt(line, at);
        end();
        const value = this.strings.get(name) ?? '';
        if (depth < deepest && this.strings.budget.takeText(value.length)) for (const run of this.runs(value, style, depth + 1).runs) runs.push(run);
        at = behind;
      } else if (escape === 's') at = next + (/^\\s(?:[+-]?\(?[+-]?\d{1,2}|\[[^\]]*\]|[+-]?'[^']*')/.exec(line.slice(next, next + 20))?.[0].length ?? 2);
      else if (escape === 'u' || escape === 'd') {
        end();
        this.#raised += escape === 'u' ? 1 : -1;
      } else if (escape === 'N') {
        const behind = behindQuoted(line, at);
        const code = Number(line.slice(at + 1, behind - 1));
        if (code > 0 && code <= 0x10ffff) text += String.fromCodePoint(code);
        at = behind;
      } else if (quotedEscapes.has(escape)) at = behindQuoted(line, at);
      else if (escape === 'o') {
        const behind = behindQuoted(line, at);
        text += line.slice(at + 1, behind - 1);
        at = behind;
      } else if (namedEscapes.has(escape)) at = nameAt(line, at).end;
      else text += shortEscapes[escape] ?? (/[\w|^&/,:%{}!?)zduprac]/.test(escape) ? '' : escape);
    }
    end();
    return { runs, continues };
  }
}

/** The arguments of a request: parted by spaces, or in quotation marks, where two are one. */
export function requestArguments(rest: string): string[] {
  const found: string[] = [];
  const text = rest.replace(/(^|[^\\])\\".*$/, '$1');
  for (let at = 0; at < text.length;) {
    if (text[at] === ' ' || text[at] === '\t') {
      at++;
      continue;
    }
    let one = '';
    if (text[at] === '"') {
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') one += text[at];
        else if (text[at + 1] === '"') one += text[at++];
        else break;
      }
      at++;
    } else {
      for (; at < text.length && text[at] !== ' ' && text[at] !== '\t'; at++) {
        one += text[at];
        // A space behind a backslash belongs to the argument.
        if (text[at] === '\\' && at + 1 < text.length) one += text[++at];
      }
    }
    found.push(one);
  }
  return found;
}
