/** Splits the rows of a column into paragraphs at wider leading, indents, short last lines, markers and changes of style. */
import { splitWhere } from '../page/group-by-baseline.js';
import { quantileInside } from '../../geometry/statistics.js';
import { endsSentence } from '../wording/sentences.js';
import { unionBox, widthOf } from '../../geometry/box.js';
import { endsOpen, goesOnAfterAbbreviation } from '../wording/sentences.js';
import type { TextLine } from '../page/text-line.js';
import type { Column } from '../layout/column-rows.js';
import type { ColumnEdges, TextBlock } from './block.js';
import { textBlock } from './block.js';
import { isSalutation } from '../wording/salutations.js';
import { amountOf, holdsAnswers, markerOf } from '../wording/markers.js';
import { numberingOf } from '../wording/numbering.js';
import type { BodyStyle } from './style.js';

/** The confidence with which the layout network must assign two lines to two regions to split them. */
const sureLine = 0.98;

/** Common properties of the rows of one column. */
interface ColumnHabits extends ColumnEdges {
  /** Most lines end at the right edge: a short one ends a paragraph. */
  justified: boolean;
}

function habitsOf(lines: TextLine[], column: ColumnEdges): ColumnHabits {
  const long = lines.filter((line) => line.text.length >= 20);
  if (long.length < 3) return { ...column, justified: false };
  const right = quantileInside(long.map((line) => line.box.right), 0.9);
  const atEdge = long.filter((line) => Math.abs(line.box.right - right) < 0.25 * line.size).length;
  return { left: column.left, right: Math.max(right, column.left + 1), justified: atEdge >= 0.6 * long.length };
}

function firstWordWidth(line: TextLine): number {
  const word = line.text.split(' ', 1)[0]!;
  return (widthOf(line.box) * word.length) / Math.max(1, line.text.length);
}

