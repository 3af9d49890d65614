/** The registry: which formats can be read, by the contract's names, and the reader of each. */
import type { Reader } from './reader.js';

interface Format {
  mimetype: string;
  /** Loaded at the first document of its kind. Null where this machine lacks what the format needs. */
  load: () => Promise<Reader | null>;
}

const openXml = 'application/vnd.openxmlformats-officedocument';

const formats: Record<string, Format> = {
  docx: { mimetype: `${openXml}.wordprocessingml.document`, load: async () => (await import('./office/docx/read.js')).readDocx },
  xlsx: { mimetype: `${openXml}.spreadsheetml.sheet`, load: async () => (await import('./office/xlsx/read.js')).readXlsx },
};

/** Undefined where the format has no reader here. */
export function findFormat(name: string): Format | undefined {
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

export { sniffFormat } from './sniff.js';
export type { FoundPicture, ReadDocument, Reader, ReadOptions } from './reader.js';
