/** The options of one conversion, validated and with every default in place. The HTTP room and the command line make it. */
import type { ChunkOptions } from '../chunk/chunk-types.js';

export { defaultMaxTokens } from '../chunk/chunk-types.js';
export type { ChunkOptions } from '../chunk/chunk-types.js';

export type OutputFormat = 'md' | 'json' | 'html' | 'html_split_page' | 'text' | 'doctags' | 'latex';
export type ImageExportMode = 'placeholder' | 'embedded' | 'referenced';

export interface ConvertOptions {
  outputs: OutputFormat[];
  imageExportMode: ImageExportMode;
  doOcr: boolean;
  forceOcr: boolean;
  ocrPreset: string;
  ocrLanguages: string[];
  doTableStructure: boolean;
  tableMode: 'fast' | 'accurate';
  /** First and last page, from 1, inclusive. */
  pageRange: [number, number];
  /** Seconds; null means the service's own limit. */
  documentTimeoutS: number | null;
  abortOnError: boolean;
  includeImages: boolean;
  includePageImages: boolean;
  /** Bitmaps are made at 72 * imagesScale dpi. */
  imagesScale: number;
  doPdfHeadingHierarchy: boolean;
  doFormulaEnrichment: boolean;
  doCodeEnrichment: boolean;
  /** Empty for none; `{page}` stands for the number of the page that begins. */
  mdPageBreakPlaceholder: string;
  /** Tables in markdown without padding. */
  mdCompactTables: boolean;
  /** Ours: markdown page by page in the answer. */
  includePages: boolean;
  /** Ours: running headers and footers stay in the markdown. */
  keepFurniture: boolean;
  /** Ours: the speaker's notes of presentations are part of the text. */
  keepNotes: boolean;
  /** Ours: HTML, and words that would be a link to a script, stay as they are in the document's text in markdown. */
  keepHtml: boolean;
  /** Ours: the input file is kept with the result of its task. Tasks of an older version have none. */
  keepSource?: boolean;
  password: string | null;
  /** Minor version of the DoclingDocument that the JSON keeps to (5 for 1.5.0), where a reader does not know today's; null for today's. */
  documentVersion: number | null;
  /** Null where the document is not cut into chunks. */
  chunking: ChunkOptions | null;
  maxPages: number;
}

export const defaultConvertOptions: ConvertOptions = {
  outputs: ['md'],
  imageExportMode: 'placeholder',
  doOcr: true,
  forceOcr: false,
  ocrPreset: 'auto',
  ocrLanguages: [],
  doTableStructure: true,
  tableMode: 'accurate',
  pageRange: [1, Number.MAX_SAFE_INTEGER],
  documentTimeoutS: null,
  abortOnError: false,
  includeImages: true,
  includePageImages: false,
  imagesScale: 2,
  doPdfHeadingHierarchy: true,
  doFormulaEnrichment: false,
  doCodeEnrichment: false,
  mdPageBreakPlaceholder: '',
  mdCompactTables: false,
  documentVersion: null,
  includePages: false,
  keepFurniture: false,
  keepNotes: false,
  keepHtml: false,
  keepSource: false,
  password: null,
  chunking: null,
  maxPages: Number.MAX_SAFE_INTEGER,
};
