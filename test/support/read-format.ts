/** A file of another format than PDF, read by its registered reader: its markdown for tests to inspect. */
import { writeMarkdown } from '../../src/document/markdown.js';
import { findFormat } from '../../src/formats/index.js';
import type { ReadDocument } from '../../src/formats/index.js';

/** As the conversion worker calls it. Rejects as the reader does. */
export async function readFormat(name: string, source: string | Uint8Array, filename = `file.${name}`): Promise<ReadDocument> {
  const format = findFormat(name);
  const reader = await format?.load();
  if (format === undefined || reader === null || reader === undefined) throw new Error(`no reader for ${name}`);
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  return reader(bytes, {
    filename, mimetype: format.mimetype, sha256: '0'.repeat(64), password: null, pageRange: [1, Number.MAX_SAFE_INTEGER], keepNotes: false,
    signal: new AbortController().signal, alive: () => undefined,
  });
}

/** With compact tables, as the samples' truths have them. */
export async function markdownOf(name: string, source: string | Uint8Array, filename?: string): Promise<string> {
  const { document } = await readFormat(name, source, filename);
  return [...writeMarkdown(document, { compactTables: true })].join('');
}
