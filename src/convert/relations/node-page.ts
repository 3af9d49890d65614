/** A page in the form from which its nodes are made. */
import type { PageContent } from '../../pdf/pdf-page.js';
import type { NodePage, NodeWord } from './nodes.js';

/** Index `i` of `words` is word `i` of the content. */
export function nodePageOf({ width, height, words, lines, rulings, boxes, images, drawings }: PageContent): NodePage {
  const lineOf = new Map(lines.flatMap((line, index) => line.words.map((word) => [word, index] as const)));
  return {
    width, height, rulings,
    words: words.map((word): NodeWord => {
      const { text, box, baseline, size, font: { weight, bold, italic, monospace, symbolic }, underline, strike, link, glued, invisible, color, angle } = word;
      return { text, box, baseline, size, weight, bold, italic, monospace, symbolic, underline, strike, link: link >= 0, glued, invisible, color, angle, line: lineOf.get(word) ?? -1 };
    }),
    fills: boxes.map(({ box, fill }) => ({ box, fill })),
    pictures: [...images.map(({ box }) => box), ...drawings],
  };
}
