/** What a request for scores holds: Cohere's and Jina's body (`documents`), or that of Text Embeddings Inference (`texts`). */
import type { KeepAlive } from '../../models/types.js';
import { FieldError, type Fields } from '../fields.js';
import { annotations, checkAnnotations, readKeepAlive, refuseUnknown } from '../openai/checks.js';

/** As many as Jina's service takes. */
const mostDocuments = 2048;

export interface RerankRequest {
  /** Absent in the form of Text Embeddings Inference: the only rerank model there is. */
  model: string | undefined;
  query: string;
  documents: string[];
  /** How many results are returned. */
  topN: number;
  returnsDocuments: boolean;
  /** Tokens of a document at most; it loses those beyond. */
  tokensPerDocument: number | undefined;
  /** A pair that is longer than the context loses the end of its document. */
  truncates: boolean;
  /** The answer has the form of Text Embeddings Inference, a list. */
  isList: boolean;
  /** Logits instead of probabilities. */
  rawScores: boolean;
  keepAlive: KeepAlive | undefined;
}

const common = [...annotations, 'model', 'query', 'truncate', 'keep_alive'];
export const documentNames: ReadonlySet<string> = new Set([...common, 'documents', 'top_n', 'return_documents', 'max_tokens_per_doc', 'max_chunks_per_doc', 'rank_fields', 'priority']);
export const textNames: ReadonlySet<string> = new Set([...common, 'texts', 'raw_scores', 'return_text', 'truncation_direction']);

/** Throws FieldError for what is missing, wrong or unknown. */
export function readRerank(fields: Fields): RerankRequest {
  const isList = fields.has('texts');
  if (isList && fields.has('documents')) fields.refuse('texts', "cannot be given with 'documents'");
  refuseUnknown(fields, isList ? textNames : documentNames);
  checkAnnotations(fields);
  const query = fields.require('query', fields.string('query'));
  if (query.trim() === '') fields.refuse('query', 'must not be empty');
  const documents = isList ? readTexts(fields) : readDocuments(fields);
  const direction = fields.string('truncation_direction')?.toLowerCase() ?? 'right';
  if (direction !== 'right') fields.refuse('truncation_direction', "may be 'right' alone: a document loses its end");
  return {
    model: isList ? fields.string('model') : fields.require('model', fields.string('model')),
    query,
    documents,
    topN: Math.min(fields.integer('top_n', { least: 1 }) ?? documents.length, documents.length),
    returnsDocuments: fields.boolean(isList ? 'return_text' : 'return_documents') ?? false,
    tokensPerDocument: fields.integer('max_tokens_per_doc', { least: 1 }),
    truncates: fields.boolean('truncate') ?? false,
    isList,
    rawScores: fields.boolean('raw_scores') ?? false,
    keepAlive: readKeepAlive(fields),
  };
}

function readTexts(fields: Fields): string[] {
  const texts = fields.list('texts') ?? [];
  checkCount(fields, 'texts', texts.length);
  if (!texts.every((text) => typeof text === 'string')) fields.refuse('texts', 'must be a list of strings');
  return texts as string[];
}

/** Strings, or objects with the text under `text`. */
function readDocuments(fields: Fields): string[] {
  const documents = fields.require('documents', fields.list('documents'));
  checkCount(fields, 'documents', documents.length);
  return documents.map((document, index) => {
    if (typeof document === 'string') return document;
    const text = typeof document === 'object' && document !== null ? (document as { text?: unknown }).text : undefined;
    if (typeof text === 'string') return text;
    throw new FieldError(`documents[${index}]`, `'documents[${index}]' must be a string, or an object with the string 'text'.`);
  });
}

function checkCount(fields: Fields, name: string, count: number): void {
  if (count === 0) fields.refuse(name, 'must not be empty');
  if (count > mostDocuments) fields.refuse(name, `has ${count} entries, more than the ${mostDocuments} of a request`);
}
