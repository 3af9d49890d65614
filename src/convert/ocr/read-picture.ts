/** Recognises one page from its picture: draws it, straightens it by the angle that native/vision/skew_angle measures, decides which side is up (`betterTurn`), has it read, and puts the recognised words in place of the text layer. */
import { holdsMiddle } from '../../geometry/box.js';
import type { Bitmap } from '../../bitmap.js';
import type { ReadPage, VisionEngine } from '../../engine/port.js';
import type { Box, PageContent, PlacedImage } from '../../pdf/pdf-page.js';
import type { PageSource } from '../input/page-source.js';
import type { LineVoting } from './own.js';
import type { TextRecogniser } from './recogniser.js';
import { strokeOf } from './strokes.js';
import { halved, rotated, turnQuarter } from './rotation.js';
import type { QuarterTurn } from './rotation.js';
import { recognisedRulings, recognisedFills, recognisedText } from './recognised-lines.js';

/**
 * Small letters of 10 points are some 20 pixels high: recognisers want no more, and read less well with half of it. Measured on four scanned pages, as parts of their words
 * found and ms of the processor: 200 dpi 0.969, 290; 250 dpi 0.969, 333; 300 dpi 0.974, 409; 350 dpi 0.978, 560.
 */
const readingDpi = 300;
/** Enough to see lines of text lean, and cheap to draw. */
const leaningDpi = 150;
/** Drawn pixels of one page; the rest of the resolution is given up beyond. */
const maxPixels = 24_000_000;
/** A lean below it is left: letters on one line are read as well. */
const leastLeanDegrees = 0.3;
/** Below this worth, or this sureness, a page that was read may stand on its head or lie on a side, and its lines are asked. */
const enoughWorth = 28;
const enoughSureness = 0.88;
/** Votes of lines: those of a page's best side must be so many, some five letters, so many times those for leaving it as it is, and such a share of those along the same rows. */
const fewestVotes = 10;
const votesBeyond = 1.2;
const voteShare = 0.7;

export interface PictureText {
  /** The page as it is read: its words, lines and size are those of the upright page. */
  content: PageContent;
  /** Mean of the words, 0..1; null where nothing was read. */
  confidence: number | null;
  /** By how much the page was turned clockwise to stand upright. */
  turn: QuarterTurn;
  /** Degrees, counter-clockwise positive, by which its lines leaned then. */
  lean: number;
}

export interface PictureReader {
  recogniser: TextRecogniser;
  engine: VisionEngine;
  signal: AbortSignal;
  /** Without it no page is turned. */
  lineVotes: LineVoting | null;
  /** Upside-down and sideways pages are abandoned early where the recogniser detects them. */
  onlyUpright?: boolean;
}

function whole({ width, height }: { width: number; height: number }): Box {
  return { left: 0, top: 0, right: width, bottom: height };
}

/** The resolution that the recogniser wants, unless the page is too large for it. */
function dpiFor(content: PageContent, dpi: number): number {
  const pixels = (content.width / 72) * (content.height / 72) * dpi * dpi;
  return pixels <= maxPixels ? dpi : Math.max(1, Math.floor(dpi * Math.sqrt(maxPixels / pixels)));
}

/** Points per inch; inches of the width of a page of A4 or letter paper; dots per inch between which such a page was scanned. */
const pointsPerInch = 72;
const paperWidth = 8.3;
const scanned = { least: 70, most: 600 };

/** Dots per inch. The points of an image file are its pixels, whose size is unknown: it is taken for a page of A4 or letter paper. */
function resolutionOf(drawn: Bitmap, content: PageContent): number {
  const dpi = (pointsPerInch * drawn.width) / content.width;
  return Math.round(dpi >= pointsPerInch + 0.5 ? dpi : Math.min(scanned.most, Math.max(scanned.least, drawn.width / paperWidth)));
}

/** How sure the letters are in the mean, and what they are worth: many that are rather sure than not are worth more than a few that are very sure. */
function judge({ lines }: ReadPage): { worth: number; sureness: number } {
  let [letters, sum] = [0, 0];
  for (const { words } of lines) {
    for (const { text, confidence } of words) {
      letters += text.length;
      sum += text.length * confidence;
    }
  }
  return { worth: sum - 0.5 * letters, sureness: letters === 0 ? 0 : sum / letters };
}

/** What draws pages. */
export type Drawing = Pick<PageSource, 'render'>;

interface Reading {
  page: ReadPage;
  bitmap: Bitmap;
  lean: number;
}

