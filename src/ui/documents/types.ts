/** What the service sends of a document, as far as the page reads it: docling-serve's answer and the DoclingDocument in it. */

export interface Ref { $ref: string }
export interface Box { l: number; t: number; r: number; b: number; coord_origin?: 'TOPLEFT' | 'BOTTOMLEFT' }
export interface Cell {
  bbox?: Box | null;
  row_span: number;
  col_span: number;
  start_row_offset_idx: number;
  start_col_offset_idx: number;
  text: string;
  column_header: boolean;
  row_header: boolean;
}

export interface Item {
  self_ref: string;
  children?: Ref[];
  content_layer?: string;
  meta?: Record<string, unknown> | null;
  label?: string;
  prov?: { page_no: number; bbox: Box }[];
  text?: string;
  orig?: string;
  level?: number;
  enumerated?: boolean;
  marker?: string;
  hyperlink?: string | null;
  formatting?: { bold?: boolean; italic?: boolean; strikethrough?: boolean; underline?: boolean; script?: string } | null;
  code_language?: string;
  captions?: Ref[];
  image?: { uri: string } | null;
  data?: { table_cells?: Cell[]; num_rows: number; num_cols: number };
}

export interface DoclingDocument {
  name: string;
  body: Item;
  groups?: Item[];
  texts?: Item[];
  tables?: Item[];
  pictures?: Item[];
  pages?: Record<string, { page_no: number; size: { width: number; height: number } }>;
}

export interface Scores {
  mean_score: number | null;
  low_score: number | null;
  mean_grade?: string;
  ocr_score?: number | null;
}

export interface ResultError { component_type: string; error_message: string; page_number?: number | null; page_no?: number | null }

export interface Result {
  document: {
    filename: string;
    md_content: string | null;
    json_content: DoclingDocument | null;
    html_content: string | null;
    text_content: string | null;
    doctags_content: string | null;
    pages?: { page_no: number; md_content: string }[];
  };
  status: 'success' | 'partial_success' | 'failure' | 'skipped';
  errors: ResultError[];
  processing_time: number;
  confidence: (Scores & { pages?: Record<string, Scores> }) | null;
}

export interface TaskStatus {
  task_id: string;
  task_status: 'pending' | 'started' | 'success' | 'failure';
  task_position: number | null;
  task_meta: { num_docs: number; num_failed: number; pages_done: number; pages_total: number; stage: string } | null;
  error_message: string | null;
  failure: { message: string; retryable: boolean; details?: { code?: string } } | null;
}
