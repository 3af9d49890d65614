/** Writes the finished document as files: one for each requested output, and the contract's `document` object with all of them. */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { chunkDocument, writeChunk, type TokenCounter } from '../../chunk/chunk.js';
import { writeDocTags } from '../../document/doctags.js';
import { writeHtml } from '../../document/html.js';
import { writeLatex } from '../../document/latex.js';
import { writeJson } from '../../document/json.js';
import { writeMarkdown, writeMarkdownPages, writeText } from '../../document/markdown.js';
import type { DoclingDocument } from '../../document/model.js';
import type { ChunkOptions, ConvertOptions } from '../options.js';
import type { ConvertOutcome } from '../request.js';

type OutputName = keyof ConvertOutcome['files'];

const fileNames: Record<OutputName, string> = {
  md: 'document.md', json: 'document.json', html: 'document.html', text: 'document.txt', doctags: 'document.doctags', latex: 'document.tex',
};

export const contentFile = 'content.json';
const chunksFile = 'chunks.json';

const atOnce = 256 * 1024;

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

/**
 * Writes pieces as one file. Small pieces are gathered, so that the document is neither in memory as a whole nor written word by word. The worker waits for the disk:
 * it has no other work, and writing by other threads took longer.
 */
async function writePieces(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const file = openSync(path, 'w');
  try {
    let waiting: string[] = [];
    let length = 0;
    const add = (piece: string): void => {
      waiting.push(piece);
      length += piece.length;
      if (length < atOnce) return;
      writeAll(file, waiting.join(''));
      waiting = [];
      length = 0;
    };
    if (Symbol.iterator in pieces) for (const piece of pieces) add(piece);
    else for await (const piece of pieces) add(piece);
    writeAll(file, waiting.join(''));
  } finally {
    closeSync(file);
  }
}

/** The text of a file, a piece at a time. */
function* piecesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.allocUnsafe(atOnce);
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) yield decoder.write(buffer.subarray(0, read));
    yield decoder.end();
  } finally {
    closeSync(file);
  }
}

/** An embedded picture is read from its file when it is written, one at a time. */
function embeddedUri(directory: string, mode: ConvertOptions['imageExportMode']): ((uri: string) => string) | undefined {
  if (mode !== 'embedded') return undefined;
  return (uri) => (uri.startsWith('artifacts/') ? `data:image/png;base64,${readFileSync(join(directory, uri)).toString('base64')}` : uri);
}

function writers(document: DoclingDocument, directory: string, options: ConvertOptions): Partial<Record<OutputName, () => Iterable<string>>> {
  const imageUri = embeddedUri(directory, options.imageExportMode);
  const shown = { imageMode: options.imageExportMode, imageUri, keepFurniture: options.keepFurniture };
  const markdown = { ...shown, compactTables: options.mdCompactTables, rawHtml: options.keepHtml };
  const { outputs } = options;
  const splitPages = outputs.includes('html_split_page') && !outputs.includes('html');
  return {
    ...(outputs.includes('md') && { md: () => writeMarkdown(document, { ...markdown, pageBreakPlaceholder: options.mdPageBreakPlaceholder }) }),
    ...(outputs.includes('json') && { json: () => writeJson(document, { imageUri, ...(options.documentVersion === null ? {} : { minorVersion: options.documentVersion }) }) }),
    ...((outputs.includes('html') || splitPages) && { html: () => writeHtml(document, { ...shown, splitPages }) }),
    ...(outputs.includes('text') && { text: () => writeText(document, markdown) }),
    ...(outputs.includes('doctags') && { doctags: () => writeDocTags(document) }),
    ...(outputs.includes('latex') && { latex: () => writeLatex(document, shown) }),
  };
}

/** The contract's `document` object. Contents that are already in files are read from there, a piece at a time. */
function* contentChunks(directory: string, filename: string, files: ConvertOutcome['files'], pages: Iterable<string> | null): Generator<string> {
  yield `{"filename":${JSON.stringify(filename)}`;
  // The contract has no field for LaTeX: it is added only if it was requested.
  const names = (['md', 'json', 'html', 'text', 'doctags', 'latex'] as const).filter((name) => name !== 'latex' || files.latex !== undefined);
  for (const name of names) {
    yield `,"${name}_content":`;
    const path = files[name];
    if (path === undefined) {
      yield 'null';
      continue;
    }
    const isJson = name === 'json';
    if (!isJson) yield '"';
    for (const chunk of piecesOf(join(directory, path))) {
      yield isJson ? chunk : JSON.stringify(chunk).slice(1, -1);
    }
    if (!isJson) yield '"';
  }
  yield ',"doclang_content":null';
  if (pages !== null) {
    yield ',"pages":[';
    yield* pages;
    yield ']';
  }
  yield '}';
}

function* pageObjects(document: DoclingDocument, directory: string, options: ConvertOptions): Generator<string> {
  const imageUri = embeddedUri(directory, options.imageExportMode);
  let separator = '';
  for (const page of writeMarkdownPages(document, { imageMode: options.imageExportMode, imageUri, keepFurniture: options.keepFurniture, compactTables: options.mdCompactTables, rawHtml: options.keepHtml })) {
    yield separator + JSON.stringify({ page_no: page.pageNumber, md_content: page.markdown });
    separator = ',';
  }
}

/** Writes all outputs of `document` below `directory`; returns their paths there. */
export async function writeOutputs(document: DoclingDocument, directory: string, filename: string, options: ConvertOptions): Promise<ConvertOutcome['files']> {
  const files: ConvertOutcome['files'] = {};
  for (const [name, chunks] of Object.entries(writers(document, directory, options)) as [OutputName, () => Iterable<string>][]) {
    await writePieces(join(directory, fileNames[name]), chunks());
    files[name] = fileNames[name];
  }
  const pages = options.includePages ? pageObjects(document, directory, options) : null;
  await writePieces(join(directory, contentFile), contentChunks(directory, filename, files, pages));
  return files;
}

async function* chunkTexts(document: DoclingDocument, filename: string, options: ChunkOptions, counter: TokenCounter | null): AsyncGenerator<string> {
  let separator = '';
  for await (const chunk of chunkDocument(document, options, counter)) {
    yield separator + writeChunk(chunk, filename);
    separator = ',';
  }
}

/** Writes the chunks of `document` below `directory`; returns the file's path there. The hybrid chunker needs `counter`. */
export async function writeDocumentChunks(
  document: DoclingDocument, directory: string, filename: string, options: ChunkOptions, counter: TokenCounter | null,
): Promise<string> {
  await writePieces(join(directory, chunksFile), chunkTexts(document, filename, options, counter));
  return chunksFile;
}

/** The `document` object of a conversion without results. */
export async function writeEmptyContent(directory: string, filename: string): Promise<void> {
  await writePieces(join(directory, contentFile), contentChunks(directory, filename, {}, null));
}
