/** What `lectern convert` converts: files, directories, patterns, addresses and standard input become one list of documents. */
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { glob, isDynamicPattern } from 'tinyglobby';
import { detectFormat, readableExtensions } from '../convert/input/input-format.js';
import { LecternError } from '../errors.js';
import { homeDirectory } from '../platform/home-directory.js';
import { saveStandardInput, standardInput, usualName } from './standard-input.js';

export interface Source {
  /** As the user named it, for messages. */
  given: string;
  kind: 'file' | 'address' | 'input';
  /** The file that is converted; of an address or standard input it does not exist yet. */
  path: string;
  /** Below the directory of the results: where the document lay below a directory that was named. */
  folder: string;
  /** Why it cannot be converted, where that is known: a directory that cannot be read or holds no documents, a pattern that fits none. */
  failure?: LecternError;
}

const addressForm = /^https?:\/\//i;
/** A longer name of a result would be too long for many file systems once it has an ending. */
const longestName = 200;
/** The beginning of a file that tells PDFs and pictures. */
const headBytes = 1024;

/**
 * In the order of the words; below a directory by path. Files of a directory that are of no known format by their extension, or without one by
 * their first bytes, are left out, and counted. `incoming` is a directory for what does not lie on the disk. Throws `invalid_request` for a word
 * that can be no document.
 */
export async function expandSources(words: string[], incoming: string, inputName: string | null): Promise<{ sources: Source[]; leftOut: number }> {
  const sources: Source[] = [];
  let leftOut = 0;
  for (const [index, given] of words.entries()) {
    if (given === '') throw new LecternError('invalid_request', 'A source is empty: quote a variable only where it is set.');
    if (/^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(given)) throw new LecternError('invalid_request', `${given} cannot be fetched: only http and https addresses can.`);
    if (given === standardInput) {
      sources.push({ given, kind: 'input', path: join(incoming, inputName ?? usualName), folder: '' });
    } else if (addressForm.test(given)) {
      sources.push({ given, kind: 'address', path: join(incoming, String(index), nameOfAddress(given)), folder: '' });
    } else {
      const found = await expandPath(given);
      sources.push(...found.sources);
      leftOut += found.leftOut;
    }
  }
  return { sources, leftOut };
}

async function expandPath(given: string): Promise<{ sources: Source[]; leftOut: number }> {
  const path = expandHome(given);
  const state = await stat(path).catch(() => null);
  if (state?.isDirectory()) return expandDirectory(given, path);
  const failed = (sentence: string): { sources: Source[]; leftOut: number } => ({ sources: [{ given, kind: 'file', path, folder: '', failure: new LecternError('not_found', sentence) }], leftOut: 0 });
  if (state === null && isDynamicPattern(given)) {
    const files = (await glob(path, { absolute: true, onlyFiles: true, expandDirectories: false, followSymbolicLinks: false })).sort();
    if (files.length === 0) return failed(`No file fits the pattern ${given}.`);
    return { sources: files.map((file) => ({ given: file, kind: 'file', path: file, folder: '' })), leftOut: 0 };
  }
  return { sources: [{ given, kind: 'file', path, folder: '' }], leftOut: 0 };
}

async function expandDirectory(given: string, path: string): Promise<{ sources: Source[]; leftOut: number }> {
  const { files, unreadable } = await walk(path);
  const extensions = readableExtensions();
  const sources: Source[] = [];
  for (const file of files) {
    const extension = extname(file).slice(1).toLowerCase();
    const isDocument = extension === '' ? await beginsAsDocument(join(path, file)) : extensions.has(extension);
    if (isDocument) sources.push({ given: join(given, file), kind: 'file', path: join(path, file), folder: dirname(file) });
  }
  const leftOut = files.length - sources.length;
  for (const { directory, cause } of unreadable) {
    const failure = new LecternError('forbidden', `The directory ${join(given, directory)} cannot be read: ${cause.message}.`, { cause });
    sources.push({ given: join(given, directory), kind: 'file', path: join(path, directory), folder: dirname(directory), failure });
  }
  if (sources.length > 0) return { sources, leftOut };
  const failure = new LecternError('not_found', `The directory ${given} holds no documents${files.length === 0 ? '' : `, only ${files.length} files of other kinds`}.`);
  return { sources: [{ given, kind: 'file', path, folder: '', failure }], leftOut };
}