/** The usual distance of two baselines for text of this size in this column. */
function leadingsBySize(lines: TextLine[], body: BodyStyle): (size: number) => number {
  const counts = new Map<string, number>();
  for (let i = 1; i < lines.length; i++) {
    const [above, below] = [lines[i - 1]!, lines[i]!];
    if (Math.abs(above.size - below.size) > 0.05 * below.size) continue;
    const distance = below.baseline - above.baseline;
    if (distance < 0.8 * below.size || distance > 2.2 * below.size) continue;
    const key = `${Math.round(below.size)}:${Math.round((distance / below.size) * 20) / 20}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (size) => {
    let best = size > 1.3 * body.size ? Math.min(1.25, body.leading) : body.leading;
    let most = 1;
    for (const [key, count] of counts) {
      const [rounded, leading] = key.split(':').map(Number) as [number, number];
      // Of two distances with about equal counts the smaller one is the leading; the larger one separates paragraphs.
      if (rounded === Math.round(size) && (count > most || count > 0.6 * most && count > 1 && leading < best)) {
        most = Math.max(most, count);
        best = leading;
      }
    }
    return best * size;
  };
}

function changesStyle(above: TextLine, below: TextLine): boolean {
  if (Math.abs(above.size - below.size) > 0.09 * Math.max(above.size, below.size)) return true;
  if (above.bold !== below.bold) return !continuesRun(above, below);
  if (above.monospace !== below.monospace) return true;
  return above.color !== below.color && above.bold && below.bold;
}

/** Whether a line has another font than the next and is a heading in italics because it ends early or is numbered. Otherwise it is emphasis that fills a line. */
function changesFace(above: TextLine, below: TextLine, habits: ColumnHabits): boolean {
  if (above.mixed || below.mixed || above.font === below.font && above.italic === below.italic) return false;
  return numberingOf(above.text)?.strong === true || numberingOf(below.text)?.strong === true
    || habits.right - above.box.right > 0.15 * widthOf(habits);
}

/** A bold line may begin a paragraph that starts in bold, and a regular one may be the end of a bold sentence. */
function continuesRun(above: TextLine, below: TextLine): boolean {
  return below.boldPrefix > 0 || above.boldPrefix > 0 && above.boldPrefix < above.text.length && below.bold && below.text.length < 20;
}

/** Whether the line hangs below a full first line, as in an entry of a bibliography. The next paragraph begins at the edge of the first line. */
function hangs(group: readonly TextLine[], line: TextLine, habits: ColumnHabits): boolean {
  const [first] = group;
  const above = group.at(-1)!;
  const isFull = habits.right - first!.box.right < firstWordWidth(group[1] ?? line) + 0.5 * line.size;
  const indent = line.box.left - first!.box.left;
  return isFull && indent > 0.7 * line.size && indent < 5 * line.size && (above === first || Math.abs(above.box.left - line.box.left) < 0.4 * line.size);
}

function startsParagraph(group: readonly TextLine[], below: TextLine, next: TextLine | undefined, habits: ColumnHabits, leading: number): boolean {
  const above = group.at(-1)!;
  if (above.listing !== undefined || below.listing !== undefined) return above.listing !== below.listing;
  if (above.latex !== undefined || below.latex !== undefined) return true;
  const distance = below.baseline - above.baseline;
  const hanging = distance <= 1.15 * leading && hangs(group, below, habits) && (markerOf(below.text) === null || !opensItem(group, below));
  if (areSeenApart(above, below) && !hanging && !goesOn(above, below, habits, leading)) return true;
  const size = Math.max(above.size, below.size);
  if (areRows(above, below)) return true;
  // Side by side in one row: captions of two tables.
  if (Math.abs(distance) < 0.3 * size && below.box.left > above.box.right) return true;
  if (distance > 1.28 * leading + 0.1 * size || distance < -0.2 * size) return true;
  // Beside it: the address at the left of a letter, and its subject at the right.
  if (below.box.left > above.box.right + size || below.box.right < above.box.left - size) return true;
  if (isLabelled(above) && isLabelled(below)) return true;
  // An address in it may be in a monospace font.
  if (hanging && Math.abs(above.size - below.size) <= 0.09 * size && above.bold === below.bold) return false;
  if (changesStyle(above, below) || changesFace(above, below, habits)) return true;
  if (markerOf(below.text) !== null && opensItem(group, below)) return true;
  if (beginsRaised(below) && (beginsRaised(above) || endsSentence(above.text))) return true;
  if (holdsAnswers(above.text) && !/^\p{Ll}/u.test(below.text)) return true;
  const indent = below.box.left - above.box.left;
  if (group.length > 1 && -indent > 0.7 * size && below.box.left < group[0]!.box.left + 0.3 * size && hangs(group.slice(0, -1), above, habits)) return true;
  // First-line indent: this line is indented, the previous one was not, and the next one is not.
  if (indent > 0.7 * size && indent < 5 * size) {
    const returns = next === undefined || next.box.left < below.box.left - 0.6 * size;
    const atEdge = above.box.left < habits.left + 0.7 * size || markerOf(above.text) !== null;
    if (returns && atEdge && markerOf(above.text) === null && !hangsOnNumber(above, below)) return true;
  }
  const room = habits.right - above.box.right;
  const needed = firstWordWidth(below) + 0.3 * size;
  if (room > needed && group.length === 1 && isSalutation(above.text)) return true;
  // Text after a list: no further in than the item's marker, below a line that has room left.
  if (markerOf(group[0]!.text) !== null && below.box.left < group[0]!.box.left + 0.5 * size && room > needed + 1.5 * size && room > 0.12 * widthOf(habits) && !/^\p{Ll}/u.test(below.text)) return true;
  // Lines of a list, each with room for the next.
  if (amountOf(above.text) !== null && amountOf(below.text) !== null && room > needed + 1.5 * size && room > 0.12 * widthOf(habits)) return true;
  if (room > needed && above.boldPrefix === 0 && !above.bold && opensInBold(below)) return true;
  if (room > needed + (habits.justified ? 0.5 : 1.5) * size && (habits.justified || room > 0.12 * widthOf(habits))) {
    return endsSentence(above.text) || habits.justified && /^[\p{Lu}\d“"'(]/u.test(below.text);
  }
  return false;
}

/** `Invoice no.: 2024-17`, `Datum: 3. Mai`: a separate fact, with the next one below it. */
function isLabelled({ text, monospace }: TextLine): boolean {
  return !monospace && text.length <= 60 && /^\p{Lu}[\p{L}.’'/-]*(?: [\p{L}.’'/-]+){0,2} ?:\s\S/u.test(text);
}

/** In ems: white space between a name and its value. */
const besideName = 1.2;

/** Whether these are rows of names and values, such as the facts of a course: both texts begin at the same places, or the upper one continues below its value. */
function areRows(above: TextLine, below: TextLine): boolean {
  const second = placesIn(below);
  if (second === null || above.monospace) return false;
  const first = placesIn(above) ?? (above.pieces.length === 0 && above.box.left > second.name + below.size ? { name: second.name, text: above.box.left } : null);
  return first !== null && Math.abs(first.name - second.name) < 1.5 && Math.abs(first.text - second.text) < 1.5;
}

function placesIn({ pieces: [name, text], size, monospace }: TextLine): { name: number; text: number } | null {
  return monospace || name === undefined || text === undefined || text.left - name.right < besideName * size ? null : { name: name.left, text: text.left };
}

/** Whether it begins at the edge of the text behind the number above, as in paragraphs of contracts and statutes. */
function hangsOnNumber({ text, pieces, size }: TextLine, below: TextLine): boolean {
  const length = numberingOf(text)?.length ?? 0;
  return length > 0 && pieces.some(({ start, left }) => start > 0 && start <= length && Math.abs(left - below.box.left) < 0.4 * size);
}

/** A run-in heading: bold words up to a full stop or colon, with more text behind them. */
function opensInBold({ text, boldPrefix, bold }: TextLine): boolean {
  return !bold && boldPrefix > 2 && boldPrefix < text.length && /^\p{Lu}.*[.:—–]$/u.test(text.slice(0, boldPrefix).trim());
}

/** Whether the layout network assigns them to two regions with confidence. A line that is indented below the one above continues it, as in a bibliography, or begins a paragraph, which geometry finds. */
function areSeenApart({ prediction: above, box, size }: TextLine, { prediction: below, box: next }: TextLine): boolean {
  if (next.left > box.left + 0.5 * size) return false;
  if (above === undefined || below === undefined || above.region < 0 || below.region < 0 || above.region === below.region) return false;
  return [above, below].every(({ odds }) => Math.max(...Object.values(odds)) >= sureLine);
}

/** Whether the break is inside a word, brackets or a sentence, at line distance, behind a line without room left (on a scan the room is inexact): then this is one paragraph, whatever the prediction. */
function goesOn(above: TextLine, below: TextLine, habits: ColumnHabits, leading: number): boolean {
  const [distance, size] = [below.baseline - above.baseline, above.size];
  const isNext = !changesStyle(above, below) && distance > 0.5 * size && distance <= 1.1 * leading && Math.abs(above.box.left - below.box.left) < 0.5 * size;
  if (!isNext) return false;
  if (/\p{L}[-\u2010\u00ad]$/u.test(above.text) && /^\p{Ll}/u.test(below.text) || above.text.lastIndexOf('(') > above.text.lastIndexOf(')') && below.text.includes(')')) return true;
  const isFull = habits.right - above.box.right < firstWordWidth(below) + 0.3 * size;
  const inSentence = /[\p{L}\p{N},]$/u.test(above.text) && /^\p{Ll}/u.test(below.text) || /^[\p{L}\d]/u.test(below.text) && endsOpen(above.text);
  return inSentence && (isFull || above.confidence !== undefined);
}

/** Whether a raised number or character opens the line: a footnote reference. */
function beginsRaised(line: TextLine): boolean {
  const [first] = line.spans;
  return first !== undefined && first.start === 0 && first.script === 'super' && first.end < line.text.length && /^[\d*†‡§]{1,3}$/.test(line.text.slice(0, first.end).trim());
}

/** Whether it is the next item after the one with this begin, at its edge: `4.` behind an item that ends in `30 secs.` */
function countsOn(first: TextLine, below: TextLine): boolean {
  const [item, next] = [markerOf(first.text), markerOf(below.text)];
  return item !== null && next !== null && item.shape === next.shape && next.value === item.value + 1 && Math.abs(first.box.left - below.box.left) < 0.6 * below.size;
}

/**
 * A marker in the middle of running text (`see section
 * 1. Then`) opens no item: its line must begin like one.
 */
function opensItem(group: readonly TextLine[], below: TextLine): boolean {
  const above = group.at(-1)!;
  const marker = markerOf(below.text)!;
  if (marker.kind === 'bullet' || countsOn(group[0]!, below)) return true;
  if (goesOnAfterAbbreviation(above.text, below.text)) return false;
  if (endsSentence(above.text) || markerOf(above.text) !== null) return true;
  // Without white space behind them, such numbers also begin lines of running text.
  if (marker.shape === '①' || marker.shape === '（#）') return false;
  return below.box.left < above.box.left - 0.8 * below.size || above.box.right < below.box.right - 4 * below.size;
}

/** Whether most of the lines with letters are read from the right, because most of their letters are. */
function isReadFromRight(lines: TextLine[]): boolean {
  let [fromRight, all] = [0, 0];
  for (const { text } of lines) {
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    if (letters > 0) all++;
    if (letters > 0 && (text.match(/[\u05d0-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/gu)?.length ?? 0) > 0.5 * letters) fromRight++;
  }
  return fromRight > 0.5 * all;
}

/** Mirrors a box, so that its right edge becomes the left edge for all rules above. */
function mirrored<Edges extends { left: number; right: number }>(box: Edges): Edges {
  return { ...box, left: -box.right, right: -box.left };
}

/** The layout network was not trained on pages that are read from the right: its regions are not used for their paragraphs. */
function inMirror(line: TextLine): TextLine {
  const copy = { ...line, box: mirrored(line.box) };
  delete copy.prediction;
  return copy;
}

/** The paragraphs of one column; each is one block part. */
export function paragraphsOf(column: Column, lines: TextLine[], pageIndex: number, body: BodyStyle): TextBlock[] {
  const fromRight = isReadFromRight(lines);
  const seen = fromRight ? lines.map(inMirror) : lines;
  const edges = { left: column.left, right: column.right };
  const habits = habitsOf(seen, fromRight ? mirrored(edges) : edges);
  const leadingFor = leadingsBySize(seen, body);
  const groups = splitWhere(seen, (group, line, index) => startsParagraph(group, line, seen[index + 1], habits, leadingFor(line.size)));
  const { left, right } = fromRight ? mirrored(habits) : habits;
  const originals = new Map(seen.map((line, index) => [line, lines[index]!]));
  return groups.map((mirrorGroup) => {
    const group = mirrorGroup.map((line) => originals.get(line)!);
    const block = textBlock(pageIndex, group, unionBox(group.map((line) => line.box)), { left, right });
    if (group[0]!.latex !== undefined) block.role = 'formula';
    if (group[0]!.listing !== undefined) block.role = 'code';
    return block;
  });
}
