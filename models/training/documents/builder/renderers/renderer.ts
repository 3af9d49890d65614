/** What the builder needs of a program that prints documents. */
import type { Origin } from '../programs.js';
import type { Truth } from '../truth.js';

/** A document of a source in a style: answers of the programs in `sources` and `styles`. */
export interface SourceDocument {
  origin: string;
  id: string;
  title: string;
  language: string;
  direction?: 'ltr' | 'rtl';
  body: string;
}

export interface StyleSheet {
  origin: string;
  family: string;
  css: string;
  htmlClass?: string;
  wrap?: [string, string];
}

/** The same document twice. */
export interface Prints {
  plain: Uint8Array;
  colored: Uint8Array;
  truth: Truth;
  /** Milliseconds of wall time by stage. */
  times: Record<string, number>;
}

export interface Renderer {
  readonly name: string;
  /** Its own styles; absent if it takes style sheets. */
  readonly styles?: Origin[];
  /** Prints a document plain and coloured. Rejects with the reason if it cannot. Up to `parallel` calls may run at once. */
  print(document: SourceDocument, style: StyleSheet, seed: number): Promise<Prints>;
  readonly parallel: number;
  /** Processor milliseconds of the programs that it runs, so far. */
  processorTime(): Promise<number>;
  close(): Promise<void>;
}
