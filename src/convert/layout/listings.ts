/** Decides which text of a page keeps its lines, and which words may belong to tables. */
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import type { Contents, Listing } from '../page/regions.js';
import { findAlgorithms } from './algorithms.js';
import { withoutWords } from './contents.js';
import { marginWords } from './margins.js';
import { numberedListings } from './numbered-code.js';
import { printedListings } from './printed-listings.js';
import { steppedListings } from './stepped-listings.js';

export interface FoundListings {
  /** The page without the words of its tables of contents and the line numbers of its listings. */
  content: PageContent;
  /** Algorithms, and programs with their output: each line stays a text line. */
  listings: Listing[];
  /** The words of programs with numbered lines. */
  code: Set<Word>;
}

export function findListings(page: PageContent, contents: Contents | null): FoundListings {
  const algorithms = findAlgorithms(page);
  const numbered = [...numberedListings(page), ...steppedListings(page)];
  const content = withoutWords(page, new Set([...contents?.words ?? [], ...numbered.flatMap(({ numbers }) => numbers)]));
  const code = new Set(numbered.flatMap((listing) => listing.code));
  return { content, code, listings: [...algorithms, ...printedListings(content, new Set([...algorithms.flat(2), ...code]))] };
}

/** The page as input of the table finder: without the words of listings and of its outermost margins. */
export function tableContent({ content, listings, code }: FoundListings): PageContent {
  return withoutWords(content, new Set([...marginWords(content), ...code, ...listings.flat(2)]));
}
