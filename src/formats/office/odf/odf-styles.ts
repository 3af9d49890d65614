/** Styles of OpenDocument files: the formatting of text, what a paragraph is, how lists are numbered. */
import type { Formatting } from '../../../document/model.js';
import type { XmlElement } from '../../xml.js';
import { formatNumber } from '../docx/docx-numbering.js';
import { numberOf } from '../docx/docx-styles.js';

interface OdfStyle {
  parent: string | null;
  /** As the user sees it, in lower case. */
  name: string;
  element: XmlElement;
}

export interface ListLevel {
  kind: 'bullet' | 'number' | 'none';
  format: string;
  prefix: string;
  suffix: string;
  start: number;
  /** How many levels' numbers are shown. */
  shownLevels: number;
}

const numberFormats: Record<string, string> = { 'a': 'lowerLetter', 'A': 'upperLetter', 'i': 'lowerRoman', 'I': 'upperRoman', '1': 'decimal' };
const none: ListLevel = { kind: 'none', format: '', prefix: '', suffix: '', start: 1, shownLevels: 1 };

function readLevel(element: XmlElement): ListLevel {
  if (element.name !== 'text:list-level-style-number') {
    const char = element.get('text:bullet-char');
    return { ...none, kind: element.name === 'text:list-level-style-image' || char !== undefined && char.trim() !== '' ? 'bullet' : 'none' };
  }
  const format = element.get('style:num-format') ?? '';
  return {
    kind: format === '' ? 'none' : 'number', format: numberFormats[format] ?? 'decimal', prefix: element.get('style:num-prefix') ?? '', suffix: element.get('style:num-suffix') ?? '',
    start: numberOf(element.get('text:start-value')) ?? 1, shownLevels: numberOf(element.get('text:display-levels')) ?? 1,
  };
}

export class OdfStyles {
  readonly #styles = new Map<string, OdfStyle>();
  readonly #lists = new Map<string, Map<number, ListLevel>>();
  readonly #looks = new Map<string, Partial<Formatting>>();

  /** Adds the children of `office:styles` or `office:automatic-styles`; what comes later covers what came before. */
  add(styles: XmlElement | undefined): void {
    for (const element of styles?.elements() ?? []) {
      const name = element.get('style:name') ?? '';
      if (element.name === 'style:style') {
        const parent = element.get('style:parent-style-name') ?? null;
        this.#styles.set(`${element.get('style:family') ?? ''} ${name}`, { parent, name: (element.get('style:display-name') ?? name).toLowerCase(), element });
      } else if (element.name === 'text:list-style') {
        this.#lists.set(name, new Map([...element.elements()].map((level) => [numberOf(level.get('text:level')) ?? 1, readLevel(level)])));
      }
    }
  }

  /** The style and those it is made from, its own first; a circle ends where it closes. */
  *line(family: string, name: string | undefined): Generator<OdfStyle> {
    const seen = new Set<string>();
    for (let at: string | null | undefined = name; at !== null && at !== undefined && !seen.has(at);) {
      seen.add(at);
      const style = this.#styles.get(`${family} ${at}`);
      if (style === undefined) return;
      yield style;
      at = style.parent;
    }
  }

  /** Formatting of a text style. */
  look(name: string | undefined): Partial<Formatting> {
    if (name === undefined) return {};
    let look = this.#looks.get(name);
    if (look === undefined) {
      look = {};
      for (const { element } of [...this.line('text', name)].reverse()) Object.assign(look, lookOf(element.child('style:text-properties')));
      this.#looks.set(name, look);
    }
    return look;
  }

  /** Whether a style, or one it is made from, says so of its family's properties. */
  property(family: string, name: string | undefined, properties: string, attribute: string): string | undefined {
    for (const { element } of this.line(family, name)) {
      const value = element.child(properties)?.get(attribute);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** What a paragraph is by its style: a title, a heading's level, code, or nothing special. */
  role(name: string | undefined): 'title' | 'subtitle' | 'code' | 'caption' | 'text' {
    for (const style of this.line('paragraph', name)) {
      if (style.name === 'title') return 'title';
      if (style.name === 'subtitle') return 'subtitle';
      if (style.name === 'preformatted text' || style.name === 'preformatted_20_text') return 'code';
      if (style.name === 'caption') return 'caption';
    }
    return 'text';
  }

  /** `level` from 1. */
  listLevel(name: string | undefined, level: number): ListLevel | null {
    return (name === undefined ? undefined : this.#lists.get(name)?.get(level)) ?? null;
  }

  /** Number of a paragraph in a list; `counters` hold the numbers of the levels around it and its own, outermost first. */
  marker(name: string | undefined, counters: number[]): string {
    const level = this.listLevel(name, counters.length);
    if (level === null || level.kind !== 'number') return level?.kind === 'none' ? '' : '-';
    const first = Math.max(0, counters.length - Math.max(1, level.shownLevels));
    const numbers = counters.slice(first).map((number, index) => {
      const own = this.listLevel(name, first + index + 1);
      return formatNumber(number, own?.kind === 'number' ? own.format : 'decimal');
    });
    return `${level.prefix}${numbers.join('.')}${level.suffix}`.trim();
  }
}

function lookOf(properties: XmlElement | undefined): Partial<Formatting> {
  const look: Partial<Formatting> = {};
  const [weight, style, underline, strike, position] = ['fo:font-weight', 'fo:font-style', 'style:text-underline-style', 'style:text-line-through-style', 'style:text-position']
    .map((name) => properties?.get(name));
  if (weight !== undefined) look.bold = weight === 'bold' || Number(weight) >= 600;
  if (style !== undefined) look.italic = style === 'italic' || style === 'oblique';
  if (underline !== undefined) look.underline = underline !== 'none';
  if (strike !== undefined) look.strikethrough = strike !== 'none';
  if (position !== undefined) {
    const raised = position.split(' ')[0] ?? '';
    const percent = Number.parseFloat(raised);
    look.script = raised === 'super' || percent > 0 ? 'super' : raised === 'sub' || percent < 0 ? 'sub' : 'baseline';
  }
  return look;
}
