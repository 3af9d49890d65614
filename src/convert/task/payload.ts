/** The words of a conversion task: what a request hands in, what its status says while it runs, what it leaves behind. */
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
  /** `inbody` holds exactly one document, or chunks of any number. */
  target: 'inbody' | 'zip';
  /** Kept with the task: a restart must not lose who waits for its end. */
  callbacks?: CallbackTarget[];
}

/** The contract's `task_meta`, and pages and stage as ours. */
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

export interface ConversionSummary {
  /** The file in the outputs directory: the contract's response as JSON, or the zip. */
  file: 'result.json' | 'converted_docs.zip';
  /** The worst of the documents: failure, skipped, partial_success, success. */
  status: ConversionStatus;
  documents: DocumentSummary[];
  processingTimeS: number;
}
