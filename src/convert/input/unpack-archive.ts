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
  /** Below the output directory; empty where there is a refusal. */
  file: string;
  /** Base name in the archive. */
  filename: string;
  /** Why it is no file of the directory: a public sentence. */
  refusal?: string;
}

/** Documents of one archive. */
export const mostArchivedDocuments = 100;

interface Member {
  name: string;
  /** Null of a link that leads to no file of the archive. */
  bytes: (() => Uint8Array) | null;
}

/** A header of tar (POSIX.1-1988 ustar): its size, and the offsets and lengths of its fields, in bytes. */
const tarHeader = { bytes: 512, name: [0, 100], size: [124, 12], type: 156, target: [157, 100], magic: [257, 5], prefix: [345, 155] } as const;
const octal = 8;
/** Types of regular files. */
const regularTypes = new Set(['0', '\0', '7']);
const linkTypes = { hard: '1', symbolic: '2' } as const;
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

/** Long names of GNU (types L and K) and of POSIX.1-2001 (type x) stand in an entry before the file: its own name, and that of the file that it is a link to. */
function longNames(type: string, content: Uint8Array): { name?: string; target?: string } | null {
  const text = Buffer.from(content).toString('utf8');
  if (type === 'L') return { name: text.replace(/\0[^]*$/, '') };
  if (type === 'K') return { target: text.replace(/\0[^]*$/, '') };
  // Fields of all further entries: none of them is a name.
  if (type === 'g') return {};
  if (type !== 'x') return null;
  const [name, target] = ['path', 'linkpath'].map((key) => new RegExp(`(?:^|\\n)\\d+ ${key}=([^\\n]*)\\n`).exec(text)?.[1]);
  return { ...(name !== undefined && { name }), ...(target !== undefined && { target }) };
}

interface TarEntry {
  name: string;
  /** Where the content lies; of a link the name of the file with it, as seen from the archive's root. */
  content: Uint8Array | string;
}

/** Where a link of an absolute path leads: no path of an archive. */
const elsewhere = '/';
/** Links to elsewhere that are reported. */
const mostRefusals = 20;
/** Steps along links: a link may lead to another, and the last one back to the first. */
const mostLinks = 16;

/** The path in the archive, from the directory of the link for a symbolic one; above the root there is nothing. */
function resolved(target: string, from = ''): string {
  const path = target.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const step of target.split('/')) {
    if (step === '..') path.pop();
    else if (step !== '' && step !== '.') path.push(step);
  }
  return path.join('/');
}

/** Whether the path is one of the archive's directories; `paths` are those of its files. */
function isDirectory(path: string, paths: Iterable<string>): boolean {
  if (path === '') return true;
  for (const one of paths) if (one.startsWith(`${path}/`)) return true;
  return false;
}

/** Links to files of the archive are files with the same content. Those to its directories are left out, because the files below stand there; those to elsewhere have no bytes. */
function tarMembers(bytes: Uint8Array): Member[] {
  const entries = [...tarEntries(bytes)];
  const contents = new Map(entries.map(({ name, content }) => [resolved(name), content]));
  let outside = 0;
  return entries.flatMap(({ name, content }): Member[] => {
    let found: Uint8Array | string | undefined = content;
    let last = '';
    for (let step = 0; step < mostLinks && typeof found === 'string'; step++) [last, found] = [found, contents.get(found)];
    if (found !== undefined && typeof found !== 'string') return [{ name, bytes: () => found }];
    // Each search costs the whole archive: beyond the bound a link to a directory counts as one to elsewhere.
    return outside++ <= mostArchivedDocuments && isDirectory(last, contents.keys()) ? [] : [{ name, bytes: null }];
  });
}

function* tarEntries(bytes: Uint8Array): Generator<TarEntry> {
  let long: { name?: string; target?: string } = {};
  for (let at = 0; at + tarHeader.bytes <= bytes.length;) {
    const size = Number.parseInt(field(bytes, at, tarHeader.size).trim() || '0', octal);
    const type = String.fromCharCode(bytes[at + tarHeader.type] ?? 0);
    const content = at + tarHeader.bytes;
    if (bytes[at] === 0) return;
    // Some writers state the size of the file that a link leads to; no content follows.
    const held = type === linkTypes.hard || type === linkTypes.symbolic ? 0 : size;
    if (!(held >= 0) || content + held > bytes.length) throw damaged();
    const whole = bytes.subarray(content, content + held);
    const prefix = field(bytes, at, tarHeader.prefix);
    const name = long.name ?? `${prefix === '' ? '' : `${prefix}/`}${field(bytes, at, tarHeader.name)}`;
    const target = long.target ?? field(bytes, at, tarHeader.target);
    if (regularTypes.has(type)) yield { name, content: whole };
    else if (type === linkTypes.hard) yield { name, content: resolved(target) };
    else if (type === linkTypes.symbolic) yield { name, content: target.startsWith('/') ? elsewhere : resolved(target, resolved(name)) };
    // Names are of the next entry, whatever it is; several of them may stand before it.
    const names = longNames(type, whole);
    long = names === null ? {} : { ...long, ...names };
    at = content + Math.ceil(held / tarHeader.bytes) * tarHeader.bytes;
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
  let refused = 0;
  for (const { name, bytes } of members ?? []) {
    signal.throwIfAborted();
    if (isOfSystem(name)) continue;
    if (bytes === null) {
      // They must not take the places of documents: the reason of one is that of all.
      if (refused++ >= mostRefusals) continue;
      documents.push({ file: '', filename: basename(name), refusal: 'The file is a link of the archive that leads to none of its files.' });
      continue;
    }
    if (documents.length - Math.min(refused, mostRefusals) >= mostArchivedDocuments) throw new LecternError('too_large', `The archive holds more than ${mostArchivedDocuments} documents.`);
    const content = bytes();
    total += content.length;
    if (total > defaultArchiveLimits.totalBytes) throw new LecternError('too_large', 'The file unpacks to more than a document may hold.');
    const file = String(documents.length);
    await writeFile(join(outputDirectory, file), content, { flag: 'wx' });
    documents.push({ file, filename: basename(name) });
  }
  return documents.length === 0 ? null : documents;
}
