/** An office file read by its registered reader, with the options that such files have, and its markdown. */
import { writeMarkdown } from '../../src/document/markdown.js';
import type { MarkdownOptions } from '../../src/document/markdown.js';
import { findFormat } from '../../src/formats/index.js';
import type { ReadDocument, ReadOptions } from '../../src/formats/index.js';

export interface OfficeFile extends ReadDocument {
  /** Tables without padding. */
  markdown: string;
}

export const readOptions: ReadOptions = {
  filename: 'file.docx', mimetype: 'application/octet-stream', sha256: '0'.repeat(64), password: null, pageRange: [1, Number.MAX_SAFE_INTEGER], keepNotes: false,
  signal: new AbortController().signal, alive: () => undefined,
};

/** Rejects as the reader does. */
export async function readOffice(name: string, bytes: Uint8Array, options: Partial<ReadOptions> = {}, shown: MarkdownOptions = {}): Promise<OfficeFile> {
  const reader = await findFormat(name)?.load();
  if (!reader) throw new Error(`no reader for ${name}`);
  const read = await reader(bytes, { ...readOptions, filename: `file.${name}`, ...options });
  return { ...read, markdown: [...writeMarkdown(read.document, { compactTables: true, ...shown })].join('') };
}
