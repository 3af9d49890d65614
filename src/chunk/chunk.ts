/** Documents cut into chunks for retrieval: along their structure (hierarchical), or along it and fitted to a number of tokens (hybrid). */
import type { DoclingDocument } from '../document/model.js';
import { LecternError } from '../errors.js';
import { fitSegments } from './hybrid.js';
import { segmentsOf } from './document-segments.js';
import { rawTextOf, textOf, type Chunk, type ChunkOptions, type CountTokens, type DocumentSegment } from './chunk-types.js';

export interface TokenCounter {
  /** Responses name it as the tokenizer that counted. */
  name: string;
  count: CountTokens;
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

function chunkOf(segment: DocumentSegment & { numTokens?: number }, index: number, document: DoclingDocument, options: ChunkOptions, tokenizer: string | undefined): Chunk {
  const { parts, headings, captions, numTokens } = segment;
  const pages = unique(parts.flatMap((part) => part.pages)).sort((a, b) => a - b);
  const { origin } = document;
  return {
    chunk_index: index,
    text: textOf(segment),
    raw_text: options.includeRawText ? rawTextOf(segment) : null,
    num_tokens: numTokens ?? null,
    headings: headings.length === 0 ? null : headings,
    captions: captions.length === 0 ? null : captions,
    doc_items: unique(parts.flatMap((part) => part.items)),
    page_numbers: pages.length === 0 ? null : pages,
    metadata: {
      has_image: parts.some((part) => part.hasImage),
      origin: origin === null ? null : { mimetype: origin.mimetype, binary_hash: String(origin.binary_hash), filename: origin.filename, uri: origin.uri },
      ...(tokenizer !== undefined && { tokenizer }),
    },
  };
}

/** A chunk as JSON, with the name that the client gave its document. */
export function writeChunk(chunk: Chunk, filename: string): string {
  // The hash has 64 bits, which no JavaScript number holds. Inside a JSON text these quotes would be escaped: only the key matches.
  return JSON.stringify({ filename, ...chunk }).replace(/"binary_hash":"(\d+)"/, '"binary_hash":$1');
}

/** The chunks one by one, in reading order; a document without text has none. The hybrid chunker throws `internal` without a counter. */
export async function* chunkDocument(document: DoclingDocument, options: ChunkOptions, counter: TokenCounter | null): AsyncGenerator<Chunk> {
  const segments = segmentsOf(document, options);
  if (options.chunker === 'hierarchical') {
    for (const [index, segment] of segments.entries()) yield chunkOf(segment, index, document, options, undefined);
    return;
  }
  if (counter === null) throw new LecternError('internal', 'There is nothing that counts tokens.');
  const fitted = await fitSegments(segments, options.maxTokens, options.mergePeers, counter.count);
  for (const [index, segment] of fitted.entries()) yield chunkOf(segment, index, document, options, counter.name);
}
