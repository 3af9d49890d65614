/** Single lines whose characters have no Unicode values in the file, on a page with otherwise good text: they are recognised from the page picture. */
import { holdsPoint, middleX, middleY } from '../../geometry/box.js';
import type { Box, Line, PageContent } from '../../pdf/pdf-page.js';

/** The fewest characters of such a line, and the share of them without a Unicode value. */
const fewestCharacters = 5;
const leastUnnamed = 0.35;
/** In ems: the margin of a line around its ink, beside it and above or below it. */
const reach = { across: 0.5, down: 0.3 };
/** If the page has fewer, they are bullets and ornaments. */
const fewestOnPage = 12;

/** Upright lines of mostly such characters; none if they are too few to be text. */
export function unreadableLines({ lines }: PageContent): Line[] {
  const found = lines.filter((line) => {
    const text = line.words.map((word) => word.text).join('');
    return line.angle === 0 && text.length >= fewestCharacters && unnamedIn(text) >= leastUnnamed * text.length;
  });
  const all = found.reduce((sum, line) => sum + unnamedIn(line.words.map((word) => word.text).join('')), 0);
  return all >= fewestOnPage ? found : [];
}

function unnamedIn(text: string): number {
  return text.split('\ufffd').length - 1;
}

/** Whether the middle of `inner` lies in one of the boxes with their margin. */
function liesIn(inner: Box, lines: Line[]): boolean {
  const [x, y] = [middleX(inner), middleY(inner)];
  return lines.some(({ box, size }) => holdsPoint({ left: box.left - reach.across * size, right: box.right + reach.across * size, top: box.top - reach.down * size, bottom: box.bottom + reach.down * size }, x, y));
}

/**
 * Replaces the `unreadable` lines of the page by those of `read`, a recogniser's result for the page; null if it has none at their
 * places. Other text of the file stays unchanged.
 */
export function withReadLines(content: PageContent, unreadable: Line[], read: Line[]): PageContent | null {
  const gone = new Set(unreadable);
  const readable = content.lines.filter((line) => !gone.has(line));
  const kept = read.map((line) => ({ ...line, words: standingIn(line, unreadable, readable) })).filter((line) => line.words.length > 0);
  const letters = kept.flatMap((line) => line.words).reduce((sum, word) => sum + (word.text.match(/[\p{L}\d]/gu)?.length ?? 0), 0);
  if (letters < fewestOnPage) return null;
  let order = Math.max(0, ...content.words.map((word) => word.order));
  const lines = [...readable, ...kept.map((line) => ({ ...line, words: line.words.map((word) => ({ ...word, order: ++order })) }))];
  return { ...content, lines, words: lines.flatMap((line) => line.words), unmappedCharacters: 0 };
}

/** The words of a recognised line in the place of unreadable ones, and those that continue them: the file may give unnamed characters too small a width. */
function standingIn(line: Line, unreadable: Line[], readable: Line[]): Line['words'] {
  const inside = line.words.map((word) => liesIn(word.box, unreadable));
  const free = line.words.map((word) => !liesIn(word.box, readable));
  for (let index = 1; index < line.words.length; index++) if (inside[index - 1] === true && free[index] === true) inside[index] = true;
  return line.words.filter((_, index) => inside[index] === true);
}
