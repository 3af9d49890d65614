/** Invisible text: kept if it is the text layer of a scanned picture, dropped if it is hidden from the reader. */
import { containsPoint, heightOf, horizontalOverlap, middleX, middleY, verticalOverlap, widthOf } from '../../geometry/box.js';
import type { Box, PageContent, Word } from '../../pdf/pdf-page.js';

function liesOn(word: Word, boxes: Box[]): boolean {
  const x = middleX(word.box);
  const y = middleY(word.box);
  return boxes.some((box) => containsPoint(box, x, y));
}

/** A word that is drawn over the same visible word repeats it. */
function isCovered(word: Word, visible: Word[]): boolean {
  return visible.some(({ box }) => {
    const width = horizontalOverlap(box, word.box);
    const height = verticalOverlap(box, word.box);
    return width > 0.5 * widthOf(word.box) && height > 0.5 * heightOf(word.box);
  });
}

function isUsed(words: Word[], content: PageContent): (word: Word) => boolean {
  const invisible = words.filter((word) => word.invisible);
  const pictures = content.images.map((image) => image.box).filter((box) => widthOf(box) * heightOf(box) > 0.03 * content.width * content.height);
  const visible = words.filter((word) => !word.invisible);
  const onPictures = invisible.filter((word) => liesOn(word, pictures));
  // A layer from OCR matches its pictures; a few of its words may extend beyond them.
  const matches = onPictures.length >= 0.7 * invisible.length;
  if (!matches) return (word) => !word.invisible;
  // If a page shows its text as text, an invisible copy would double it.
  const doubled = new Set(visible.length === 0 || visible.length * invisible.length > 4e6 ? [] : invisible.filter((word) => isCovered(word, visible)));
  return (word) => !word.invisible || !doubled.has(word);
}

/** Returns the page without the words that are hidden from the reader, and the number of invisible characters that were kept. */
export function readableText(content: PageContent): { content: PageContent; invisibleCharacters: number } {
  if (!content.words.some((word) => word.invisible)) return { content, invisibleCharacters: 0 };
  const used = isUsed(content.words, content);
  const words = content.words.filter(used);
  const lines = content.lines.map((line) => ({ ...line, words: line.words.filter(used) })).filter((line) => line.words.length > 0);
  const invisibleCharacters = words.reduce((sum, word) => sum + (word.invisible ? word.text.length : 0), 0);
  return { content: { ...content, words, lines, characters: words.length === 0 ? 0 : content.characters }, invisibleCharacters };
}
