/** Documents cut into chunks for retrieval: along their structure (hierarchical), or along it and fitted to a number of tokens (hybrid). */
import type { DoclingDocument } from '../document/model.js';
import { fitSegments } from './hybrid.js';
import { segmentsOf } from './segments.js';
import type { Chunk, ChunkOptions, CountTokens, Segment } from './types.js';

export interface TokenCounter {
  /** What answers name as the one that counted. */
  name: string;
  count: CountTokens;
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

function chunkOf(segment: Segment, index: number, document: DoclingDocument, options: ChunkOptions, counter: TokenCounter): Chunk {
  const { parts, headings, captions } = segment;
  const raw = parts.map(({ text }) => text).join('\n');
  const text = [...headings, raw].join('\n');
  const pages = unique(parts.flatMap((part) => part.pages)).sort((a, b) => a - b);
  const { origin } = document;
  const counted = options.chunker === 'hybrid';
  return {
    chunk_index: index,
    text,
    raw_text: options.includeRawText ? raw : null,
    num_tokens: counted ? counter.count(text) : null,
    headings: headings.length === 0 ? null : headings,
    captions: captions.length === 0 ? null : captions,
    doc_items: unique(parts.flatMap((part) => part.items)),
    page_numbers: pages.length === 0 ? null : pages,
    metadata: {
      has_image: parts.some((part) => part.hasImage),
      origin: origin === null ? null : { mimetype: origin.mimetype, binary_hash: String(origin.binary_hash), filename: origin.filename, uri: origin.uri },
      ...(counted && { tokenizer: counter.name }),
    },
  };
}

/** A chunk as JSON, with the name that the client gave its document. */
export function writeChunk(chunk: Chunk, filename: string): string {
  // The hash has 64 bits, which no JavaScript number holds. Inside a JSON text these quotes would be escaped: only the key matches.
  return JSON.stringify({ filename, ...chunk }).replace(/"binary_hash":"(\d+)"/, '"binary_hash":$1');
}

/** The chunks one by one, in reading order; a document without text has none. */
export function* chunkDocument(document: DoclingDocument, options: ChunkOptions, counter: TokenCounter): Generator<Chunk> {
  const segments = segmentsOf(document, options);
  const chunks = options.chunker === 'hybrid' ? fitSegments(segments, options.maxTokens, options.mergePeers, counter.count) : segments;
  for (const [index, segment] of chunks.entries()) yield chunkOf(segment, index, document, options, counter);
}
