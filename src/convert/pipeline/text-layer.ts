/** Text drawn invisibly: kept where it is the reading of a scanned picture, left out where it hides from the reader. */
import type { Box, PageContent, Word } from '../../pdf/pdf-page.js';

export interface TextLayer {
  /** Without the words that nobody is meant to see. */
  content: PageContent;
  /** Characters of an invisible layer that were kept. */
  keptInvisible: number;
}

function liesOn(word: Word, boxes: Box[]): boolean {
  const x = (word.box.left + word.box.right) / 2;
  const y = (word.box.top + word.box.bottom) / 2;
  return boxes.some((box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom);
}

/** A word drawn where a visible one stands says the same again. */
function isCovered(word: Word, visible: Word[]): boolean {
  return visible.some(({ box }) => {
    const width = Math.min(box.right, word.box.right) - Math.max(box.left, word.box.left);
    const height = Math.min(box.bottom, word.box.bottom) - Math.max(box.top, word.box.top);
    return width > 0.5 * (word.box.right - word.box.left) && height > 0.5 * (word.box.bottom - word.box.top);
  });
}

function isUsed(words: Word[], content: PageContent): (word: Word) => boolean {
  const invisible = words.filter((word) => word.invisible);
  const pictures = content.images.map((image) => image.box).filter((box) => (box.right - box.left) * (box.bottom - box.top) > 0.03 * content.width * content.height);
  const visible = words.filter((word) => !word.invisible);
  const onPictures = invisible.filter((word) => liesOn(word, pictures));
  // A layer that OCR wrote matches its pictures; a few words of it may reach over their edges.
  const matches = onPictures.length >= 0.7 * invisible.length;
  if (!matches) return (word) => !word.invisible;
  // On a page that shows its text as text, an invisible copy would double it.
  const doubled = new Set(visible.length === 0 || visible.length * invisible.length > 4e6 ? [] : invisible.filter((word) => isCovered(word, visible)));
  return (word) => !word.invisible || !doubled.has(word);
}

/** The page as it is to be read. */
export function readableText(content: PageContent): TextLayer {
  if (!content.words.some((word) => word.invisible)) return { content, keptInvisible: 0 };
  const used = isUsed(content.words, content);
  const words = content.words.filter(used);
  const lines = content.lines.map((line) => ({ ...line, words: line.words.filter(used) })).filter((line) => line.words.length > 0);
  const keptInvisible = words.reduce((sum, word) => sum + (word.invisible ? word.text.length : 0), 0);
  return { content: { ...content, words, lines, characters: words.length === 0 ? 0 : content.characters }, keptInvisible };
}
