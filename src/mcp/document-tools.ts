/** The tool that converts a document: from a path on this machine, or from bytes in the call. */
import { readFile, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { convertByService, type SentDocument, type ServedConversion } from '../client/convert-document.js';
import type { Service } from '../client/service.js';
import { LecternError } from '../errors.js';
import { homeDirectory } from '../platform/home-directory.js';
import type { McpToolCall, ToolText } from './tool.js';

/** A line of the protocol is held in memory as a whole, and so is what it carries. */
const mostBytes = 100 * 2 ** 20;

export const convertInput = {
  path: z.string().optional().describe('Absolute path of the document on the machine where this tool server runs.'),
  content_base64: z.string().optional().describe('Instead of path: the bytes of the document as base64. Needs filename.'),
  filename: z.string().optional().describe('With content_base64: what the document is called, with its extension, such as report.pdf.'),
  format: z.enum(['md', 'json', 'html', 'text', 'doctags', 'latex']).default('md').describe('What to make of it. Default: md, markdown.'),
  pages: z.string().regex(/^[1-9]\d*(-([1-9]\d*)?)?$/, 'must be like 3, 3-7 or 3-').optional().describe('Only these pages: 3, 3-7 or 3-.'),
  password: z.string().optional().describe('Of an encrypted PDF.'),
};

type ConvertInput = z.infer<z.ZodObject<typeof convertInput>>;

/** The document first; what was lost of it, where something was, second. Throws for a document that failed as a whole. */
export async function convertDocument(service: Service, input: ConvertInput, { signal, progress }: McpToolCall): Promise<ToolText> {
  const document = await readDocument(input);
  const conversion = await convertByService(service, document, {
    signal,
    fields: {
      to_formats: input.format,
      image_export_mode: 'placeholder',
      ...(input.pages === undefined ? {} : { page_range: pageRange(input.pages) }),
      ...(input.password === undefined ? {} : { pdf_password: input.password }),
    },
    // However small: sixty kilobytes can be four hundred pages.
    ...(progress !== undefined ? { onProgress: ({ stage, position, pagesDone, pagesTotal }) => progress(pagesDone, pagesTotal || undefined, position === null ? stage : `${stage}, place ${position}`) } : {}),
  });
  return textOf(document.name, conversion, input.format);
}

function textOf(name: string, { status, document, errors }: ServedConversion, format: ConvertInput['format']): ToolText {
  const reasons = errors.map(({ error_message: message, page_no: page }) => (page === null ? message : `page ${page}: ${message}`)).join('; ');
  if (status !== 'success' && status !== 'partial_success') throw new LecternError('invalid_document', `${name} could not be converted: ${reasons || status}`);
  const content = document[`${format}_content`];
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  if (errors.length === 0) return [text];
  return [text, status === 'success' ? `${name} is whole; of how it was read: ${reasons}` : `Parts of ${name} are missing: ${reasons}`];
}

async function readDocument({ path, content_base64: base64, filename }: ConvertInput): Promise<SentDocument> {
  if ((path === undefined) === (base64 === undefined)) throw new LecternError('invalid_request', 'Give either path or content_base64.');
  if (path !== undefined) return readPath(path);
  if (filename === undefined || filename === '') throw new LecternError('invalid_request', 'content_base64 needs filename, with the extension of the document.');
  if (!/^[A-Za-z0-9+/_\s-]*={0,2}\s*$/.test(base64 as string)) throw new LecternError('invalid_request', 'content_base64 is not base64.');
  return { name: filename, bytes: Uint8Array.from(Buffer.from(base64 as string, 'base64')) };
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

function pageRange(text: string): [string, string] {
  const [first = '', last] = text.split('-');
  return [first, last === undefined ? first : last === '' ? String(Number.MAX_SAFE_INTEGER) : last];
}
