/** The interface of all readers: bytes in, a document out, with its pictures and with sentences about what is missing. */
import type { DoclingDocument, ImageRef } from '../document/model.js';

export interface ReadOptions {
  /** The client's name for the file, base name only. */
  filename: string;
  /** Of the format, for the document's origin. */
  mimetype: string;
  /** Of the bytes, hexadecimal. */
  sha256: string;
  password: string | null;
  /** First and last page (slide, sheet), from 1, inclusive; formats without pages ignore it. */
  pageRange: [number, number];
  /** A speaker's notes are part of the text. */
  keepNotes: boolean;
  signal: AbortSignal;
  /** A sign of life, for readers that wait for another program. */
  alive: () => void;
}

/** A picture of the file as it is stored there; whether it can be drawn is for others to find out. */
export interface FoundPicture {
  /** What the picture belongs to. */
  item: { image: ImageRef | null };
  /** Unpacks it anew at each call; throws what archives throw. */
  bytes: () => Uint8Array;
  /** Dots per inch of the page; absent: 72. */
  dpi?: number;
  /** The item has it in a `data:` address already: it is stored only where the result refers to files. */
  embedded?: true;
}

export interface ReadDocument {
  document: DoclingDocument;
  pictures: FoundPicture[];
  /** One public sentence for each thing that is missing from the document; empty where it is whole. */
  losses: string[];
  /** One public sentence for each thing to know beside a document that is whole: a guess, what is left out on purpose. */
  remarks?: string[];
  /** Pages of the file (slides, sheets), delivered or not; null where the format has none. */
  pageCount: number | null;
}

/** Rejects with LecternError `invalid_document`, `password_required`, `too_large`, `unsupported_format`, `timeout` or `cancelled`. */
export type FormatReader = (bytes: Uint8Array, options: ReadOptions) => Promise<ReadDocument> | ReadDocument;
