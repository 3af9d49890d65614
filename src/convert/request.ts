/** One document's way through the converter: what goes in, what comes out, and the ports it may use. Plain data on both sides. */
import type { TokenCounting, VisionEngine } from '../engine/port.js';
import type { LineVoting } from './ocr/own.js';
import type { TextRecognisers } from './ocr/recogniser.js';
import type { ConvertOptions } from './options.js';
import type { RelationFinder } from './relations/network.js';
import type { LayoutFinder } from './layout-network/shipped.js';
import type { CellFinder } from './tables/network/cell-finder.js';
import type { Confidence, ConversionError, ConversionProgress, ConversionStatus, StageTiming } from './result.js';

/** A model's vocabulary. */
export interface Vocabulary {
  /** The model's, for the answer. */
  name: string;
  /** Of its (first) file. */
  path: string;
}

export interface ConvertRequest {
  inputPath: string;
  /** The client's name for it, base name only. */
  filename: string;
  /** Exists and is empty; the converter writes its files there and nowhere else. */
  outputDirectory: string;
  options: ConvertOptions;
  /** What counts the tokens of chunks. */
  vocabulary?: Vocabulary | null;
  /** Pages (from 1) that killed or stalled an earlier worker, with what to say of each: left out, reported in `errors`. */
  failedPages: { pageNumber: number; error: ConversionError }[];
  /** One page is at work at a time: an earlier worker was lost with two. */
  pageByPage?: boolean;
  /** Pages are decided by the relation network, if it is installed. */
  byRelations?: boolean;
}

export interface ConvertOutcome {
  status: ConversionStatus;
  errors: ConversionError[];
  confidence: Confidence | null;
  timings: Record<string, StageTiming>;
  processingTimeS: number;
  /** Pages delivered. */
  pageCount: number;
  /** How many of them were read from their picture. */
  recognisedPages: number;
  /** Named by the contract's words: `pdf`, `image`, ... */
  format: string;
  /**
   * Paths below outputDirectory, one for each requested output (`document.md`, `document.json`, `document.html`,
   * `document.txt`, `document.doctags`, `document.tex`), empty on failure.
   */
  files: Partial<Record<'md' | 'json' | 'html' | 'text' | 'doctags' | 'latex', string>>;
  /** Images of the referenced mode, paths below outputDirectory (`artifacts/image_000001_….png`). */
  artifacts: string[];
  /** Where chunks were asked for: their JSON objects, set off by commas, in no list (`chunks.json`). */
  chunksFile?: string | undefined;
  /** The contract's `document` object as JSON (`content.json`), ready to be put into an answer as it is. Always written. */
  contentFile: string;
}

export interface ConvertPorts {
  engine: VisionEngine;
  /** For chunks that are fitted to a number of tokens. */
  counting?: TokenCounting;
  recognisers: TextRecognisers;
  /** Tells which way up pages stand that are read from their picture; absent or null: none is turned. */
  lineVotes?: LineVoting | null;
  /** Finds the cells of tables without full ruling lines; absent or null: geometry alone does. */
  tableCells?: CellFinder | null;
  /** Tells what lines of text are; absent or null: geometry alone does. */
  layout?: LayoutFinder | null;
  /** Decides pages by the relation network; absent or null: the rules of `decide` do. */
  relations?: RelationFinder | null;
  /**
   * Holds the memory of the networks until what it resolves to is called, so that what is asked of them meanwhile begins at once; absent: it is not counted. Rejects with `out_of_memory`
   * and `cancelled`.
   */
  holdNetworks?(signal: AbortSignal): Promise<() => void>;
  progress(progress: ConversionProgress): void;
  signal: AbortSignal;
}
