/** Recognises one page from its picture: draws it, turns it upright, straightens it, recognises it, and replaces the text layer by the result. */
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
 * Small letters of 10 points are some 20 pixels high at this resolution: recognisers need no more, and lose accuracy at half of it. Measured on four scanned pages, as the share of their words
 * that were found and ms of processor time: 200 dpi 0.969, 290; 250 dpi 0.969, 333; 300 dpi 0.974, 409; 350 dpi 0.978, 560.
 */
const readingDpi = 300;
/** Suffices to measure the skew of text lines, and is fast to draw. */
const leaningDpi = 150;
/** The most drawn pixels of one page; larger pages are drawn at a lower resolution. */
const maxPixels = 24_000_000;
/** A smaller skew is not corrected, because recognition does not improve. */
const leastLeanDegrees = 0.3;
/** A page with a lower worth, or a lower confidence, may be upside down or sideways: its lines are classified. */
const enoughWorth = 28;
const enoughSureness = 0.88;
/** Conditions on the votes for the best rotation: their number (about five letters), their ratio to the votes for no rotation, and their share of all votes along the same rows. */
const fewestVotes = 10;
const votesBeyond = 1.2;
const voteShare = 0.7;

export interface PictureText {
  /** The page as it was recognised: its words, lines and size are those of the upright page. */
  content: PageContent;
  /** Mean of the words, 0..1; null without words. */
  confidence: number | null;
  /** The rotation that made the page upright, clockwise. */
  turn: QuarterTurn;
  /** The skew of its lines after this rotation, in degrees, counter-clockwise positive. */
  lean: number;
}

export interface PictureReader {
  recogniser: TextRecogniser;
  engine: VisionEngine;
  signal: AbortSignal;
  /** Absent: no page is turned. */
  lineVotes: LineVoting | null;
  /** The recogniser stops early at upside-down and sideways pages if it can detect them. */
  onlyUpright?: boolean;
}

function whole({ width, height }: { width: number; height: number }): Box {
  return { left: 0, top: 0, right: width, bottom: height };
}

/** The resolution for the recogniser, lower if the page is too large. */
function dpiFor(content: PageContent, dpi: number): number {
  const pixels = (content.width / 72) * (content.height / 72) * dpi * dpi;
  return pixels <= maxPixels ? dpi : Math.max(1, Math.floor(dpi * Math.sqrt(maxPixels / pixels)));
}

/** Points per inch; width of A4 or letter paper in inches; range of dots per inch at which such a page was scanned. */
const pointsPerInch = 72;
const paperWidth = 8.3;
const scanned = { least: 70, most: 600 };

/** Dots per inch. A point of an image file is one of its pixels, whose size is unknown: the function assumes a page of A4 or letter paper. */
function resolutionOf(drawn: Bitmap, content: PageContent): number {
  const dpi = (pointsPerInch * drawn.width) / content.width;
  return Math.round(dpi >= pointsPerInch + 0.5 ? dpi : Math.min(scanned.most, Math.max(scanned.least, drawn.width / paperWidth)));
}

/** The mean confidence of the letters, and their worth: many letters of moderate confidence weigh more than a few of high confidence. */
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

/** Draws pages. */
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

  /** The quarter turn for which the page's lines vote, on a smaller picture, along its rows and along its columns; 0 unless they clearly vote for another. */
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

/** Whether a picture that contains the words of several lines is the page itself, or a figure with recognised text. */
function holdsText({ box }: PlacedImage, words: Box[]): boolean {
  return words.filter((word) => holdsMiddle(box, word)).length >= 3;
}

/** Rejects as drawing, measuring and recognising do. */
export function readPicture(pages: Drawing, content: PageContent, reader: PictureReader): Promise<PictureText> {
  return new PageReading(pages, content, reader).run();
}
