/** Numbers as TeX prints them: of sections, formulas, figures, tables, theorems and entries of the bibliography, found before the text is read. */

export interface LatexNumbers {
  /** What `\ref` prints, by label. */
  labels: Map<string, string>;
  /** What `\cite` prints between its brackets, by key. */
  citations: Map<string, string>;
  /** Printed names of the environments that are theorems. */
  theorems: Map<string, string>;
  /** Numbers of theorems, by the place right behind their `\begin`. */
  theoremNumbers: Map<number, string>;
}

interface TheoremKind {
  title: string;
  /** The counter that it takes; null where it is not counted. */
  counter: string | null;
}

/** Those that document classes bring along. */
const usualTheorems = ['theorem', 'lemma', 'corollary', 'proposition', 'definition', 'remark', 'example', 'conjecture', 'claim', 'assumption', 'axiom', 'problem', 'exercise', 'observation', 'fact', 'notation'];
const sectionNames = ['chapter', 'section', 'subsection', 'subsubsection'];
const countedFormulas = new Set(['equation', 'align', 'gather', 'multline', 'eqnarray', 'flalign', 'alignat', 'dmath']);
/** Formulas of which each line is counted. */
const lineFormulas = new Set(['align', 'gather', 'eqnarray', 'flalign', 'alignat']);
const floatCounters: Record<string, string> = { figure: 'figure', wrapfigure: 'figure', sidewaysfigure: 'figure', SCfigure: 'figure', table: 'table', wraptable: 'table', sidewaystable: 'table', longtable: 'table', algorithm: 'algorithm', listing: 'listing' };
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** What counts and what is labelled, in the order of the source. */
const counting = /\\(?:begin\s*\{([A-Za-z]+)(\*?)\}|end\s*\{([A-Za-z]+)\*?\}|label\s*\{([^{}]{1,200})\}|(chapter|section|subsection|subsubsection)(\*?)(?=[\s[{])|(appendix)\b|(item)\b|(caption)(?=[\s[{])|(\\)|(nonumber|notag)\b|bibitem\s*(?:\[((?:[^\][]|\[[^\]]{0,100}\]){0,300})\])?\s*\{([^{}]{1,200})\})/g;
const definitions = /\\newtheorem(\*?)\s*\{([A-Za-z]+\*?)\}\s*(?:\[([A-Za-z]+)\])?\s*\{([^{}]{1,100})\}\s*(?:\[([A-Za-z]+)\])?/g;

class Counters {
  readonly labels = new Map<string, string>();
  readonly citations = new Map<string, string>();
  readonly theoremNumbers = new Map<number, string>();
  readonly #values = new Map<string, number>();
  readonly #within = new Map<string, string>();
  #isAppendix = false;
  /** What a label names here: the number that was counted last, of the group it stands in. */
  #current: string[] = [''];
  #formula: { name: string; pending: boolean } | null = null;
  #enumerated = 0;

  constructor(readonly hasChapters: boolean, private readonly kinds: Map<string, TheoremKind>, within: [counter: string, section: string][]) {
    if (hasChapters) for (const name of ['equation', 'figure', 'table']) this.#within.set(name, 'chapter');
    for (const [counter, section] of within) this.#within.set(counter, section);
  }

  take(match: RegExpMatchArray): void {
    const [, begin, star, end, label, section, sectionStar, appendix, item, caption, lineEnd, unnumbered, mark, key] = match;
    if (begin !== undefined) this.#begin(begin, star === '*', (match.index ?? 0) + '\\begin'.length);
    else if (end !== undefined) this.#end(end);
    else if (label !== undefined) this.#label(label);
    else if (section !== undefined && sectionStar === '') this.#section(section);
    else if (appendix !== undefined) this.#startAppendix();
    else if (item !== undefined && this.#enumerated > 0) this.#current[this.#current.length - 1] = String(this.#next(`item ${this.#enumerated}`));
    else if (caption !== undefined && this.#current.length > 1 && this.#current.at(-1) === '') this.#current.pop();
    else if (lineEnd !== undefined && this.#formula !== null && lineFormulas.has(this.#formula.name)) this.#formula.pending = true;
    else if (unnumbered !== undefined && this.#formula !== null) this.#formula.pending = false;
    else if (key !== undefined) this.citations.set(key.trim(), mark === undefined ? String(this.#next('bibitem')) : mark.replace(/\(.*$/s, '').replace(/[{}]/g, '').trim());
  }

  #next(counter: string): number {
    const value = (this.#values.get(counter) ?? 0) + 1;
    this.#values.set(counter, value);
    return value;
  }

  #sectionNumber(name: string): string {
    const first = this.hasChapters ? 0 : 1;
    const parts = sectionNames.slice(first, sectionNames.indexOf(name) + 1).map((part) => this.#values.get(part) ?? 0);
    return parts.map((value, at) => (at === 0 && this.#isAppendix ? letters[value - 1] ?? String(value) : String(value))).join('.');
  }

  #section(name: string): void {
    this.#next(name);
    for (const deeper of sectionNames.slice(sectionNames.indexOf(name) + 1)) this.#values.set(deeper, 0);
    for (const [counter, around] of this.#within) if (sectionNames.indexOf(around) >= sectionNames.indexOf(name)) this.#values.set(counter, 0);
    this.#current = [this.#sectionNumber(name)];
  }

  #startAppendix(): void {
    this.#isAppendix = true;
    for (const name of sectionNames) this.#values.set(name, 0);
  }

  /** The counter's next number, with that of the section in which it is counted. */
  #count(counter: string): string {
    const value = String(this.#next(counter));
    const around = this.#within.get(counter);
    return around === undefined ? value : `${this.#sectionNumber(around)}.${value}`;
  }

  #begin(name: string, starred: boolean, at: number): void {
    this.#current.push(this.#current.at(-1) ?? '');
    const kind = this.kinds.get(name);
    const float = floatCounters[name];
    if (kind !== undefined && !starred) {
      const number = kind.counter === null ? '' : this.#count(kind.counter);
      this.#current[this.#current.length - 1] = number;
      if (number !== '') this.theoremNumbers.set(at, number);
    } else if (float !== undefined && !starred) this.#current[this.#current.length - 1] = this.#count(float);
    else if (countedFormulas.has(name) && !starred) this.#formula = { name, pending: true };
    else if (name === 'enumerate') this.#values.set(`item ${++this.#enumerated}`, 0);
  }

  #end(name: string): void {
    if (this.#current.length > 1) this.#current.pop();
    if (this.#formula?.name === name) {
      if (this.#formula.pending) this.#count('equation');
      this.#formula = null;
    }
    if (name === 'enumerate' && this.#enumerated > 0) this.#enumerated--;
  }

  #label(label: string): void {
    if (this.#formula?.pending === true) {
      this.#formula.pending = false;
      this.labels.set(label.trim(), this.#count('equation'));
    } else if (this.#current.at(-1) !== '') this.labels.set(label.trim(), this.#current.at(-1) ?? '');
  }
}

function theoremKinds(source: string): { kinds: Map<string, TheoremKind>; within: [string, string][] } {
  const kinds = new Map<string, TheoremKind>(usualTheorems.map((name) => [name, { title: name.slice(0, 1).toUpperCase() + name.slice(1), counter: name }]));
  const within: [string, string][] = [];
  for (const [, star, name = '', shared, title = '', section] of source.matchAll(definitions)) {
    kinds.set(name, { title, counter: star === '*' ? null : shared ?? name });
    if (section !== undefined) within.push([name, section]);
  }
  for (const [, counter = '', section = ''] of source.matchAll(/\\(?:numberwithin|counterwithin\*?)\s*\{([A-Za-z]+)\}\s*\{([A-Za-z]+)\}/g)) within.push([counter, section]);
  return { kinds, within };
}

/** All numbers of a text; in linear time. */
export function numberLatex(source: string): LatexNumbers {
  const { kinds, within } = theoremKinds(source);
  const counters = new Counters(/\\chapter\b/.test(source), kinds, within);
  const begin = source.indexOf('\\begin{document}');
  for (const match of source.matchAll(counting)) if (match.index >= begin) counters.take(match);
  const { labels, citations, theoremNumbers } = counters;
  return { labels, citations, theoremNumbers, theorems: new Map([...kinds].map(([name, { title }]) => [name, title])) };
}
