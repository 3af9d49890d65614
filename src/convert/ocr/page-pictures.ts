/** Text in the pictures of a page that also has a text layer: scanned paragraphs, screenshots, tables pasted as pictures. */
import { widthOf } from '../../geometry/box.js';
import type { Box, Line, PageContent, PlacedImage, Word } from '../../pdf/pdf-page.js';
import { linesOnPage, partOf } from './page-part.js';
import { readPicture } from './read-picture.js';
import type { Drawing, PictureReader } from './read-picture.js';
import { captionKind } from '../wording/captions.js';

/** Share of the page: smaller pictures, such as logos, icons and portraits, are not recognised. */
const leastShare = 0.05;
/** Dots per inch: in a picture with fewer, letters of running text cannot be recognised. */
const leastDpi = 60;
/** The most pictures of one page that are recognised. */
const mostPictures = 8;
/** In points: the most white space between a picture and the first line of its caption. */
const farthestCaption = 30;
/** Conditions of a picture of text: the number of lines with that many words, which hold half of its characters, or the share of its area that lines cover; and the mean confidence. Otherwise its text is labels. */
const fewestLines = 3;
const fewestWords = 4;
const fewestLetters = 60;
const denseText = 0.4;
const leastConfidence = 0.85;
/** A picture with more text than this is not a figure. */
const nothingButText = 0.3;

export interface ReadPictures {
  /** The page with the recognised text of its pictures. */
  content: PageContent;
  /** Mean over the recognised letters, 0..1. */
  confidence: number;
}

function holdsWords({ box }: PlacedImage, words: Word[]): boolean {
  return words.some(({ box: { left, top, right, bottom } }) => (left + right) / 2 > box.left && (left + right) / 2 < box.right && (top + bottom) / 2 > box.top && (top + bottom) / 2 < box.bottom);
}

/** Boxes that share a horizontal range with the caption, stand at most this far above it or below it, and are among the nearest: parts of one figure stand side by side. */
function nearestTo(caption: Line, boxes: Box[], side: 'above' | 'below'): Box[] {
  const near = boxes.flatMap((box): { box: Box; white: number }[] => {
    const white = side === 'above' ? caption.box.top - box.bottom : box.top - caption.box.bottom;
    return caption.box.left < box.right && caption.box.right > box.left && white > -caption.size && white < farthestCaption ? [{ box, white }] : [];
  });
  const least = Math.min(...near.map(({ white }) => white));
  return near.filter(({ white }) => white <= least + caption.size).map(({ box }) => box);
}

/** The pictures and drawings to which captions of figures belong: those right above a caption, otherwise those below it. Text in them belongs to the figure, not to the page. */
function figuresIn({ images, drawings, lines }: PageContent): Set<Box> {
  const boxes = [...images.map(({ box }) => box), ...drawings];
  const captions = lines.filter((line) => captionKind(line.words.map(({ text }) => text).join(' ')) === 'figure');
  return new Set(captions.flatMap((caption) => {
    const above = nearestTo(caption, boxes, 'above');
    return above.length > 0 ? above : nearestTo(caption, boxes, 'below');
  }));
}

/** Pictures that may contain text of the page that the file lacks. */
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

/** Whether the page has pictures that are recognised. */
export function mayHoldText(content: PageContent): boolean {
  return candidates(content).length > 0;
}

function lettersOf(lines: Line[]): number {
  return lines.flatMap(({ words }) => words).reduce((sum, { text }) => sum + (text.match(/[\p{L}\d]/gu)?.length ?? 0), 0);
}

/** Share of the picture that its lines fill, with their line spacing. */
function textShare(lines: Line[], { left, top, right, bottom }: Box): number {
  return lines.reduce((sum, line) => sum + widthOf(line.box) * 1.3 * line.size, 0) / ((right - left) * (bottom - top));
}

/** Whether the text is running text or a table rather than labels of a chart. */
function isText(lines: Line[], box: Box): boolean {
  const running = lines.filter(({ words }) => words.filter(({ text }) => /\p{L}{2}/u.test(text)).length >= fewestWords);
  const letters = lettersOf(lines);
  if (lines.length < fewestLines || letters < fewestLetters) return false;
  return running.length >= fewestLines && lettersOf(running) >= 0.5 * letters || textShare(lines, box) >= denseText;
}

/**
 * Inserts the text of the page's pictures at their places, and removes pictures that contain hardly anything but text. Null if no picture contains text. Rejects as drawing, measuring
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
