/** GBNF read and walked without the engine, the plainest way: whether a text is in its language, and random texts of it. */

type Node =
  | { kind: 'points'; matches: (point: number) => boolean; some: number[] }
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'choice'; options: Node[] }
  | { kind: 'repeat'; item: Node; least: number; most: number }
  | { kind: 'rule'; name: string };

export interface Gbnf {
  /** Whether the whole text can be derived from `root`. */
  matches(text: string): boolean;
  /** Whether some text of the language begins so. */
  begins(text: string): boolean;
  /** A text of the language; `random` from 0 to 1. */
  walk(random: () => number): string;
  ruleCount: number;
}

export function readGbnf(source: string): Gbnf {
  const rules = new Reader(source).rules();
  const height = heightsOf(rules);
  for (const name of rules.keys()) if (!height.has(name)) throw new Error(`The rule ${name} never ends.`);
  return {
    matches: (text) => new Matcher(rules, text).matches(),
    begins: (text) => new Matcher(rules, text).begins(),
    walk: (random) => new Walker(rules, height, random).text(),
    ruleCount: rules.size,
  };
}

class Reader {
  readonly #points: string[];
  #at = 0;

  constructor(source: string) {
    this.#points = [...source];
  }

  rules(): Map<string, Node> {
    const rules = new Map<string, Node>();
    for (this.#blanks(true); this.#at < this.#points.length; this.#blanks(true)) {
      const name = this.#name();
      this.#blanks(false);
      this.#expect('::=');
      if (rules.has(name)) throw new Error(`The rule ${name} is there twice.`);
      rules.set(name, this.#choice());
    }
    const used = (node: Node): string[] => {
      if (node.kind === 'rule') return [node.name];
      return node.kind === 'sequence' ? node.items.flatMap(used) : node.kind === 'choice' ? node.options.flatMap(used) : node.kind === 'repeat' ? used(node.item) : [];
    };
    for (const body of rules.values()) for (const name of used(body)) if (!rules.has(name)) throw new Error(`There is no rule ${name}.`);
    return rules;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return { kind: 'choice', options };
  }

  #sequence(): Node {
    const items: Node[] = [];
    for (this.#blanks(false); ; this.#blanks(false)) {
      const next = this.#points[this.#at];
      if (next === undefined || next === '\n' || next === '|' || next === ')') return { kind: 'sequence', items };
      items.push(this.#repeated(this.#atom()));
    }
  }

  #atom(): Node {
    if (this.#take('(')) {
      const inside = this.#choice();
      this.#expect(')');
      return inside;
    }
    if (this.#take('"')) {
      const items: Node[] = [];
      while (!this.#take('"')) {
        const point = this.#point();
        items.push({ kind: 'points', matches: (other) => other === point, some: [point] });
      }
      return { kind: 'sequence', items };
    }
    if (this.#take('.')) return { kind: 'points', matches: () => true, some: [0x61, 0x22, 0x0a, 0xe9, 0x4e2d, 0x1f600] };
    return this.#take('[') ? this.#class() : { kind: 'rule', name: this.#name() };
  }

  #class(): Node {
    const negated = this.#take('^');
    if (this.#points[this.#at] === ']') throw new Error(`A class is empty at ${this.#at}.`);
    const ranges: [number, number][] = [];
    while (!this.#take(']')) {
      const first = this.#point();
      ranges.push([first, this.#take('-') ? this.#point() : first]);
    }
    const inside = (point: number): boolean => ranges.some(([first, last]) => point >= first && point <= last);
    const matches = (point: number): boolean => inside(point) !== negated;
    const candidates = [...ranges.flat(), ...ranges.map(([first, last]) => Math.floor((first + last) / 2)), ...ranges.flatMap(([first, last]) => [first - 1, last + 1]), 0x61, 0x20, 0xe9, 0x4e2d, 0x1f600];
    const some = candidates.filter((point) => point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) && matches(point));
    return { kind: 'points', matches, some };
  }

  #repeated(item: Node): Node {
    const next = this.#points[this.#at];
    const of = (least: number, most: number): Node => this.#repeated({ kind: 'repeat', item, least, most });
    if (next === '*' || next === '+' || next === '?') {
      this.#at += 1;
      return of(next === '+' ? 1 : 0, next === '?' ? 1 : Infinity);
    }
    if (!this.#take('{')) return item;
    const least = this.#number();
    const most = this.#take(',') ? (this.#points[this.#at] === '}' ? Infinity : this.#number()) : least;
    this.#expect('}');
    return of(least, most);
  }

  #point(): number {
    const point = this.#points[this.#at] ?? '';
    this.#at += 1;
    if (point !== '\\') return point.codePointAt(0) ?? 0;
    const letter = this.#points[this.#at] ?? '';
    this.#at += 1;
    const digits = { x: 2, u: 4, U: 8 }[letter];
    if (digits === undefined) return { n: 10, r: 13, t: 9 }[letter] ?? letter.codePointAt(0) ?? 0;
    this.#at += digits;
    return Number.parseInt(this.#points.slice(this.#at - digits, this.#at).join(''), 16);
  }

  #name(): string {
    const begin = this.#at;
    while (/^[A-Za-z0-9-]$/.test(this.#points[this.#at] ?? '')) this.#at += 1;
    if (this.#at === begin) throw new Error(`There is no name at ${begin}: ${this.#points.slice(begin, begin + 20).join('')}`);
    return this.#points.slice(begin, this.#at).join('');
  }

  #number(): number {
    const begin = this.#at;
    while (/^\d$/.test(this.#points[this.#at] ?? '')) this.#at += 1;
    return Number(this.#points.slice(begin, this.#at).join(''));
  }

  #blanks(lines: boolean): void {
    while (this.#points[this.#at] === ' ' || (lines && this.#points[this.#at] === '\n')) this.#at += 1;
  }

  #take(text: string): boolean {
    const found = this.#points.slice(this.#at, this.#at + text.length).join('') === text;
    if (found) this.#at += text.length;
    return found;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new Error(`Expected ${text} at ${this.#at}: ${this.#points.slice(this.#at, this.#at + 20).join('')}`);
  }
}

/** By all ends that an expression can have from a place. */
class Matcher {
  readonly #rules: Map<string, Node>;
  readonly #text: number[];
  readonly #known = new Map<string, Set<number>>();
  readonly #open = new Set<string>();
  /** A character was wanted behind the last one. */
  #wantsMore = false;

  constructor(rules: Map<string, Node>, text: string) {
    this.#rules = rules;
    this.#text = [...text].map((point) => point.codePointAt(0) ?? 0);
  }

  matches(): boolean {
    return this.#ends({ kind: 'rule', name: 'root' }, 0).has(this.#text.length);
  }

  begins(): boolean {
    return this.matches() || this.#wantsMore;
  }

  #ends(node: Node, from: number): Set<number> {
    switch (node.kind) {
      case 'points':
        this.#wantsMore ||= from === this.#text.length;
        return new Set(from < this.#text.length && node.matches(this.#text[from] ?? 0) ? [from + 1] : []);
      case 'choice': return new Set(node.options.flatMap((option) => [...this.#ends(option, from)]));
      case 'sequence': return node.items.reduce((places, item) => new Set([...places].flatMap((place) => [...this.#ends(item, place)])), new Set([from]));
      case 'repeat': return this.#repeated(node, from);
      case 'rule': return this.#rule(node.name, from);
    }
  }

  #repeated({ item, least, most }: { item: Node; least: number; most: number }, from: number): Set<number> {
    const found = new Set<number>();
    let places = new Set([from]);
    for (let count = 0; count <= most && places.size > 0; count += 1) {
      if (count >= least) for (const place of places) found.add(place);
      if (count === most) break;
      const next = new Set([...places].flatMap((place) => [...this.#ends(item, place)]));
      if (count >= least) for (const place of next) if (found.has(place)) next.delete(place);
      places = next;
    }
    return found;
  }

  #rule(name: string, from: number): Set<number> {
    const key = `${name} ${from}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#open.has(key)) throw new Error(`The rule ${name} begins with itself.`);
    this.#open.add(key);
    const ends = this.#ends(this.#rules.get(name) as Node, from);
    this.#open.delete(key);
    this.#known.set(key, ends);
    return ends;
  }
}

/** How deep the shallowest derivation of a rule is. */
function heightsOf(rules: Map<string, Node>): Map<string, number> {
  const heights = new Map<string, number>();
  for (let changed = true; changed;) {
    changed = false;
    for (const [name, body] of rules) {
      const height = 1 + heightOf(body, heights);
      if (height >= (heights.get(name) ?? Infinity)) continue;
      heights.set(name, height);
      changed = true;
    }
  }
  return heights;
}

function heightOf(node: Node, heights: Map<string, number>): number {
  switch (node.kind) {
    case 'points': return node.some.length > 0 ? 0 : Infinity;
    case 'rule': return heights.get(node.name) ?? Infinity;
    case 'sequence': return Math.max(0, ...node.items.map((item) => heightOf(item, heights)));
    case 'choice': return Math.min(...node.options.map((option) => heightOf(option, heights)));
    case 'repeat': return node.least === 0 ? 0 : heightOf(node.item, heights);
  }
}

const patience = 400;

class Walker {
  readonly #rules: Map<string, Node>;
  readonly #heights: Map<string, number>;
  readonly #random: () => number;
  #steps = 0;

  constructor(rules: Map<string, Node>, heights: Map<string, number>, random: () => number) {
    this.#rules = rules;
    this.#heights = heights;
    this.#random = random;
  }

  text(): string {
    return this.#walk({ kind: 'rule', name: 'root' });
  }

  #walk(node: Node): string {
    this.#steps += 1;
    const hurries = this.#steps > patience;
    switch (node.kind) {
      case 'points': return String.fromCodePoint(this.#pick(node.some));
      case 'rule': return this.#walk(this.#rules.get(node.name) as Node);
      case 'sequence': return node.items.map((item) => this.#walk(item)).join('');
      case 'choice': {
        const ending = node.options.filter((option) => heightOf(option, this.#heights) < Infinity);
        const shortest = [...ending].sort((a, b) => heightOf(a, this.#heights) - heightOf(b, this.#heights)).slice(0, 1);
        return this.#walk(this.#pick(hurries ? shortest : ending));
      }
      case 'repeat': {
        const more = hurries ? 0 : this.#random() < 0.1 ? Math.min(node.most, node.least + 40) - node.least : Math.floor(this.#random() * 4);
        const count = Math.min(node.most, node.least + (heightOf(node.item, this.#heights) < Infinity ? more : 0));
        return Array.from({ length: count }, () => this.#walk(node.item)).join('');
      }
    }
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}
