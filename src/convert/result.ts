/** What one converted document is, on its way from the worker to the task: statuses, errors and the files it wrote. */

export type ConversionStatus = 'success' | 'partial_success' | 'failure' | 'skipped';
export type ErrorComponent = 'document_backend' | 'model' | 'doc_assembler' | 'user_input' | 'pipeline';
export type ErrorCategory =
  | 'policy' | 'capacity' | 'source_unavailable' | 'target_unavailable' | 'timeout'
  | 'internal' | 'backend_failure' | 'inference_failure' | 'unknown';

/** Field names are the contract's, section 3. */
export interface ConversionError {
  component_type: ErrorComponent;
  module_name: string;
  error_message: string;
  category: ErrorCategory;
  /** From 1; null where it is the whole document's. */
  page_no: number | null;
}

export type Grade = 'poor' | 'fair' | 'good' | 'excellent' | 'unspecified';

/** From 0 to 1; null where nothing is known. */
export interface ConfidenceScores {
  parse_score: number | null;
  layout_score: number | null;
  table_score: number | null;
  ocr_score: number | null;
  mean_score: number | null;
  low_score: number | null;
  mean_grade: Grade;
  low_grade: Grade;
}

export interface Confidence extends ConfidenceScores {
  /** By page number, from 1. Empty where the format has no pages. */
  pages: Record<string, ConfidenceScores>;
}

export interface StageTiming {
  scope: 'page' | 'document';
  count: number;
  /** Seconds, one entry per run. */
  times: number[];
  start_timestamps: string[];
}

/** What a converter reports while it works. `pageNumber` from 1. */
export interface ConversionProgress {
  stage: string;
  pagesDone: number;
  pagesTotal: number;
  /** The page that is being worked on, or null between pages. */
  pageNumber: number | null;
  /** One before it that networks are at work on at the same time: should the process end now, either may be why. */
  pendingPage?: number;
}
