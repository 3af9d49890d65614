/** What chunks of a document are, and how they are asked for. Field names of `Chunk` are the contract's. */

/** How many tokens each of the texts has, on its own. Joined they may have more or fewer: what a chunk has is counted as a whole. */
export type CountTokens = (texts: readonly string[]) => Promise<ArrayLike<number>>;

/** Tokens of a chunk where the client names no number: what small embedding models take at once. */
export const defaultMaxTokens = 256;

export interface ChunkOptions {
  chunker: 'hybrid' | 'hierarchical';
  /** Tables as pipe tables instead of sentences. */
  markdownTables: boolean;
  /** Pictures as markdown images where they have an address; else the placeholder stands for them. */
  markdownImages: boolean;
  imagePlaceholder: string;
  includeRawText: boolean;
  /** Of the hybrid chunker: the model whose tokens count, as the client calls it; null leaves it to the service. */
  tokenizer: string | null;
  /** Of the hybrid chunker: tokens of a chunk at most, headings included; from 1. */
  maxTokens: number;
  /** Of the hybrid chunker: small neighbours under the same headings become one chunk. */
  mergePeers: boolean;
}

export interface Chunk {
  /** From 0 within its document. */
  chunk_index: number;
  /** With the headings that it stands under, one a line. */
  text: string;
  raw_text: string | null;
  /** Null where the chunker does not count. */
  num_tokens: number | null;
  headings: string[] | null;
  captions: string[] | null;
  /** References of the items that it is made of: `#/texts/3`. */
  doc_items: string[];
  /** From 1, rising; null where the document has no pages. */
  page_numbers: number[] | null;
  metadata: Record<string, unknown>;
}

/** A piece of a document that stays together if it can: an item, a list, a table. */
export interface DocumentSegment {
  parts: SegmentPart[];
  /** From the title down; the same array for all that stands under the same headings. */
  headings: string[];
  captions: string[];
}

export interface SegmentPart {
  text: string;
  items: string[];
  pages: number[];
  hasImage: boolean;
  /** Lines at the top of the text that each of its pieces repeats: a table's names of columns. */
  headLines: number;
}

export function rawTextOf({ parts }: DocumentSegment): string {
  return parts.map(({ text }) => text).join('\n');
}

/** A chunk's text: what is embedded, and counted. */
export function textOf(segment: DocumentSegment): string {
  return [...segment.headings, rawTextOf(segment)].join('\n');
}
