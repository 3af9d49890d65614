/** Passes that join blocks that columns and pages split. */
import { joinCodeOverPages } from '../code.js';
import { readDetails } from '../company-details.js';
import { joinAcrossColumns } from '../join.js';
import { definePass } from '../pass.js';
import { joinTables } from '../table-parts.js';
import { pagesByIndex } from './pages-by-index.js';

export const joinParts = definePass({
  name: 'join paragraphs, programs and tables over columns and pages', reads: ['pages', 'blocks', 'headings'], writes: ['blocks', 'joined blocks'],
  run: ({ pages, blocks }) => {
    const pageOf = pagesByIndex(pages);
    const heightOf = (page: number): number => pageOf(page).height;
    return { blocks: joinTables(joinCodeOverPages(joinAcrossColumns(blocks, (page) => pageOf(page).panels), heightOf), heightOf) };
  },
});

export const readCompanyDetails = definePass({
  name: 'give company details their roles', reads: ['blocks', 'companyDetails', 'joined blocks', 'heading levels'], writes: ['blocks'],
  run: ({ blocks, companyDetails }) => {
    readDetails(blocks, companyDetails);
    return { blocks };
  },
});
