/** RTF's syntax: groups, words and characters in whatever code page, with the state that groups inherit; what a text is made into is its visitor's. */
import { LecternError } from '../../errors.js';

/** Where the characters of a group go. `skip`: nowhere; `body`: into the text; the others are what their visitors know. */
export type RtfDestination = 'skip' | 'body' | 'fonts' | 'markup' | 'instruction' | 'marker' | 'picture' | 'note';

/** Inherited by the groups within a group, and given back at its end. */
export interface RtfState {
  destination: RtfDestination;
  /** The group whose first word decided where its text goes: no group within it decides again. */
  isOutermost: boolean;
  /** Left out of the page that a text was made from: only programs that show RTF want it. */
  rtfOnly: boolean;
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strikethrough: boolean;
  hidden: boolean;
  script: 'sub' | 'super' | undefined;
  link: string | undefined;
  /** Code page of the font. */
  encoding: string | null;
  /** How many characters follow a `\u` for those who cannot read it. */
  fallback: number;
}

export interface RtfVisitor {
  text: (text: string, state: RtfState) => void;
  /** A word that this file does not know itself. */
  word: (name: string, value: number | null, state: RtfState) => void;
  begin: (state: RtfState) => void;
  /** With the state that ends. */
  end: (state: RtfState) => void;
}

const mostGroups = 1000;

/** Destinations that hold no text, or none for us; those marked `\*` are skipped unless they stand in `known`. */
const silent = new Set([
  'colortbl', 'stylesheet', 'info', 'header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf', 'nonshppict', 'objdata', 'filetbl',
  'listtable', 'listoverridetable', 'rsidtbl', 'revtbl', 'themedata', 'datastore', 'xe', 'tc', 'bkmkstart', 'bkmkend', 'ftnsep', 'aftnsep', 'nonesttables', 'pnseclvl', 'sp', 'shprslt',
]);
const known: Record<string, RtfDestination> = {
  fonttbl: 'fonts', htmltag: 'markup', fldinst: 'instruction', listtext: 'marker', pntext: 'marker', pict: 'picture', footnote: 'note', shppict: 'body', fldrslt: 'body', nesttableprops: 'body', shpinst: 'body', shptxt: 'note', annotation: 'note',
};

/** Windows code pages as encodings that the platform knows. */
const encodings: Record<number, string> = {
  874: 'windows-874', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 65001: 'utf-8', 10000: 'macintosh', 866: 'ibm866', 20866: 'koi8-r',
  ...Object.fromEntries([1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => [page, `windows-${page}`])),
};
/** What a font's character set means ([MS-RTF] \fcharset); 1 is the text's own. */
const characterSets: Record<number, number> = {
  0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250,
};

const signs: Record<string, string> = {
  lquote: '\u2018', rquote: '\u2019', ldblquote: '\u201c', rdblquote: '\u201d', bullet: '\u2022', emdash: '\u2014', endash: '\u2013', emspace: '\u2003', enspace: '\u2002',
};

const switches: Record<string, (state: RtfState, on: boolean) => void> = {
  b: (state, on) => { state.bold = on; }, i: (state, on) => { state.italic = on; }, ul: (state, on) => { state.underline = on; },
  ulnone: (state) => { state.underline = false; }, strike: (state, on) => { state.strikethrough = on; }, v: (state, on) => { state.hidden = on; },
  deleted: (state, on) => { state.hidden = on; }, super: (state, on) => { state.script = on ? 'super' : undefined; },
  sub: (state, on) => { state.script = on ? 'sub' : undefined; }, nosupersub: (state) => { state.script = undefined; },
  htmlrtf: (state, on) => { state.rtfOnly = on; },
  plain: (state) => { Object.assign(state, { bold: false, italic: false, underline: false, strikethrough: false, hidden: false, script: undefined }); },
};

