/** Single lines whose characters the file does not name, on a page whose other text is good: they are recognised from the page picture. */
import { holdsPoint, middleX, middleY } from '../../geometry/box.js';
import type { Box, Line, PageContent } from '../../pdf/pdf-page.js';

/** Characters that a line must have, and the share of them without a name. */
const fewestCharacters = 5;
const leastUnnamed = 0.35;
/** In ems: how far a line reaches over its ink, beside and above or below it. */
const reach = { across: 0.5, down: 0.3 };
/** With fewer on the page they are bullets and ornaments. */
const fewestOnPage = 12;

/** Upright lines that are mostly characters without a name; none where they are too few to be text. */
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

/** The middle of `inner` lies in one of the boxes, which reach a little over their ink. */
function liesIn(inner: Box, lines: Line[]): boolean {
  const [x, y] = [middleX(inner), middleY(inner)];
  return lines.some(({ box, size }) => holdsPoint({ left: box.left - reach.across * size, right: box.right + reach.across * size, top: box.top - reach.down * size, bottom: box.bottom + reach.down * size }, x, y));
}

/**
 * The page with `unreadable` lines as `read`, a recogniser's reading of the page where they stand, has them; null where it has nothing
 * there. Text that the file names stays as it is.
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

/** The words of a read line that stand in place of unreadable ones, and those that go on from them: characters without a name may be thought too narrow. */
function standingIn(line: Line, unreadable: Line[], readable: Line[]): Line['words'] {
  const inside = line.words.map((word) => liesIn(word.box, unreadable));
  const free = line.words.map((word) => !liesIn(word.box, readable));
  for (let index = 1; index < line.words.length; index++) if (inside[index - 1] === true && free[index] === true) inside[index] = true;
  return line.words.filter((_, index) => inside[index] === true);
}
