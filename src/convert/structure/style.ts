/** The style of the document's running text, with which headings, notes and captions are compared. */
import { fromTop } from '../page/group-by-baseline.js';
import { median, quantile } from '../../geometry/statistics.js';
import { horizontalOverlap, widthOf } from '../../geometry/box.js';
import type { PageStructure } from '../page/values.js';
import type { PageTable } from '../page/page-table.js';
import type { TextLine } from '../page/text-line.js';
import { countWideLetters } from '../wording/scripts.js';

/** One page's pieces of text: those inside its figures, by figure, and the others. */
export interface PageLines {
  structure: PageStructure;
  inside: TextLine[][];
  outside: TextLine[];
}

export interface BodyStyle {
  /** Points. */
  size: number;
  font: string;
  bold: boolean;
  italic: boolean;
  color: number;
  /** Usual distance of two baselines in running text, as a multiple of the size. */
  leading: number;
  /** Letters that were counted. */
  letters: number;
}

function mostFrequent<Key>(counts: Map<Key, number>, fallback: Key): Key {
  let best = fallback;
  let most = 0;
  for (const [key, count] of counts) {
    if (count > most) {
      most = count;
      best = key;
    }
  }
  return best;
}

function add<Key>(counts: Map<Key, number>, key: Key, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

/** The weight of a line's letters: long lines are running text, short ones labels and headings. Characters of Chinese, Japanese and Korean are as wide as two letters. */
function weight({ text }: TextLine): number {
  const length = text.length + countWideLetters(text);
  return length < 25 ? 0.2 * length : length;
}

/** Sizes within 4 % of each other are one size: fitted text varies from line to line. */
function dominantSize(lines: TextLine[], tables: PageTable[]): number {
  const counts = new Map<number, number>();
  const inTables = tables.reduce((sum, table) => sum + table.letters, 0);
  const running = lines.reduce((sum, line) => sum + weight(line), 0);
  // On a page with one table and a line of small print below it, the table's text is the running text.
  const share = running < 0.5 * inTables ? 1 : 0.3;
  for (const table of tables) add(counts, Math.round(table.size * 5) / 5, share * table.letters);
  for (const line of lines) add(counts, Math.round(line.size * 5) / 5, weight(line));
  let best = 10;
  let most = 0;
  for (const size of counts.keys()) {
    let near = 0;
    for (const [other, count] of counts) if (Math.abs(other - size) <= 0.04 * size) near += count;
    if (near > most || near === most && (counts.get(size) ?? 0) > (counts.get(best) ?? 0)) {
      most = near;
      best = size;
    }
  }
  return best;
}

function usualLeading(pages: TextLine[][], size: number): number {
  const counts = new Map<number, number>();
  for (const lines of pages) {
    const body = fromTop(lines.filter((line) => Math.abs(line.size - size) <= 0.06 * size && line.text.length >= 25));
    for (const [index, line] of body.entries()) {
      // The next line below that shares its x range; columns interleave in this order.
      for (let next = index + 1; next < Math.min(body.length, index + 5); next++) {
        const other = body[next]!;
        const distance = other.baseline - line.baseline;
        if (distance < 0.6 * size) continue;
        if (distance > 2.6 * size) break;
        if (horizontalOverlap(line.box, other.box) < 20) continue;
        add(counts, Math.round((distance / size) * 20) / 20, 1);
        break;
      }
    }
  }
  return mostFrequent(counts, 1.2);
}

/** The most frequent style of the text outside tables and figures. */
export function findBodyStyle(texts: PageLines[]): BodyStyle {
  const pages = texts.map((text) => text.outside.filter((line) => line.angle === 0));
  const lines = pages.flat();
  const size = dominantSize(lines, texts.flatMap((text) => text.structure.tables));
  const fonts = new Map<string, number>();
  const colors = new Map<number, number>();
  let bold = 0;
  let italic = 0;
  let letters = 0;
  for (const line of lines) {
    if (Math.abs(line.size - size) > 0.06 * size) continue;
    letters += line.text.length;
    add(fonts, line.font, weight(line));
    add(colors, line.color, weight(line));
    if (line.bold) bold += weight(line);
    if (line.italic) italic += weight(line);
  }
  const total = [...fonts.values()].reduce((sum, count) => sum + count, 0);
  return {
    size, letters,
    font: mostFrequent(fonts, ''),
    color: mostFrequent(colors, 0),
    bold: bold > 0.5 * total,
    italic: italic > 0.5 * total,
    leading: usualLeading(pages, size),
  };
}


/**
 * Marks lines in monospace fonts, which not every file declares as such: over many lines of one font the width
 * per character hardly varies.
 */
export function markMonospace(texts: PageLines[]): void {
  const widths = new Map<string, number[]>();
  const lines = texts.flatMap((text) => text.outside).filter((line) => line.angle === 0 && !line.mixed);
  for (const line of lines) {
    if (line.monospace || line.text.length < 12) continue;
    const known = widths.get(line.font) ?? [];
    known.push(widthOf(line.box) / (line.text.length * line.size));
    widths.set(line.font, known);
  }
  const fixed = new Set<string>();
  for (const [font, values] of widths) {
    if (values.length < 6) continue;
    // A line's last character may be narrower than its advance width: at most one part in a dozen.
    const spread = quantile(values, 0.9) - quantile(values, 0.1);
    if (spread < 0.035 * median(values)) fixed.add(font);
  }
  for (const line of lines) if (fixed.has(line.font)) line.monospace = true;
}
