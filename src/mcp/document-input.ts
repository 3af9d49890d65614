/** The document of a tool call: from a path on this machine, from bytes in the call, or from an address that the service fetches. */
import { readFile, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import type { DistantDocument, SentDocument } from '../client/convert-document.js';
import { LecternError } from '../errors.js';
import { homeDirectory } from '../platform/home-directory.js';

/** A line of the protocol is held in memory as a whole, and so is what it carries. */
const mostBytes = 100 * 2 ** 20;

const sentInput = {
  content_base64: z.string().optional().describe('The bytes of the document as base64. Needs filename.'),
  filename: z.string().optional().describe('With content_base64: what the document is called, with its extension, such as report.pdf.'),
  url: z.string().optional().describe('Address of the document on a web server; only hosts that the settings of the service name.'),
};

const pathInput = z.string().optional().describe('Absolute path of the document on the machine where this tool server runs.');

/** Only a tool server on the user's own machine reads its files. */
export function documentInput(readsFiles: boolean): typeof sentInput & { path: typeof pathInput } {
  return readsFiles ? { path: pathInput, ...sentInput } : sentInput as typeof sentInput & { path: typeof pathInput };
}

export interface DocumentInput {
  path?: string | undefined;
  content_base64?: string | undefined;
  filename?: string | undefined;
  url?: string | undefined;
}

/** Throws `invalid_request`, `not_found`, `too_large` and `forbidden`, each with a sentence for the model that called. */
export async function readDocument({ path, content_base64: base64, filename, url }: DocumentInput, readsFiles: boolean): Promise<SentDocument | DistantDocument> {
  const ways = readsFiles ? 'either path, content_base64 or url' : 'either content_base64 or url';
  if ([path, base64, url].filter((one) => one !== undefined).length !== 1) throw new LecternError('invalid_request', `Give ${ways}.`);
  if (path !== undefined) return readPath(path);
  if (url !== undefined) return { url };
  if (filename === undefined || filename === '') throw new LecternError('invalid_request', 'content_base64 needs filename, with the extension of the document.');
  // The end is trimmed before: a pattern that may match spaces in two ways costs the square of their number.
  const text = (base64 as string).trimEnd();
  if (!/^[A-Za-z0-9+/_\s-]*={0,2}$/.test(text)) throw new LecternError('invalid_request', 'content_base64 is not base64.');
  return { name: filename, bytes: Uint8Array.from(Buffer.from(text, 'base64')) };
}

/** What a document is called in sentences. */
export function nameOf(document: SentDocument | DistantDocument): string {
  return 'url' in document ? document.url : document.name;
}

/** A model that calls tools does not know where this process stands: only whole paths mean the same to both. */
async function readPath(path: string): Promise<SentDocument> {
  if (path === '~' || path.startsWith('~/')) {
    throw new LecternError('invalid_request', `"${path}" must be written out: ~ is ${homeDirectory()} here, so give ${resolve(homeDirectory(), path.slice(2))}.`);
  }
  if (!isAbsolute(path)) {
    throw new LecternError('invalid_request', `"${path}" is a relative path; give an absolute one (this tool server runs in ${process.cwd()}).`);
  }
  const found = await stat(path).catch((cause: unknown) => {
    throw new LecternError('not_found', `There is no file ${path} on the machine of this tool server.`, { cause });
  });
  if (!found.isFile()) throw new LecternError('invalid_request', `${path} is ${found.isDirectory() ? 'a directory' : 'no regular file'}, not a document.`);
  if (found.size > mostBytes) throw new LecternError('too_large', `${path} has ${found.size} bytes, more than the ${mostBytes} that one call can carry.`);
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new LecternError('forbidden', `${path} cannot be read: ${(cause as Error).message}.`, { cause });
  });
  return { name: basename(path), bytes: Uint8Array.from(bytes) };
}
