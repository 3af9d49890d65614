/** Documents of a task that are archives of documents: each of their files takes its place among the documents. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { asLecternError } from '../../errors.js';
import type { TaskContext } from '../../tasks/types.js';
import type { UnpackedDocument, UnpackRequest } from '../input/unpack-archive.js';
import type { DocumentPorts } from './document-attempts.js';
import type { ConversionMeta, TaskDocument } from './payload.js';

/** A document with the path of its file. `refusal` says why an archive cannot be unpacked, or a file of it is none. */
export interface PlacedDocument extends TaskDocument {
  inputPath: string;
  refusal?: string;
}

const archiveName = /\.(?:zip|tar|tgz|gz)$/i;
const longestHead = 4;

/** First bytes of zip, gzip and, of a tar, whatever its first file's name begins with. */
async function mayBeArchive(path: string, filename: string): Promise<boolean> {
  if (!archiveName.test(filename)) return false;
  const file = await open(path);
  try {
    const head = Buffer.alloc(longestHead);
    await file.read(head, 0, longestHead, 0);
    return /\.tar$/i.test(filename) || head.subarray(0, 2).toString('latin1') === 'PK' || (head[0] === 0x1f && head[1] === 0x8b);
  } finally {
    await file.close();
  }
}

/** The files of an archive; the document itself where it is none, with the reason where it cannot be unpacked. Rejects where the task is cancelled. */
async function filesOf(document: PlacedDocument, directory: string, { signal, countBelow }: TaskContext<ConversionMeta>, { pool, limits }: DocumentPorts): Promise<PlacedDocument[]> {
  try {
    const found = await pool.run('unpack', (at): UnpackRequest => ({ path: at('archive'), filename: document.filename, outputDirectory: at('files') }), {
      limits: { silenceMs: limits.documentMs, totalMs: limits.documentMs }, signal,
      files: { inputs: { archive: document.inputPath }, outputs: { files: { path: directory, kind: 'directory' } }, onWriting: countBelow },
    }) as UnpackedDocument[] | null;
    return found === null ? [document] : found.map(({ file, filename, refusal }) => ({ input: '', filename, inputPath: join(directory, file), ...(refusal !== undefined && { refusal }) }));
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return [{ ...document, refusal: asLecternError(thrown).message }];
  }
}

/** The documents of a task in their order, archives replaced by their files. Those that are still to be fetched stay what they are. */
export async function expandArchives(documents: TaskDocument[], context: TaskContext<ConversionMeta>, ports: DocumentPorts): Promise<PlacedDocument[]> {
  const placed: PlacedDocument[] = [];
  for (const [index, document] of documents.entries()) {
    const one = { ...document, inputPath: join(context.inputsDirectory, document.input) };
    if (document.remote === undefined && await mayBeArchive(one.inputPath, document.filename)) placed.push(...await filesOf(one, join(context.scratchDirectory, `archive-${index}`), context, ports));
    else placed.push(one);
  }
  return placed;
}
