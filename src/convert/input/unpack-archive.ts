/** An archive of documents (zip, tar, gzip of either or of one file) unpacked into files, each of which is then a document of its own. Runs in a worker; nothing is written but regular files under numbers. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { LecternError } from '../../errors.js';
import { Archive, defaultArchiveLimits, looksLikeArchive, sniffFormat } from '../../formats/index.js';

export interface UnpackRequest {
  path: string;
  filename: string;
  /** Exists and is empty. */
  outputDirectory: string;
}

export interface UnpackedDocument {
  /** Below the output directory. */
  file: string;
  /** Base name in the archive. */
  filename: string;
}

/** Documents of one archive. */
export const mostArchivedDocuments = 100;

interface Member {
  name: string;
  bytes: () => Uint8Array;
}

/** A header of tar (POSIX.1-1988 ustar): its size, and the offsets and lengths of its fields, in bytes. */
const tarHeader = { bytes: 512, name: [0, 100], size: [124, 12], type: 156, magic: [257, 5], prefix: [345, 155] } as const;
const octal = 8;
/** Types of regular files. */
const regularTypes = new Set(['0', '\0', '7']);
const gzipStart = [0x1f, 0x8b] as const;

function damaged(cause?: unknown): LecternError {
  return new LecternError('invalid_document', 'The file is damaged or cut short: its archive cannot be read.', { cause });
}

function field(bytes: Uint8Array, at: number, [from, length]: readonly [number, number]): string {
  return Buffer.from(bytes.subarray(at + from, at + from + length)).toString('utf8').replace(/\0[^]*$/, '');
}

function looksLikeTar(bytes: Uint8Array): boolean {
  return bytes.length >= tarHeader.bytes && field(bytes, 0, tarHeader.magic) === 'ustar';
}

/** Long names of GNU and of POSIX.1-2001 stand in an entry before the file. */
function longName(type: string, content: Uint8Array): string | null {
  const text = Buffer.from(content).toString('utf8');
  if (type === 'L') return text.replace(/\0[^]*$/, '');
  return type === 'x' ? /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1] ?? null : null;
}

function* tarMembers(bytes: Uint8Array): Generator<Member> {
  let named: string | null = null;
  for (let at = 0; at + tarHeader.bytes <= bytes.length;) {
    const size = Number.parseInt(field(bytes, at, tarHeader.size).trim() || '0', octal);
    const content = at + tarHeader.bytes;
    if (bytes[at] === 0) return;
    if (!(size >= 0) || content + size > bytes.length) throw damaged();
    const type = String.fromCharCode(bytes[at + tarHeader.type] ?? 0);
    const whole = bytes.subarray(content, content + size);
    const prefix = field(bytes, at, tarHeader.prefix);
    if (regularTypes.has(type)) {
      yield { name: named ?? `${prefix === '' ? '' : `${prefix}/`}${field(bytes, at, tarHeader.name)}`, bytes: () => whole };
      named = null;
    } else named = longName(type, whole) ?? named;
    at = content + Math.ceil(size / tarHeader.bytes) * tarHeader.bytes;
  }
  // A block of zeros ends it.
  throw damaged();
}

function gunzip(bytes: Uint8Array): Uint8Array {
  const { entryBytes, ratio, ratioFloorBytes } = defaultArchiveLimits;
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(entryBytes, Math.max(ratioFloorBytes, bytes.length * ratio)) });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new LecternError('too_large', 'The file unpacks to more than a document may hold.');
    throw damaged(cause);
  }
}

/** The files of an archive; null where the bytes are none, or an office file, which is an archive as well. */
function membersOf(bytes: Uint8Array, filename: string): Iterable<Member> | null {
  if (gzipStart.every((byte, at) => bytes[at] === byte)) {
    const inner = gunzip(bytes);
    return looksLikeTar(inner) ? tarMembers(inner) : [{ name: basename(filename).replace(/\.gz$/i, ''), bytes: () => inner }];
  }
  if (looksLikeTar(bytes)) return tarMembers(bytes);
  if (!looksLikeArchive(bytes) || sniffFormat(bytes) !== null) return null;
  const archive = new Archive(bytes);
  return archive.files().map(({ name, read }) => ({ name, bytes: read }));
}

/** What systems put beside the files: hidden ones, and Apple's copies of their attributes. */
const isOfSystem = (name: string): boolean => name.split('/').some((part) => (part.startsWith('.') && part !== '.') || part === '__MACOSX' || part === 'Thumbs.db');

/**
 * Writes the files of the archive; null where it is none, or holds none. An archive within it is one of its files and is not opened.
 * Rejects with LecternError `too_large` past the limits of archives or of `mostArchivedDocuments`, `invalid_document`, `password_required`.
 */
export async function unpackArchive({ path, filename, outputDirectory }: UnpackRequest, signal: AbortSignal): Promise<UnpackedDocument[] | null> {
  const members = membersOf(await readFile(path), filename);
  const documents: UnpackedDocument[] = [];
  let total = 0;
  for (const { name, bytes } of members ?? []) {
    signal.throwIfAborted();
    if (isOfSystem(name)) continue;
    if (documents.length >= mostArchivedDocuments) throw new LecternError('too_large', `The archive holds more than ${mostArchivedDocuments} documents.`);
    const content = bytes();
    total += content.length;
    if (total > defaultArchiveLimits.totalBytes) throw new LecternError('too_large', 'The file unpacks to more than a document may hold.');
    const file = String(documents.length);
    await writeFile(join(outputDirectory, file), content, { flag: 'wx' });
    documents.push({ file, filename: basename(name) });
  }
  return documents.length === 0 ? null : documents;
}
