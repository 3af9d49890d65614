/**
 * The XML reader of all formats: a cursor over one part, and small trees of what it stands on. Entities of a document's own are
 * never expanded and nothing is ever fetched: a DOCTYPE is stepped over, and an unknown `&name;` stays as it is written.
 */
import { LecternError } from '../errors.js';
import { carriageReturn, doubleQuote, exclamationMark, firstSurrogate, greaterThan, lastCodePoint, lastSurrogate, lessThan, lineFeed, questionMark, singleQuote, slash, space, tab } from './character-codes.js';
import { decodeXml } from './xml-text.js';

/** Deeper than any document that a person made; readers may walk a tree of this depth by recursion. */
const maximumDepth = 1024;
/** Of one tree: some 600 MB of objects. */
const maximumNodes = 4_000_000;

export interface XmlOptions {
  /** Address of a namespace -> the prefix under which names of it are given, whatever prefix the file uses; '' for none. */
  namespaces?: Readonly<Record<string, string>> | undefined;
  /** Named characters beyond XML's own five, such as HTML's: `{ nbsp: '\u00a0' }`. */
  entities?: Readonly<Record<string, string>> | undefined;
  /** What the part is called in messages; a whole sentence's subject: `The file`, `The part word/document.xml`. */
  subject?: string | undefined;
}

/** Prefixes in force, and the names already translated under them. */
interface NamespaceScope {
  prefixes: Readonly<Record<string, string>>;
  names: Map<string, string>;
}

export type XmlNode = XmlElement | string;

/** One element with all below it. Names have the prefixes of the reader's options. */
export class XmlElement {
  readonly children: XmlNode[] = [];
  #attributes: Map<string, string> | null = null;

  constructor(readonly name: string, private readonly raw: string, private readonly reader: XmlReader, private readonly scope: unknown) {}

  /** An attribute's value, or undefined. */
  get(name: string): string | undefined {
    return this.attributes.get(name);
  }

