/** Text in the pictures of a page that has text of its own: scanned paragraphs, screenshots, tables pasted as pictures. */
import { widthOf } from '../../geometry/box.js';
import type { Box, Line, PageContent, PlacedImage, Word } from '../../pdf/pdf-page.js';
import { linesOnPage, partOf } from './page-part.js';
import { readPicture } from './read-picture.js';
import type { Drawing, PictureReader } from './read-picture.js';
import { captionKind } from '../wording/captions.js';

/** Smaller pictures, as a share of the page, are not recognised: logos, icons, portraits. */
const leastShare = 0.05;
/** Dots per inch below which letters of running text cannot be read. */
const leastDpi = 60;
/** The most pictures of one page that are recognised. */
const mostPictures = 8;
/** Points of white space between a picture and the first line of its caption, at most. */
const farthestCaption = 30;
/** What a picture of text needs: so many lines of so many words with half of its characters in them, or a share of its area covered by lines, and a mean confidence. Otherwise its text is labels. */
const fewestLines = 3;
const fewestWords = 4;
const fewestLetters = 60;
const denseText = 0.4;
const leastConfidence = 0.85;
/** A picture with more text than this on it is no figure. */
const nothingButText = 0.3;

export interface ReadPictures {
  /** The page with the text of its pictures. */
  content: PageContent;
  /** Mean over the letters that were read, 0..1. */
  confidence: number;
}

function holdsWords({ box }: PlacedImage, words: Word[]): boolean {
  return words.some(({ box: { left, top, right, bottom } }) => (left + right) / 2 > box.left && (left + right) / 2 < box.right && (top + bottom) / 2 > box.top && (top + bottom) / 2 < box.bottom);
}

/** Boxes that share a strip of the page with the caption, at most so far above it or below it, and nearly the nearest of them: parts of one figure stand side by side. */
function nearestTo(caption: Line, boxes: Box[], side: 'above' | 'below'): Box[] {
  const near = boxes.flatMap((box): { box: Box; white: number }[] => {
    const white = side === 'above' ? caption.box.top - box.bottom : box.top - caption.box.bottom;
    return caption.box.left < box.right && caption.box.right > box.left && white > -caption.size && white < farthestCaption ? [{ box, white }] : [];
  });
  const least = Math.min(...near.map(({ white }) => white));
  return near.filter(({ white }) => white <= least + caption.size).map(({ box }) => box);
}

/** Boxes of what lines that begin as captions of figures are about, pictures and drawings: what right above stands, else what below. What is seen in it is the figure's, not the page's. */
function figuresIn({ images, drawings, lines }: PageContent): Set<Box> {
  const boxes = [...images.map(({ box }) => box), ...drawings];
  const captions = lines.filter((line) => captionKind(line.words.map(({ text }) => text).join(' ')) === 'figure');
  return new Set(captions.flatMap((caption) => {
    const above = nearestTo(caption, boxes, 'above');
    return above.length > 0 ? above : nearestTo(caption, boxes, 'below');
  }));
}

/** Pictures that may show text of the page which the file does not contain. */
function candidates(content: PageContent): PlacedImage[] {
  const { images, width, height, words } = content;
  if (images.length === 0) return [];
  const figures = figuresIn(content);
  return images.filter((image) => {
    const { left, top, right, bottom } = image.box;
    const inside = left > -2 && top > -2 && right < width + 2 && bottom < height + 2;
    const fine = image.width >= ((right - left) / 72) * leastDpi && image.height >= ((bottom - top) / 72) * leastDpi;
    return inside && fine && (right - left) * (bottom - top) >= leastShare * width * height && !figures.has(image.box) && !holdsWords(image, words);
  }).slice(0, mostPictures);
}

/** Whether the pictures of the page are worth recognising. */
export function mayHoldText(content: PageContent): boolean {
  return candidates(content).length > 0;
}

function lettersOf(lines: Line[]): number {
  return lines.flatMap(({ words }) => words).reduce((sum, { text }) => sum + (text.match(/[\p{L}\d]/gu)?.length ?? 0), 0);
}

/** Share of the picture that its lines fill, line spacing included. */
function textShare(lines: Line[], { left, top, right, bottom }: Box): number {
  return lines.reduce((sum, line) => sum + widthOf(line.box) * 1.3 * line.size, 0) / ((right - left) * (bottom - top));
}

/** Running text or a table, no labels of a chart. */
function isText(lines: Line[], box: Box): boolean {
  const running = lines.filter(({ words }) => words.filter(({ text }) => /\p{L}{2}/u.test(text)).length >= fewestWords);
  const letters = lettersOf(lines);
  if (lines.length < fewestLines || letters < fewestLetters) return false;
  return running.length >= fewestLines && lettersOf(running) >= 0.5 * letters || textShare(lines, box) >= denseText;
}

/**
 * The page with the text of its pictures in its place; a picture that is hardly anything but text goes. Null where no picture holds text. Rejects as drawing, measuring
 * and recognising do.
 */
export async function readPagePictures(pages: Drawing, content: PageContent, reader: PictureReader): Promise<ReadPictures | null> {
  const lines: Line[] = [];
  const rulings = [...content.rulings];
  const gone = new Set<PlacedImage>();
  let [order, letters, sure] = [Math.max(0, ...content.words.map((word) => word.order)), 0, 0];
  for (const image of candidates(content)) {
    const part = partOf(pages, content, image.box);
    const read = await readPicture(part.pages, part.content, { ...reader, onlyUpright: true });
    const found = lettersOf(read.content.lines);
    if (!isText(read.content.lines, image.box) || (read.confidence ?? 0) < leastConfidence) continue;
    letters += found;
    sure += found * (read.confidence ?? 0);
    if (textShare(read.content.lines, image.box) > nothingButText) gone.add(image);
    rulings.push(...read.content.rulings.map((ruling) => {
      const [along, across] = ruling.orientation === 'horizontal' ? [image.box.left, image.box.top] : [image.box.top, image.box.left];
      return { ...ruling, position: ruling.position + across, start: ruling.start + along, end: ruling.end + along };
    }));
    for (const line of linesOnPage(read.content.lines, image.box)) lines.push({ ...line, words: line.words.map((word) => ({ ...word, order: ++order })) });
  }
  if (lines.length === 0) return null;
  const words = lines.flatMap((line) => line.words);
  return {
    content: {
      ...content, lines: [...content.lines, ...lines], words: [...content.words, ...words], rulings, images: content.images.filter((image) => !gone.has(image)),
      characters: content.characters + words.reduce((sum, { text }) => sum + text.length, 0),
    },
    confidence: sure / letters,
  };
}
