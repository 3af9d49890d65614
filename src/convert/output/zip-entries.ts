/** What a zip of results holds and under which names. */
import { posix } from 'node:path';
import type { ConvertOutcome } from '../request.js';

export interface ZipEntry {
  /** In the zip. */
  name: string;
  /** On disk. */
  path: string;
}

export interface ZipDocument {
  filename: string;
  /** Absolute; the outcome's paths are below it. */
  directory: string;
  outcome: Pick<ConvertOutcome, 'files' | 'artifacts'>;
}

const extensions = { md: 'md', json: 'json', html: 'html', text: 'txt', doctags: 'doctags', latex: 'tex' } as const;
/** Of 255 that file systems take; the rest is for ` (2)` and the extension. */
const maxStemBytes = 200;

/** The client's name without path parts: `document.filename`, and what the converter receives. Both kinds of slashes count. */
export function baseName(filename: string): string {
  return filename.split(/[/\\]/).pop() ?? '';
}

/** The name without its last extension, fit for a file system: whole characters, no control ones, no more bytes than one takes. */
function stemOf(filename: string): string {
  const name = Buffer.from(baseName(filename), 'utf8').toString('utf8').replace(/\p{Cc}/gu, '_');
  const end = name.lastIndexOf('.');
  let stem = (end > 0 ? name.slice(0, end) : name).trim();
  while (Buffer.byteLength(stem) > maxStemBytes) stem = [...stem].slice(0, -1).join('');
  return stem === '' || /^\.+$/.test(stem) ? 'document' : stem;
}

/** Two names that some file system takes for one have one key. */
function sameName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/**
 * One entry for each output, flat, named after the document; a name that is taken gets ` (2)`.
 * Images keep their names below `artifacts/`, which hold a hash of their content: two of one name are one image.
 */
export function zipEntries(documents: ZipDocument[]): ZipEntry[] {
  const taken = new Set<string>();
  const entries = new Map<string, ZipEntry>();
  for (const { filename, directory, outcome } of documents) {
    const stem = stemOf(filename);
    let unique = stem;
    for (let number = 2; taken.has(sameName(unique)); number++) unique = `${stem} (${number})`;
    taken.add(sameName(unique));
    for (const [format, extension] of Object.entries(extensions)) {
      const file = outcome.files[format as keyof typeof extensions];
      if (file !== undefined) entries.set(`${unique}.${extension}`, { name: `${unique}.${extension}`, path: below(directory, file) });
    }
    for (const artifact of outcome.artifacts) {
      if (!entries.has(artifact)) entries.set(artifact, { name: artifact, path: below(directory, artifact) });
    }
  }
  return [...entries.values()];
}

/** The outcome comes from a process that read a stranger's file. */
export function below(directory: string, path: string): string {
  const joined = posix.join(directory, path);
  if (!joined.startsWith(`${directory}/`)) throw new Error('a worker named a file outside its directory');
  return joined;
}