  /** Read when first asked for: most attributes of most documents are never read. */
  get attributes(): ReadonlyMap<string, string> {
    return (this.#attributes ??= this.reader.readAttributes(this.raw, this.scope as NamespaceScope));
  }

  /** The first child element of that name. */
  child(name: string): XmlElement | undefined {
    for (const child of this.children) if (typeof child !== 'string' && child.name === name) return child;
    return undefined;
  }

  /** The first element along a path of names, one level each. */
  at(...path: string[]): XmlElement | undefined {
    const [name, ...rest] = path;
    const found = name === undefined ? undefined : this.child(name);
    return rest.length === 0 ? found : found?.at(...rest);
  }

  /** Child elements: all, or those of one name. */
  *elements(name?: string): Generator<XmlElement> {
    for (const child of this.children) if (typeof child !== 'string' && (name === undefined || child.name === name)) yield child;
  }

  /** Elements of that name at any depth, in document order; what is inside a found one is not searched. */
  *descendants(name: string): Generator<XmlElement> {
    for (const child of this.elements()) {
      if (child.name === name) yield child;
      else yield* child.descendants(name);
    }
  }

  /** All text below, as it stands. */
  get text(): string {
    let text = '';
    for (const child of this.children) text += typeof child === 'string' ? child : child.text;
    return text;
  }
}

const isSpace = (code: number): boolean => code === space || code === lineFeed || code === carriageReturn || code === tab;
const commentOpen = '<!--';
const characterDataOpen = '<![CDATA[';
const characterDataClose = ']]>';
/** A name begins behind a space, a sign of equality or a quotation mark: searched for within a long word it would cost the square of its length. */
const attributePattern = /(?<![^\s="'])([^\s="']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * A cursor: `next()` moves to the next tag or text and says whether there is one. Throws LecternError `invalid_document` where
 * the part is not well-formed, and `too_large` where one tree would not fit.
 */
export class XmlReader {
  kind: 'start' | 'end' | 'text' | 'none' = 'none';
  /** Of a start or an end. */
  name = '';
  /** Of a text. */
  text = '';
  readonly #source: string;
  readonly #options: XmlOptions;
  readonly #open: string[] = [];
  readonly #scopes: NamespaceScope[] = [];
  #scope: NamespaceScope = { prefixes: {}, names: new Map() };
  #at = 0;
  #raw = '';
  #empty = false;

  constructor(source: Uint8Array | string, options: XmlOptions = {}) {
    this.#source = typeof source === 'string' ? source : decodeXml(source);
    this.#options = options;
  }

  /** Elements that are open around the cursor; at a start the element itself counts. */
  get depth(): number {
    return this.#open.length;
  }

  next(): boolean {
    if (this.#empty) {
      this.#empty = false;
      return this.#close();
    }
    for (;;) {
      const source = this.#source;
      const from = this.#at;
      const open = source.indexOf('<', from);
      if (open !== from && this.#open.length > 0) {
        if (open < 0) throw this.#broken();
        this.#at = open;
        this.kind = 'text';
        this.text = this.decode(source.slice(from, open));
        return true;
      }
      if (open < 0) {
        if (this.kind === 'none') throw this.#broken();
        return false;
      }
      const code = source.charCodeAt(open + 1);
      if (code === slash) return this.#endTag(open);
      if (code === exclamationMark) {
        if (this.#markup(open)) return true;
      } else if (code === questionMark) this.#at = this.#after('?>', open + 2);
      else return this.#startTag(open);
    }
  }

  /** At a start: an attribute of this element. */
  attribute(name: string): string | undefined {
    return this.readAttributes(this.#raw, this.#scope).get(name);
  }

  /** At a start: the element with all below it; the cursor then stands at its end. */
  element(): XmlElement {
    const root = new XmlElement(this.name, this.#raw, this, this.#scope);
    const path = [root];
    let nodes = 1;
    while (path.length > 0) {
      if (!this.next()) throw this.#broken();
      if (this.kind === 'end') {
        path.pop();
        continue;
      }
      if (++nodes > maximumNodes) throw new LecternError('too_large', `${this.#subject} has more elements than can be read at once.`);
      const parent = path[path.length - 1] as XmlElement;
      if (this.kind === 'text') {
        parent.children.push(this.text);
        continue;
      }
      const element = new XmlElement(this.name, this.#raw, this, this.#scope);
      parent.children.push(element);
      path.push(element);
    }
    return root;
  }

  /** At a start: moves to the element's end. */
  skip(): void {
    const depth = this.#open.length;
    while (this.#open.length >= depth) if (!this.next()) throw this.#broken();
  }

  /** Moves to the next start of an element one level below depth `depth`; false at the end of the element of that depth. */
  nextChild(depth: number): boolean {
    while (this.next()) {
      if (this.kind === 'start' && this.#open.length === depth + 1) return true;
      if (this.kind === 'end' && this.#open.length < depth) return false;
    }
    return false;
  }

  /** Text with its references to characters replaced; those to anything else stay. */
  decode(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{0,31}));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? (Object.hasOwn(this.#options.entities ?? {}, name) ? this.#options.entities?.[name] : undefined) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= lastCodePoint && (code < firstSurrogate || code > lastSurrogate) ? String.fromCodePoint(code) : '\ufffd';
    });
  }

  /** What stands in a tag behind its name, as a map. */
  readAttributes(raw: string, scope: NamespaceScope): Map<string, string> {
    const attributes = new Map<string, string>();
    for (const [, name = '', double, single] of raw.matchAll(attributePattern)) {
      // A name without prefix is in no namespace, whatever the default one is.
      const known = name.includes(':') ? this.#translate(name, scope) : name;
      attributes.set(known, this.decode((double ?? single ?? '').replace(/[\t\n\r]/g, ' ')));
    }
    return attributes;
  }

  get #subject(): string {
    return this.#options.subject ?? 'The file';
  }

  #broken(): LecternError {
    return new LecternError('invalid_document', `${this.#subject} is damaged: it is not well-formed XML.`);
  }

  #after(mark: string, from: number): number {
    const at = this.#source.indexOf(mark, from);
    if (at < 0) throw this.#broken();
    return at + mark.length;
  }

  #startTag(open: number): boolean {
    const source = this.#source;
    let end = open + 1;
    let nameEnd = 0;
    for (; ; end++) {
      const code = source.charCodeAt(end);
      if (code === greaterThan) break;
      if (code === doubleQuote || code === singleQuote) {
        end = source.indexOf(code === doubleQuote ? '"' : "'", end + 1);
        if (end < 0) throw this.#broken();
      } else if (nameEnd === 0 && (isSpace(code) || code === slash)) nameEnd = end;
      else if (code !== code || code === lessThan) throw this.#broken();
    }
    this.#at = end + 1;
    this.#empty = source.charCodeAt(end - 1) === slash;
    if (nameEnd === 0) nameEnd = end;
    if (nameEnd === open + 1) throw this.#broken();
    this.#raw = nameEnd < end - 1 ? source.slice(nameEnd, this.#empty ? end - 1 : end) : '';
    this.#scopes.push(this.#scope);
    if (this.#raw.includes('xmlns')) this.#scope = this.#widened(this.#raw);
    this.name = this.#translate(source.slice(open + 1, nameEnd), this.#scope);
    this.#open.push(this.name);
    if (this.#open.length > maximumDepth) throw new LecternError('invalid_document', `${this.#subject} is nested deeper than ${maximumDepth} levels.`);
    this.kind = 'start';
    return true;
  }

  #endTag(open: number): boolean {
    const end = this.#after('>', open);
    this.#at = end;
    const name = this.#translate(this.#source.slice(open + 2, end - 1).trimEnd(), this.#scope);
    if (name !== this.#open[this.#open.length - 1]) throw this.#broken();
    return this.#close();
  }

  #close(): boolean {
    this.name = this.#open.pop() ?? '';
    this.#scope = this.#scopes.pop() as NamespaceScope;
    this.kind = 'end';
    return true;
  }

  /** Comments, declarations and character data; true where the cursor now stands on a text. */
  #markup(open: number): boolean {
    const source = this.#source;
    if (source.startsWith(commentOpen, open)) {
      this.#at = this.#after('-->', open + commentOpen.length);
      return false;
    }
    if (source.startsWith(characterDataOpen, open)) {
      this.#at = this.#after(characterDataClose, open + characterDataOpen.length);
      if (this.#open.length === 0) throw this.#broken();
      this.kind = 'text';
      this.text = source.slice(open + characterDataOpen.length, this.#at - characterDataClose.length);
      return true;
    }
    this.#at = this.#afterDeclaration(open + 2);
    return false;
  }

  /** Past a DOCTYPE with the declarations inside it, none of which is obeyed. */
  #afterDeclaration(from: number): number {
    let depth = 1;
    for (let at = from; at < this.#source.length; at++) {
      const char = this.#source[at];
      if (char === '"' || char === "'") at = this.#after(char, at + 1) - 1;
      else if (char === '<' && this.#source.startsWith(commentOpen, at)) at = this.#after('-->', at + commentOpen.length) - 1;
      else if (char === '<') depth++;
      else if (char === '>' && --depth === 0) return at + 1;
    }
    throw this.#broken();
  }

  #widened(raw: string): NamespaceScope {
    const prefixes = { ...this.#scope.prefixes };
    for (const [, name = '', double, single] of raw.matchAll(attributePattern)) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      const own = name.slice(6);
      const known = this.#options.namespaces?.[double ?? single ?? ''];
      prefixes[own] = known ?? own;
    }
    return { prefixes, names: new Map() };
  }

  #translate(name: string, scope: NamespaceScope): string {
    const cached = scope.names.get(name);
    if (cached !== undefined) return cached;
    const colon = name.indexOf(':');
    const own = colon < 0 ? '' : name.slice(0, colon);
    const local = name.slice(colon + 1);
    const prefix = Object.hasOwn(scope.prefixes, own) ? scope.prefixes[own] : own;
    const translated = prefix === '' || prefix === undefined ? local : `${prefix}:${local}`;
    scope.names.set(name, translated);
    return translated;
  }
}

const named: Record<string, string | undefined> = Object.assign(Object.create(null) as object, { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" });

/** The whole part as one tree. Throws as the reader does. */
export function parseXml(source: Uint8Array | string, options: XmlOptions = {}): XmlElement {
  const reader = new XmlReader(source, options);
  while (reader.next()) if (reader.kind === 'start') return reader.element();
  throw new LecternError('invalid_document', `${options.subject ?? 'The file'} is damaged: it holds no XML.`);
}
