/** Numbering of a DOCX: what stands before a numbered paragraph, counted through the document as Word counts. */
import { letterCount, lowerA } from '../../character-codes.js';
import type { XmlElement } from '../../xml.js';
import { numberOf } from './docx-styles.js';

interface Level {
  start: number;
  format: string;
  /** `%1.%2.`: the levels' numbers in a text. */
  text: string;
  /** The style whose paragraphs are of this level. */
  style: string | null;
}

interface DocxNumbering {
  abstractId: string;
  starts: Map<number, number>;
  levels: Map<number, Level>;
}

export interface DocxMarker {
  /** As printed: `3.`, `(a)`, `2.1`; `-` for bullets, '' where nothing is printed. */
  text: string;
  enumerated: boolean;
}

const levelCount = 9;
const bullet: DocxMarker = { text: '-', enumerated: false };

const romans: [number, string][] = [
  [1000, 'm'], [900, 'cm'], [500, 'd'], [400, 'cd'], [100, 'c'], [90, 'xc'], [50, 'l'], [40, 'xl'], [10, 'x'], [9, 'ix'], [5, 'v'], [4, 'iv'], [1, 'i'],
];

function roman(number: number): string {
  if (number < 1 || number > 3999) return String(number);
  let text = '';
  let left = number;
  for (const [value, letters] of romans) for (; left >= value; left -= value) text += letters;
  return text;
}

/** Beyond this Word writes digits: 30 times z. */
const lastLetterNumber = 780;

/** a to z, then aa, bb. */
function letter(number: number): string {
  if (number < 1 || number > lastLetterNumber) return String(number);
  return String.fromCharCode(lowerA + (number - 1) % letterCount).repeat(Math.ceil(number / letterCount));
}

/** A number in one of the formats of Office; those not known are written in digits. */
export function formatNumber(number: number, format: string): string {
  switch (format) {
    case 'lowerLetter': return letter(number);
    case 'upperLetter': return letter(number).toUpperCase();
    case 'lowerRoman': return roman(number);
    case 'upperRoman': return roman(number).toUpperCase();
    case 'decimalZero': return String(number).padStart(2, '0');
    case 'none': return '';
    default: return String(number);
  }
}

function readLevel(element: XmlElement): Level {
  return {
    start: numberOf(element.child('w:start')?.get('w:val')) ?? 1,
    format: element.child('w:numFmt')?.get('w:val') ?? 'decimal',
    text: element.child('w:lvlText')?.get('w:val') ?? '',
    style: element.child('w:pStyle')?.get('w:val') ?? null,
  };
}

function readLevels(parent: XmlElement): Map<number, Level> {
  return new Map([...parent.elements('w:lvl')].map((element) => [numberOf(element.get('w:ilvl')) ?? 0, readLevel(element)]));
}

/** Definitions, and the counters while the document is read in order. */
export class Numberings {
  readonly #numberings = new Map<string, DocxNumbering>();
  readonly #counters = new Map<string, (number | null)[]>();
  readonly #begun = new Set<string>();

  constructor(tree: XmlElement | null) {
    if (tree === null) return;
    const abstracts = new Map<string, XmlElement>();
    const byStyle = new Map<string, XmlElement>();
    for (const element of tree.elements('w:abstractNum')) {
      abstracts.set(element.get('w:abstractNumId') ?? '', element);
      const style = element.child('w:styleLink')?.get('w:val');
      if (style !== undefined) byStyle.set(style, element);
    }
    for (const element of tree.elements('w:num')) {
      const abstractId = element.child('w:abstractNumId')?.get('w:val') ?? '';
      const linked = abstracts.get(abstractId)?.child('w:numStyleLink')?.get('w:val');
      const abstract = (linked === undefined ? undefined : byStyle.get(linked)) ?? abstracts.get(abstractId);
      const levels = abstract === undefined ? new Map<number, Level>() : readLevels(abstract);
      const starts = new Map<number, number>();
      for (const override of element.elements('w:lvlOverride')) {
        const level = numberOf(override.get('w:ilvl')) ?? 0;
        const start = numberOf(override.child('w:startOverride')?.get('w:val'));
        if (start !== null) starts.set(level, start);
        const own = override.child('w:lvl');
        if (own !== undefined) levels.set(level, readLevel(own));
      }
      this.#numberings.set(element.get('w:numId') ?? '', { abstractId, starts, levels });
    }
  }

  /** The level that belongs to a style: headings are numbered so. */
  levelOfStyle(numId: string, style: string): number | null {
    for (const [level, { style: own }] of this.#numberings.get(numId)?.levels ?? []) if (own === style) return level;
    return null;
  }

  /** Whether paragraphs of that list are numbered or have bullets at all; numId 0 takes a paragraph out of its style's list. */
  has(numId: string): boolean {
    return this.#numberings.has(numId);
  }

  /** Counts one paragraph and gives its marker. Lists of one definition count on together, whatever stands between them. */
  next(numId: string, wished: number): DocxMarker {
    const numbering = this.#numberings.get(numId);
    const level = Math.min(Math.max(0, wished), levelCount - 1);
    const definition = numbering?.levels.get(level);
    if (numbering === undefined || definition === undefined || definition.format === 'bullet') return bullet;
    const counters = this.#countersOf(numId, numbering);
    counters[level] = (counters[level] ?? this.#start(numbering, level) - 1) + 1;
    counters.fill(null, level + 1);
    const text = definition.text.replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      return formatNumber(counters[at] ?? this.#start(numbering, at), numbering.levels.get(at)?.format ?? 'decimal');
    }).trim();
    return { text, enumerated: /%[1-9]/.test(definition.text) };
  }

  #start(numbering: DocxNumbering, level: number): number {
    return numbering.starts.get(level) ?? numbering.levels.get(level)?.start ?? 1;
  }

  /** A list that says where it starts begins anew there; the others go on. */
  #countersOf(numId: string, numbering: DocxNumbering): (number | null)[] {
    let counters = this.#counters.get(numbering.abstractId);
    if (counters === undefined) this.#counters.set(numbering.abstractId, (counters = new Array<number | null>(levelCount).fill(null)));
    if (!this.#begun.has(numId)) {
      this.#begun.add(numId);
      for (const level of numbering.starts.keys()) if (level >= 0 && level < levelCount) counters.fill(null, level);
    }
    return counters;
  }
}
