/** One page decided by the relation network. */
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import type { Box } from '../../geometry/box.js';
import type { DecodedBlock } from './decoded.js';
import { decodePage } from './decode-page.js';
import type { RelationFinder } from './network.js';
import { nodePageOf } from './node-page.js';
import { pageNodes } from './nodes.js';

/** Blocks of a page in reading order, over nodes that are lists of words. */
export interface PageDecision {
  nodes: readonly { words: readonly Word[]; box: Box }[];
  /** The text line of each word, by number. */
  lineOf: (word: Word) => number;
  blocks: readonly DecodedBlock[];
}

/** Rejects as the network does. */
export async function decidePage(content: PageContent, find: RelationFinder, signal: AbortSignal): Promise<PageDecision> {
  const page = nodePageOf(content);
  const made = pageNodes(page);
  const scores = await find(made, signal);
  const lineOf = new Map(content.words.map((word, index) => [word, page.words[index]!.line]));
  return {
    nodes: made.nodes.map(({ words, box }) => ({ words: words.map((word) => content.words[word]!), box })), lineOf: (word) => lineOf.get(word) ?? -1,
    blocks: made.nodes.length === 0 ? [] : decodePage(page, made.nodes, made.em, scores),
  };
}