class Walker {
  #state: RtfState = {
    destination: 'body', isOutermost: false, rtfOnly: false, bold: false, italic: false, underline: false, strikethrough: false, hidden: false, script: undefined, link: undefined,
    encoding: null, fallback: 1,
  };
  readonly #open: RtfState[] = [];
  readonly #fonts = new Map<number, string>();
  #font = 0;
  #encoding = 'windows-1252';
  /** Bytes that wait for the rest of their letter. */
  #bytes: number[] = [];
  /** Characters of a fallback that are still to be passed over. */
  #passing = 0;
  /** The group has just begun: its first word may say where it goes. */
  #isFirst = false;
  #isStarred = false;

  constructor(private readonly visitor: RtfVisitor) {}

  walk(text: string): void {
    const token = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gy;
    for (let match = token.exec(text); match !== null; match = token.exec(text)) {
      const [, word, digits, hex, symbol, brace, plain] = match;
      if (plain !== undefined) this.#plain(plain);
      else if (hex !== undefined) this.#byte(parseInt(hex, 16));
      else if (word !== undefined) token.lastIndex += this.#word(word, digits === undefined ? null : Number(digits));
      else if (symbol !== undefined) this.#symbol(symbol);
      else if (brace !== undefined) this.#brace(brace);
    }
    this.#flush();
  }

  #byte(byte: number): void {
    if (this.#passing > 0) this.#passing--;
    else this.#bytes.push(byte);
    this.#isFirst = false;
  }

  #plain(text: string): void {
    for (let index = 0; index < text.length; index++) this.#byte(text.charCodeAt(index) & 255);
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    // Markup of the page is written in the text's own code page, whatever the font.
    const { destination, encoding } = this.#state;
    this.#say(new TextDecoder(destination === 'markup' ? this.#encoding : encoding ?? this.#encoding).decode(bytes));
  }

  #say(text: string): void {
    if (this.#state.destination !== 'skip' && this.#state.destination !== 'fonts') this.visitor.text(text, this.#state);
  }

  #brace(brace: string): void {
    this.#flush();
    this.#passing = 0;
    this.#isStarred = false;
    this.#isFirst = brace === '{';
    if (brace === '{') {
      if (this.#open.length >= mostGroups) throw new LecternError('too_large', 'The text of the mail (RTF) is nested too deep.');
      this.#open.push(this.#state);
      this.#state = { ...this.#state, isOutermost: false };
      this.visitor.begin(this.#state);
      return;
    }
    const outer = this.#open.pop();
    if (outer === undefined) return;
    const ended = this.#state;
    this.#state = outer;
    this.visitor.end(ended);
  }

  #symbol(symbol: string): void {
    if (symbol === '*') {
      this.#isStarred = this.#isFirst;
      return;
    }
    this.#isFirst = false;
    if (this.#passing > 0) {
      this.#passing--;
      return;
    }
    if (symbol === '\\' || symbol === '{' || symbol === '}') {
      this.#bytes.push(symbol.charCodeAt(0));
      return;
    }
    this.#flush();
    if (symbol === '~') this.#say('\u00a0');
    else if (symbol === '_') this.#say('-');
    else if (symbol === '\n' || symbol === '\r') this.visitor.word('par', null, this.#state);
  }

  /** How many characters after the word are no text. */
  #word(name: string, value: number | null): number {
    if (name === 'bin') return Math.max(0, value ?? 0);
    this.#flush();
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst && this.#enters(name)) {
      this.visitor.word(name, value, this.#state);
      return 0;
    }
    if (name === 'u') {
      this.#say(String.fromCharCode((value ?? 0x3f) & 0xffff));
      this.#passing = this.#state.fallback;
      return 0;
    }
    if (this.#passing > 0) {
      this.#passing--;
      return 0;
    }
    const sign = signs[name];
    if (sign !== undefined) this.#say(sign);
    else if (Object.hasOwn(switches, name)) switches[name]?.(this.#state, value !== 0);
    else if (!this.#letters(name, value) && this.#state.destination !== 'skip') this.visitor.word(name, value, this.#state);
    return 0;
  }

  /** Whether the group's first word says where its text goes. */
  #enters(name: string): boolean {
    const destination = Object.hasOwn(known, name) ? known[name] : undefined;
    const isSilent = silent.has(name) || this.#isStarred && destination === undefined;
    this.#isStarred = false;
    if (destination === undefined && !isSilent) return false;
    if (this.#state.destination !== 'skip') this.#state.destination = isSilent ? 'skip' : destination as RtfDestination;
    this.#state.isOutermost = true;
    return true;
  }

  /** Words about code pages and fonts. */
  #letters(name: string, value: number | null): boolean {
    if (name === 'ansicpg') this.#encoding = encodings[value ?? 1252] ?? this.#encoding;
    else if (name === 'mac') this.#encoding = 'macintosh';
    else if (name === 'uc') this.#state.fallback = Math.max(0, value ?? 1);
    else if (name === 'f' || name === 'deff') {
      this.#font = value ?? 0;
      this.#state.encoding = this.#fonts.get(this.#font) ?? null;
    } else if (name === 'fcharset' && this.#state.destination === 'fonts') {
      const encoding = encodings[characterSets[value ?? 1] ?? 0];
      if (encoding !== undefined) this.#fonts.set(this.#font, encoding);
    } else return false;
    return true;
  }
}

/** Goes through RTF from beginning to end. Throws LecternError `too_large` where its groups are nested too deep; what is damaged is passed over. */
export function walkRtf(bytes: Uint8Array, visitor: RtfVisitor): void {
  new Walker(visitor).walk(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
}
