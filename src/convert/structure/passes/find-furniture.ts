/** Passes that separate furniture from text. */
import { findSignRules } from '../character-rules.js';
import { findCompanyDetails } from '../company-details.js';
import { findFurniture, findSideText, withoutLoneText } from '../furniture.js';
import { findLineNumbers } from '../line-numbers.js';
import { withLoneRows } from '../lone-rows.js';
import { definePass } from '../pass.js';

export const findEdgeLines = definePass({
  name: 'find running headers and footers', reads: ['lines', 'commonStyle'], writes: ['edgeLines'],
  run: ({ lines, commonStyle }) => ({ edgeLines: findFurniture(lines, commonStyle) }),
});

export const findSmallPrint = definePass({
  name: 'find company details', reads: ['lines', 'edgeLines'], writes: ['companyDetails'],
  run: ({ lines, edgeLines }) => ({ companyDetails: findCompanyDetails(lines, edgeLines.labels) }),
});

export const labelFurniture = definePass({
  name: 'label furniture', reads: ['lines', 'edgeLines', 'companyDetails'], writes: ['furniture'],
  run: ({ lines, edgeLines: { labels, repeated }, companyDetails }) => {
    const numbersAndRules = [...findLineNumbers(lines), ...findSignRules(lines)].map((line) => [line, 'page_header'] as const);
    const furniture = withoutLoneText(lines, new Map([...findSideText(lines), ...numbersAndRules, ...labels]), repeated);
    for (const [line, label] of companyDetails) furniture.set(line, label);
    return { furniture };
  },
});

export const restoreLoneRows = definePass({
  name: 'make tables of lone rows', reads: ['lines', 'furniture', 'edgeLines'], writes: ['lines'],
  run: ({ lines, furniture, edgeLines: { labels, repeated } }) => ({
    lines: withLoneRows(lines, { isLikely: (line) => furniture.has(line), isSure: (line) => furniture.has(line) && (!labels.has(line) || repeated.has(line)) }),
  }),
});
