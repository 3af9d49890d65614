/** The input file opened: its format, its checksum, and its content as pages or as a finished document. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Archive, findFormat, formatNames, looksLikeArchive } from '../../formats/index.js';
import type { ReadDocument, ReadOptions } from '../../formats/index.js';
import type { ConvertPorts, ConvertRequest } from '../request.js';
import type { Timings } from '../timings.js';
import { detectFormat } from './input-format.js';
import type { InputFormat } from './input-format.js';
import { openPages } from './pages.js';
import type { PageSource } from './page-source.js';

/** Pages from which the converter makes a document. */
export interface PagesInput {
  pages: PageSource;
}

/** A document that a format reader made. */
export interface ReadDocumentInput {
  read: ReadDocument;
}

export interface Input {
  sha256: string;
  format: InputFormat;
  /** Null if this program does not convert the format. */
  content: PagesInput | ReadDocumentInput | null;
}

/** Documents of Pages, Numbers and Keynote from before 2013 are read by the preview that they hold, a PDF; null for all others. */
function previewOf(bytes: Uint8Array, format: string): Uint8Array | null {
  if (!format.startsWith('iwork_') || !looksLikeArchive(bytes)) return null;
  const archive = new Archive(bytes);
  return archive.names().some((name) => name.endsWith('.iwa') || name === 'Index.zip') ? null : archive.find('QuickLook/Preview.pdf');
}

/** The file's bytes end with this call: the PDF engine has its own copy. Rejects as `openPages` and readers do, with the format in `onFormat`. */
export async function openInput(request: ConvertRequest, ports: ConvertPorts, timings: Timings, onFormat: (format: InputFormat) => void): Promise<Input> {
  const bytes = await timings.measure('read_input', 'document', () => readFile(request.inputPath));
  const format = detectFormat(bytes, request.filename);
  onFormat(format);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (!format.supported) return { sha256, format, content: null };
  const known = previewOf(bytes, format.name) === null ? findFormat(format.name) : undefined;
  const reader = await known?.load();
  if (reader === null) {
    const refusal = await known?.refusal?.(bytes);
    if (refusal) throw refusal;
    return { sha256, format, content: null };
  }
  if (reader === undefined) {
    const pages = await timings.measure('open', 'document', () => openPages(format.name, previewOf(bytes, format.name) ?? bytes, request.options.password, request.filename, readOptions(request, ports, format, sha256)));
    return { sha256, format, content: { pages } };
  }
  const read = await timings.measure('parse', 'document', async () => reader(bytes, readOptions(request, ports, format, sha256)));
  return { sha256, format, content: { read } };
}

function readOptions({ options, filename }: ConvertRequest, ports: ConvertPorts, format: InputFormat, sha256: string): ReadOptions {
  return {
    filename: basename(filename), mimetype: format.mimetype, sha256, password: options.password, pageRange: options.pageRange, keepNotes: options.keepNotes,
    signal: ports.signal, alive: () => ports.progress({ stage: 'parse', pagesDone: 0, pagesTotal: 0, pageNumber: null }),
  };
}

/** The reason why a file of this format is not converted: what is missing on this machine, or the list of formats. A sentence or two. */
export function whyNotConverted(format: string): string {
  const needs = findFormat(format)?.needs;
  if (needs !== undefined) return `Converting it needs ${needs}, which is not installed on this machine.`;
  return `Allowed are ${['pdf', 'image', 'djvu', ...formatNames()].join(', ')}; what a plain text is the ending of its name tells, such as .md, .txt or .tex.`;
}