/** Files below `root` by path, but for hidden ones. Links to directories are not followed, as they may lead in circles. */
async function walk(root: string): Promise<{ files: string[]; unreadable: { directory: string; cause: Error }[] }> {
  const found: { files: string[]; unreadable: { directory: string; cause: Error }[] } = { files: [], unreadable: [] };
  const visit = async (directory: string): Promise<void> => {
    const entries = await readdir(join(root, directory), { withFileTypes: true }).catch((cause: Error) => {
      found.unreadable.push({ directory, cause });
      return [];
    });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = join(directory, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) await visit(below);
      else if (entry.isFile() || entry.isSymbolicLink() && await isFile(join(root, below))) found.files.push(below);
    }
  };
  await visit('.');
  return found;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then((state) => state.isFile(), () => false);
}

/** Of a file without an extension: whether it is a PDF or a picture. */
async function beginsAsDocument(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return ['pdf', 'image'].includes(detectFormat(buffer.subarray(0, bytesRead), '').name);
  } finally {
    await file.close();
  }
}

/** Throws `invalid_request` for an address that cannot be read. */
function nameOfAddress(address: string): string {
  try {
    const { pathname, hostname } = new URL(address);
    const name = decodeURIComponent(basename(pathname)).replace(/[/\\\0]/g, '-').slice(0, longestName);
    return name === '' || name === '.' || name === '..' ? `${hostname}.html` : name;
  } catch (cause) {
    throw new LecternError('invalid_request', `${address} is no address of a document.`, { cause });
  }
}

/** Keeps standard input in its file, where it is among the sources. Throws what saveStandardInput() throws. */
export async function saveInput(sources: Source[], signal: AbortSignal): Promise<void> {
  for (const { kind, path } of sources) if (kind === 'input') await saveStandardInput(path, signal);
}

/** Throws `not_found` where it cannot be had, `too_large` beyond `maxBytes`, and what `signal` was aborted with. */
export async function fetchSource({ given, path }: Source, maxBytes: number, signal: AbortSignal): Promise<void> {
  const refuse = (why: string, cause?: unknown): LecternError => new LecternError('not_found', `${given} cannot be fetched: ${why}.`, { cause });
  let response: Response;
  try {
    response = await fetch(given, { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw refuse(reasonOf(cause, given), cause);
  }
  if (!response.ok || response.body === null) throw refuse(`its host answered ${response.status}`);
  await mkdir(dirname(path), { recursive: true });
  let size = 0;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw new LecternError('too_large', `${given} is larger than ${maxBytes} bytes (--max-file-size).`);
      yield chunk;
    }
  };
  try {
    await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), counted, createWriteStream(path), { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof LecternError ? cause : refuse('the connection broke', cause);
  }
}

/** TLS libraries report a server that speaks plain HTTP by a code of their own. */
function reasonOf(thrown: unknown, address: string): string {
  const cause = (thrown as Error).cause as { code?: string; message?: string } | undefined;
  if (address.startsWith('https:') && (cause?.code === 'ERR_SSL_WRONG_VERSION_NUMBER' || cause?.code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')) return 'the server there speaks http, not https';
  return cause?.message ?? (thrown as Error).message;
}

/** Absolute; shells leave a ~ alone behind a quote or an equals sign. */
export function expandHome(path: string): string {
  return resolve(path.replace(/^~(?=\/|$)/, homeDirectory()));
}

/** A name for messages: control characters, which a terminal would obey, as escapes. */
export function printable(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f-\u009f]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
