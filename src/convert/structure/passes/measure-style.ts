/** Passes that measure the text before roles are known. */
import type { TextLine } from '../../page/text-line.js';
import { linesOfPage } from '../blocks-of-page.js';
import { definePass } from '../pass.js';
import { findBodyStyle, markMonospace } from '../style.js';
import type { BodyStyle, PageLines } from '../style.js';

export const splitFigureText = definePass({
  name: 'split the text of figures from other lines', reads: ['pages'], writes: ['lines'],
  run: ({ pages }) => {
    const lines = pages.map(linesOfPage);
    markMonospace(lines);
    return { lines };
  },
});

export const measureCommonStyle = definePass({
  name: 'measure the common style', reads: ['lines'], writes: ['commonStyle'],
  run: ({ lines }) => ({ commonStyle: findBodyStyle(lines) }),
});

/** Furniture and small print may be most of the text of short pages such as slides or invoices. */
export const measureBodyStyle = definePass({
  name: 'measure the style of running text', reads: ['lines', 'commonStyle', 'edgeLines', 'companyDetails'], writes: ['body'],
  run: ({ lines, commonStyle, edgeLines, companyDetails }) => ({ body: styleWithout(new Set([...edgeLines.repeated, ...companyDetails.keys()]), lines) ?? commonStyle }),
});

/** The style of the lines other than `others`; null if there are none, or no `others`. */
function styleWithout(others: Set<TextLine>, pages: PageLines[]): BodyStyle | null {
  if (others.size === 0) return null;
  const style = findBodyStyle(pages.map((page) => ({ ...page, outside: page.outside.filter((line) => !others.has(line)) })));
  return style.letters === 0 ? null : style;
}
