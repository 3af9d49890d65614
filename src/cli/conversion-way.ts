/** How `lectern convert` converts a document: in this program, or by a running service. */
import type { ConvertOutcome } from '../convert/request.js';

export type WrittenOutcome = Pick<ConvertOutcome, 'status' | 'errors' | 'files' | 'artifacts'>;

export interface ConversionWay {
  /** Documents that it converts at a time, and the order in which they begin. */
  atOnce: number;
  order: number[];
  /** Writes the results of one file into `scratch`; `show` gets its progress. */
  convert(file: string, scratch: string, show: (text: string) => void): Promise<WrittenOutcome>;
  close(): Promise<void>;
}
