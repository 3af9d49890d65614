/** A page in the frame of one reading direction: rotated so that its text runs to the right and lines follow downwards. */
import { heightOf, middleX, middleY, widthOf } from '../../../geometry/box.js';
import type { Box, DrawnBox, PageContent, Ruling, Word } from '../../../pdf/pdf-page.js';

/** A word with its extent in the frame; `word` is the page's own. */
export interface Piece {
  word: Word;
  left: number;
  right: number;
  baseline: number;
  size: number;
}

export interface Frame {
  width: number;
  height: number;
  pieces: Piece[];
  rulings: Ruling[];
  boxes: DrawnBox[];
  /** Extents of charts and pictures, whose rulings and labels belong to no table. */
  figures: Box[];
  /** Maps the frame back to the page as displayed. */
  toPage(box: Box): Box;
}

type Turn = 0 | 90 | 180 | 270;

/** Fewer words than this in sideways text are labels rather than a table. */
const MIN_TURNED_WORDS = 12;

/** The frames of the page's text: the upright one first, then those of text that is sideways or upside down. */
export function readingFrames(page: PageContent): Frame[] {
  const byTurn = new Map<Turn, Word[]>();
  for (const word of page.words) {
    const turn = turnOf(word.angle);
    if (turn === null || word.text.trim() === '') continue;
    const words = byTurn.get(turn);
    if (words === undefined) byTurn.set(turn, [word]);
    else words.push(word);
  }
  const frames: Frame[] = [];
  for (const turn of [0, 90, 270, 180] as const) {
    const words = byTurn.get(turn);
    if (words === undefined || (turn !== 0 && words.length < MIN_TURNED_WORDS)) continue;
    frames.push(frameOf(page, turn, words));
  }
  return frames;
}

function turnOf(angle: number): Turn | null {
  const near = ((Math.round(angle / 90) * 90) % 360 + 360) % 360;
  const off = Math.abs(((angle - near + 540) % 360) - 180);
  return off <= 3 ? (near as Turn) : null;
}

function frameOf(page: PageContent, turn: Turn, words: Word[]): Frame {
  const { width, height } = page;
  const into = (box: Box): Box => turnBox(box, turn, width, height);
  const back = turn === 90 ? 270 : turn === 270 ? 90 : turn;
  const [frameWidth, frameHeight] = turn === 90 || turn === 270 ? [height, width] : [width, height];
  return {
    width: frameWidth,
    height: frameHeight,
    pieces: words.map((word) => pieceOf(word, turn, into(word.box))),
    rulings: turn === 0 ? page.rulings : page.rulings.map((ruling) => turnRuling(ruling, into)),
    boxes: turn === 0 ? page.boxes : page.boxes.map((drawn) => ({ ...drawn, box: into(drawn.box) })),
    figures: [...page.drawings, ...page.images.map((image) => image.box)].map(into),
    toPage: (box) => turnBox(box, back, frameWidth, frameHeight),
  };
}

/** `turn` is the angle, counter-clockwise, of the text that runs to the right in the frame. */
function turnBox(box: Box, turn: Turn, width: number, height: number): Box {
  if (turn === 90) return { left: height - box.bottom, top: box.left, right: height - box.top, bottom: box.right };
  if (turn === 270) return { left: box.top, top: width - box.right, right: box.bottom, bottom: width - box.left };
  if (turn === 180) return { left: width - box.right, top: height - box.bottom, right: width - box.left, bottom: height - box.top };
  return box;
}

function turnRuling(ruling: Ruling, into: (box: Box) => Box): Ruling {
  const half = ruling.thickness / 2;
  const across = { start: ruling.position - half, end: ruling.position + half };
  const box = into(
    ruling.orientation === 'horizontal'
      ? { left: ruling.start, right: ruling.end, top: across.start, bottom: across.end }
      : { left: across.start, right: across.end, top: ruling.start, bottom: ruling.end },
  );
  const horizontal = widthOf(box) >= heightOf(box);
  const turnJoint = (at: number): number => {
    const point = into(ruling.orientation === 'horizontal' ? { left: at, right: at, top: ruling.position, bottom: ruling.position } : { left: ruling.position, right: ruling.position, top: at, bottom: at });
    return horizontal ? point.left : point.top;
  };
  const joints = (ruling.joints ?? []).map(turnJoint);
  return horizontal
    ? { ...ruling, joints, orientation: 'horizontal', position: middleY(box), start: box.left, end: box.right }
    : { ...ruling, joints, orientation: 'vertical', position: middleX(box), start: box.top, end: box.bottom };
}

function pieceOf(word: Word, turn: Turn, box: Box): Piece {
  // The file's baseline is a y of the displayed page; rotated text has it in x, so that there the ink without descenders defines the baseline.
  const descends = /[gjpqyç,;()[\]{}|/@Q]/.test(word.text);
  const baseline = turn === 0 ? word.baseline : box.bottom - (descends ? 0.2 * word.size : 0);
  return { word, left: box.left, right: box.right, baseline, size: word.size > 0 ? word.size : Math.max(1, heightOf(box)) };
}
