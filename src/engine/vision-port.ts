/** The engine's port for networks from elsewhere that see pages: what they are made of, what they are asked, and what they find. */
import type { Bitmap } from '../bitmap.js';
import type { CallOptions, ReadPage } from './port.js';

/** How a bitmap becomes a network's picture. Channels are in the network's order, values on the 0..1 scale: out = (in - mean) / std. */
export interface Preparation {
  /** Each axis by itself; whole and in proportion, padded on both sides; the same, padded at the right and at the bottom. */
  fit: 'stretch' | 'centre' | 'corner';
  /** Blue is the network's first channel. */
  bgr: boolean;
  mean: [number, number, number];
  std: [number, number, number];
  /** Of the padding, before mean and std; absent: 0 after them. */
  pad?: number;
}

export interface NetworkFile {
  /** Path of the ONNX file. */
  file: string;
  /** Of a GPU, models/README.md says what each is; nothing to the CPU. */
  precision: 'f16x3' | 'f16' | 'f32';
  preparation: Preparation;
}

export interface TextDetection extends NetworkFile {
  shortestSide: number;
  longestSide: number;
  threshold: number;
  boxThreshold: number;
  unclip: number;
  mostBoxes: number;
}

export interface TextRecognition extends NetworkFile {
  /** Path; absent: what the file holds. */
  dictionary?: string;
  space: boolean;
  logits: boolean;
  height: number;
  leastWidth: number;
  mostWidth: number;
}

export interface TextAngle extends NetworkFile {
  width: number;
  height: number;
  threshold: number;
}

export interface LayoutNetwork extends NetworkFile {
  answer: 'queries' | 'finished_boxes' | 'places' | 'finished_rows' | 'selected';
  width: number;
  height: number;
  labels: string[];
  threshold: number;
  overlap: number;
  mostRegions: number;
}

/** One that tells what parts rows and columns of a bitmap as it is. */
export interface TableSeparatorNetwork extends NetworkFile {
  answer: 'separators';
}

/** One that writes a table's HTML. */
export interface TableWordNetwork extends NetworkFile {
  answer: 'words';
  dictionary: string;
  mergedCells: boolean;
  paddedBoxes: boolean;
  width: number;
  height: number;
}

export type TableNetwork = TableWordNetwork | TableSeparatorNetwork;

/** What a vision model is made of; native/vision says what each part means. */
export type VisionNetworks =
  | { kind: 'text'; networks: { detector: TextDetection; angle?: TextAngle; reader: TextRecognition } }
  | { kind: 'layout'; networks: { layout: LayoutNetwork } }
  | { kind: 'table'; networks: { table: TableNetwork } };

/** A network that tells what lines of text are: of our own making, it has no card. */
export interface LineNetworks {
  kind: 'lines';
  /** `file`: path of the ONNX file. */
  networks: { lines: { file: string } };
}

export type OpenVisionOptions = (VisionNetworks | LineNetworks) & CallOptions & {
  device: 'cpu' | 'cuda';
  /** On the CPU; default one per processor. */
  threads?: number;
  /** That runs may hold beside the weights. */
  workBytes: number;
};

export interface LayoutRegion {
  label: string;
  /** 0..1 */
  score: number;
  /** Pixels of the bitmap, y downwards. */
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface TableCells {
  rows: number;
  columns: number;
  /** 0..1 */
  score: number;
  /** `box`: x, y of its corners in pixels of the bitmap, the upper left one first, clockwise. */
  cells: { row: number; column: number; rowSpan: number; columnSpan: number; header: boolean; box: number[] }[];
}

/** A page's lines and drawings as the network knows them: rows of numbers, one behind the other. How many of each, the network's file says. */
export interface LineItems {
  /** Of each item. */
  features: Float32Array;
  /** Of each item, those beside it; -1 for none. */
  neighbours: Int32Array;
  /** Two items each, which may be one region, */
  pairs: Int32Array;
  /** and what is known of the two. */
  pairFeatures: Float32Array;
}

export interface LineClasses {
  /** Logits of each item's classes, a row each. */
  classes: Float32Array;
  /** Of each pair; above 0 where both are one region. */
  joined: Float32Array;
}

export interface ReadLinesOptions extends CallOptions {
  /** Of the bitmap, 70 to 2400. */
  dpi: number;
  /** The bitmap is one line of text from edge to edge. */
  oneLine?: boolean;
}

/** Networks in memory that see pages, with a thread of their own. A verb that its kind does not have rejects with `invalid_request`. */
export interface VisionModel {
  /** As they lie in the files. */
  readonly weightBytes: number;
  /** Text and ruled lines of an upright page. */
  readLines(bitmap: Bitmap, options: ReadLinesOptions): Promise<ReadPage>;
  /** The surest region first. */
  findLayout(bitmap: Bitmap, options?: CallOptions): Promise<LayoutRegion[]>;
  /** Of a bitmap that shows the table and little else. */
  findTableCells(bitmap: Bitmap, options?: CallOptions): Promise<TableCells>;
  /** What lines of text are. Rejects with `invalid_request` for rows of another size than the network's. */
  classifyLines(items: LineItems, options?: CallOptions): Promise<LineClasses>;
  /** Cancels what runs; memory is back when the promise settles. Calling it again waits for the same end. */
  close(): Promise<void>;
}

export interface ModelCall extends CallOptions {
  /** By its name in the catalogue. */
  model: string;
}

/** The installed models that read text, by name; the main process loads them when a worker calls. The calls reject with `model_not_found`, `invalid_model`, `out_of_memory`, `cancelled`. */
export interface PageReaders {
  /** Those that read text, by name, with the languages they say they know. */
  textModels(): Promise<{ name: string; languages: string[] | null }[]>;
  readLines(bitmap: Bitmap, options: ReadLinesOptions & ModelCall): Promise<ReadPage>;
}

/** Loads networks from elsewhere. */
export interface VisionLoader {
  /** Rejects with `model_not_found` for missing files and `invalid_model` for networks that are not what they are said to be. */
  openVision(options: OpenVisionOptions): Promise<VisionModel>;
}
