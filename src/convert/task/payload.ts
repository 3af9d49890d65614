/** The data of a conversion task: what its request hands over, the progress that its status shows while it runs, and what it leaves when it has ended. */
import type { ConvertOptions } from '../options.js';
import type { ConversionError, ConversionStatus } from '../result.js';

/** Where a document lies that the task itself fetches, after the request that named it was checked. */
export interface RemoteSource {
  url: string;
  headers: Record<string, string>;
}

/**
 * Fetches into a new file. Rejects with a LecternError whose message is fit for the document's `errors`: `forbidden` and
 * `too_large` are of the category policy, everything else is source_unavailable.
 */
export type FetchRemote = (source: RemoteSource, toFile: string, signal: AbortSignal) => Promise<void>;

export interface TaskDocument {
  /** Name of the file in the task's inputs directory. */
  input: string;
  /** The client's name for it; may hold path parts and anything else. */
  filename: string;
  /** Set where `input` does not exist yet: the task fetches it there before it converts; a failure is the document's. */
  remote?: RemoteSource;
}

/** Where the progress of a task is reported. */
export interface CallbackTarget {
  url: string;
  headers: Record<string, string>;
  ca_cert: string;
}

export interface ConversionPayload {
  /** In the order of the request; at least one. */
  documents: TaskDocument[];
  options: ConvertOptions;
  /** `inbody`: one JSON answer, with exactly one document or with the chunks of any number of documents. `zip`: an archive. */
  target: 'inbody' | 'zip';
  /** Kept on disk with the task, so that they are called after a restart, too. */
  callbacks?: CallbackTarget[];
}

/** The progress of a task: the fields of docling-serve's `task_meta`, and `pages_done`, `pages_total` and `stage`, which Lectern adds. */
export interface ConversionMeta {
  num_docs: number;
  num_processed: number;
  num_succeeded: number;
  num_partially_succeeded: number;
  num_failed: number;
  pages_done: number;
  /** Of the documents opened so far. */
  pages_total: number;
  stage: string;
}

export interface DocumentSummary {
  filename: string;
  status: ConversionStatus;
  pageCount: number;
  /** The first ones; `errorCount` counts all. */
  errors: ConversionError[];
  errorCount: number;
}

/** In the outputs directory, where the request asked to keep the document. */
export const sourceFile = 'source';

export interface ConversionSummary {
  /** The file in the outputs directory: docling-serve's response as JSON, or the zip archive. */
  file: 'result.json' | 'converted_docs.zip';
  /** The worst of the documents: failure, skipped, partial_success, success. */
  status: ConversionStatus;
  documents: DocumentSummary[];
  processingTimeS: number;
}