class PageReading {
  constructor(private readonly pages: Drawing, private readonly content: PageContent, private readonly reader: PictureReader) {}

  async run(): Promise<PictureText> {
    const drawn = await this.draw(dpiFor(this.content, readingDpi));
    const resolution = resolutionOf(drawn, this.content);
    const first = await this.read(drawn, resolution, true);
    if (this.reader.onlyUpright === true) return this.place(first, 0, drawn.width);
    const { worth, sureness } = judge(first.page);
    const turn = worth < enoughWorth || sureness < enoughSureness ? await this.betterTurn() : 0;
    if (turn === 0 && first.page.turned !== true) return this.place(first, 0, drawn.width);
    return this.place(await this.read(await turnQuarter(drawn, turn), resolution), turn, drawn.width);
  }

  private async draw(dpi: number): Promise<Bitmap> {
    return this.pages.render(this.content.pageIndex, whole(this.content), dpi);
  }

  private async straight(bitmap: Bitmap): Promise<{ bitmap: Bitmap; lean: number }> {
    const { engine, signal } = this.reader;
    const lean = await engine.deskewAngle(await halved(bitmap), { signal });
    return Math.abs(lean) < leastLeanDegrees ? { bitmap, lean: 0 } : { bitmap: await rotated(bitmap, lean), lean };
  }

  private async read(upright: Bitmap, dpi: number, onlyUpright?: boolean): Promise<Reading> {
    const { recogniser, signal } = this.reader;
    const { bitmap, lean } = await this.straight(upright);
    return { page: await recogniser.read(bitmap, dpi, signal, onlyUpright), bitmap, lean };
  }

  /** The quarter turn for which the page's lines vote, on a smaller picture, along its rows and along its columns; 0 where they are not clearly for another. */
  private async betterTurn(): Promise<QuarterTurn> {
    const { lineVotes, signal } = this.reader;
    if (lineVotes === null) return 0;
    const small = await this.draw(dpiFor(this.content, leaningDpi));
    const dpi = resolutionOf(small, this.content);
    const asked: { turn: QuarterTurn; votes: number; share: number }[] = [];
    for (const [along, against] of [[0, 180], [90, 270]] as const) {
      const { upright, turned, neither } = await lineVotes((await this.straight(await turnQuarter(small, along))).bitmap, dpi, signal);
      const all = Math.max(1, upright + turned + neither);
      asked.push({ turn: along, votes: upright, share: upright / all }, { turn: against, votes: turned, share: turned / all });
    }
    const unturned = asked[0]?.votes ?? 0;
    const best = asked.reduce((one, other) => (other.votes > one.votes ? other : one));
    return best.votes >= fewestVotes && best.votes > votesBeyond * unturned && best.share >= voteShare ? best.turn : 0;
  }

  private place({ page, bitmap, lean }: Reading, turn: QuarterTurn, drawnWidth: number): PictureText {
    const { content } = this;
    const sideways = turn === 90 || turn === 270;
    const [width, height] = sideways ? [content.height, content.width] : [content.width, content.height];
    const scale = content.width / drawnWidth;
    // The middle of the straightened picture is the middle of the page.
    const frame = { scale, left: (bitmap.width - width / scale) / 2, top: (bitmap.height - height / scale) / 2 };
    const text = recognisedText(page, frame, (word) => strokeOf(bitmap, word));
    return {
      content: {
        ...content, width, height, words: text.words, lines: text.lines, characters: text.words.reduce((sum, word) => sum + word.text.length, 0),
        unmappedCharacters: 0, images: turn === 0 ? content.images.filter((image) => !holdsText(image, text.words.map(({ box }) => box))) : [],
        rulings: recognisedRulings(page.rulings, frame), boxes: [...(turn === 0 ? content.boxes : []), ...recognisedFills(page.fills ?? [], text.words, frame)],
        ...(turn !== 0 && { drawings: [], links: [] }), structure: [],
      },
      confidence: text.confidence, turn, lean,
    };
  }
}

/** A picture with the words of several lines in it is the page itself, or a figure whose text is read. */
function holdsText({ box }: PlacedImage, words: Box[]): boolean {
  return words.filter((word) => holdsMiddle(box, word)).length >= 3;
}

/** Rejects as drawing, measuring and recognising do. */
export function readPicture(pages: Drawing, content: PageContent, reader: PictureReader): Promise<PictureText> {
  return new PageReading(pages, content, reader).run();
}
