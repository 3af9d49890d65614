/** Opens a PDF from bytes: the only entry of this room. */
import { LecternError } from '../errors.js';
import type { PdfDocument } from './pdf-document.js';
import { OpenedDocument } from './opened-document.js';
import { sharedPdfium } from './pdfium.js';
import type { Pdfium } from './pdfium.js';

export interface OpenOptions {
  password?: string | null;
}

const FORMAT_ERROR = 3;
const PASSWORD_ERROR = 4;
const SECURITY_ERROR = 5;
/** PDFium searches for `%PDF-` in the first 1024 bytes only. */
const HEADER_REACH = 1024;

/**
 * Opens the PDF in `bytes`, which are copied, so that the caller may free them. Rejects with LecternError
 * `invalid_document` (not a PDF, broken, empty, no pages), `password_required` (none given, or a wrong one) or `too_large`.
 */
export async function openPdf(bytes: Uint8Array, options: OpenOptions = {}): Promise<PdfDocument> {
  if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const header = content.indexOf('%PDF-');
  if (header < 0 && !(content.includes('endobj') && content.includes('/Type'))) {
    throw new LecternError('invalid_document', 'The file is not a PDF: it has no PDF header.');
  }
  const pdfium = await sharedPdfium();
  const password = options.password ?? null;
  const parts = header < 0 ? [Buffer.from('%PDF-1.4\n'), content] : [header > HEADER_REACH ? content.subarray(header) : content];
  try {
    return pdfium.guard(() => load(pdfium, parts, password));
  } catch (thrown) {
    const trailer = pdfium.dead || !isDamage(thrown) ? null : madeTrailer(content);
    if (trailer === null) throw thrown;
    return pdfium.guard(() => load(pdfium, [...parts, trailer], password));
  }
}

function isDamage(thrown: unknown): boolean {
  return thrown instanceof LecternError && thrown.code === 'invalid_document';
}

/** A trailer for a file that lost its own, such as an interrupted download: PDFium rebuilds the rest if it knows the catalog. */
function madeTrailer(content: Buffer): Buffer | null {
  const catalog = content.lastIndexOf('/Catalog');
  if (catalog < 0) return null;
  const before = content.toString('latin1', Math.max(0, catalog - 2000), catalog);
  const number = [...before.matchAll(/(\d{1,8})\s+\d{1,5}\s+obj\b/g)].at(-1)?.[1];
  return number === undefined ? null : Buffer.from(`\nendobj\ntrailer\n<</Root ${number} 0 R>>\n%%EOF\n`, 'latin1');
}

function load(pdfium: Pdfium, parts: Uint8Array[], password: string | null): PdfDocument {
  const { call } = pdfium;
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const data = pdfium.allocate(size);
  let at = data;
  for (const part of parts) {
    pdfium.u8.set(part, at);
    at += part.length;
  }
  const secret = password === null ? 0 : pdfium.writeString(password);
  const handle = call.FPDF_LoadMemDocument64(data, size, secret);
  const failure = handle === 0 ? call.FPDF_GetLastError() : 0;
  if (secret !== 0) call.free(secret);
  if (handle === 0) {
    call.free(data);
    throw openFailure(failure, password !== null);
  }
  const document = new OpenedDocument(pdfium, handle, data);
  if (document.pageCount > 0) return document;
  document.close();
  throw new LecternError('invalid_document', 'The PDF has no pages.');
}

function openFailure(failure: number, withPassword: boolean): LecternError {
  switch (failure) {
    case PASSWORD_ERROR:
      return new LecternError('password_required', withPassword ? 'The password does not open this PDF.' : 'The PDF is encrypted and needs a password: pdf_password in a request, --password on the command line.');
    case SECURITY_ERROR:
      return new LecternError('invalid_document', 'The PDF could not be opened: its encryption is of a kind that is not supported.');
    case FORMAT_ERROR:
      return new LecternError('invalid_document', 'The PDF could not be opened: it is damaged or cut short.');
    default:
      return new LecternError('invalid_document', `The PDF could not be opened: the PDF engine refused it (${failure}).`);
  }
}
