/** A PDF of any length, made at test time: numbered chapters, running heads, page numbers, and text that differs on every page. */
import { line, text } from './pdf-content.js';
import { makePdf, type PageSpec } from './pdf-writer.js';

const words = (
  'harbour lamp basin morning register keeper signal ferry rope anchor channel gauge winter village ledger window kettle market ' +
  'copper bridge meadow quarry sailor mason carriage engine lantern orchard thunder paper velvet barrel candle feather granite hammer'
).split(' ');

/** The same numbers for the same seed, below `below`. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function sentence(next: (below: number) => number, length: number): string {
  const drawn = Array.from({ length }, () => words[next(words.length)] ?? '');
  const first = drawn[0] ?? '';
  return `${first.charAt(0).toUpperCase()}${first.slice(1)} ${drawn.slice(1).join(' ')}.`;
}

/** Lines of about 85 characters, broken between words. */
function paragraph(next: (below: number) => number): string[] {
  const lines: string[] = [''];
  for (const word of Array.from({ length: 5 }, () => sentence(next, 9 + next(6))).join(' ').split(' ')) {
    const last = lines[lines.length - 1] ?? '';
    if (last.length + word.length > 84) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function page(index: number): PageSpec {
  const next = seeded(index + 1);
  const content = [text(60, 805, 8, 'Records of the harbour office'), line(60, 800, 535, 800), text(290, 40, 8, String(index + 1))];
  let y = 770;
  if (index % 10 === 0) {
    content.push(text(60, y, 18, `${index / 10 + 1} Records of year ${1900 + index / 10}`, { font: 'Helvetica-Bold' }));
    y -= 34;
  }
  while (y > 130) {
    for (const row of paragraph(next)) {
      content.push(text(60, y, 10, row, { font: 'Times-Roman' }));
      y -= 13;
    }
    y -= 8;
  }
  return { width: 595, height: 842, content };
}

export function longPdf(pageCount: number): Uint8Array {
  return makePdf({ pages: Array.from({ length: pageCount }, (_, index) => page(index)) });
}
