/** Finds pages whose text is sideways or upside down in the file: the page was scanned that way, or its content is wider than the page. */
import type { Line, PageContent, QuarterTurn } from '../../pdf/pdf-page.js';
import { hasIdeographic } from '../wording/scripts.js';

/** Fewer letters, or fewer lines, may be the labels of a drawing, or a note in the margin. */
const fewestLetters = 60;
const fewestLines = 3;
/** Share of all letters; the others may be the running header and the page number. */
const leastShare = 0.8;

function lettersOf(line: Line): number {
  return line.words.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
}

/** Vertical writing is upright although it runs downwards. */
function isVerticalWriting(line: Line): boolean {
  return line.angle === 270 && line.words.some(({ text }) => hasIdeographic(text));
}

/** The rotation that makes the page upright, in degrees clockwise. */
export function turnOf({ lines }: PageContent): QuarterTurn {
  if (lines.every(({ angle }) => angle === 0)) return 0;
  const all = lines.reduce((sum, line) => sum + lettersOf(line), 0);
  for (const turn of [90, 180, 270] as const) {
    const turned = lines.filter((line) => line.angle === turn && !isVerticalWriting(line));
    const letters = turned.reduce((sum, line) => sum + lettersOf(line), 0);
    if (turned.length >= fewestLines && letters >= fewestLetters && letters >= leastShare * all) return turn;
  }
  return 0;
}
