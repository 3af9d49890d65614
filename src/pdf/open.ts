/** Opens a PDF from bytes and keeps it open: the one way into this room. */
import { LecternError } from '../errors.js';
import type { PdfDocument, PdfMetadata } from './document.js';
import { FontTable } from './fonts.js';
import { pageFrame } from './geometry.js';
import type { PageFrame } from './geometry.js';
import type { Bitmap, Box, OutlineEntry, PageContent } from './page.js';
import { sharedPdfium } from './pdfium.js';
import type { Pdfium } from './pdfium.js';
import { readPage } from './read-page.js';
import { renderRegion } from './render.js';

export interface OpenOptions {
  password?: string | null;
}

const FORMAT_ERROR = 3;
const PASSWORD_ERROR = 4;

/**
 * Opens the PDF that `bytes` hold; they are copied, so the caller may let them go. Rejects with LecternError
 * `invalid_document` (not a PDF, broken, empty) or `password_required` (none given, or a wrong one).
 */
export async function openPdf(bytes: Uint8Array, options: OpenOptions = {}): Promise<PdfDocument> {
  if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
  const pdfium = await sharedPdfium();
  return pdfium.guard(() => load(pdfium, bytes, options.password ?? null));
}

function load(pdfium: Pdfium, bytes: Uint8Array, password: string | null): PdfDocument {
  const { call } = pdfium;
  const data = pdfium.allocate(bytes.length);
  pdfium.u8.set(bytes, data);
  const secret = password === null ? 0 : writeString(pdfium, password);
  const handle = call.FPDF_LoadMemDocument64(data, bytes.length, secret);
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
  if (failure === PASSWORD_ERROR) {
    return new LecternError('password_required', withPassword ? 'The password does not open this PDF.' : 'The PDF is encrypted and needs a password.');
  }
  const reason = failure === FORMAT_ERROR ? 'it is not a PDF, or it is damaged beyond repair' : `the PDF engine refused it (${failure})`;
  return new LecternError('invalid_document', `The PDF could not be opened: ${reason}.`);
}

function writeString(pdfium: Pdfium, text: string): number {
  const encoded = Buffer.from(`${text}\0`, 'utf8');
  const pointer = pdfium.allocate(encoded.length);
  pdfium.u8.set(encoded, pointer);
  return pointer;
}

class OpenedDocument implements PdfDocument {
  readonly pageCount: number;
  readonly metadata: PdfMetadata;
  #pdfium: Pdfium;
  #handle: number;
  #data: number;
  #formInfo = 0;
  #form = 0;
  #fonts: FontTable;

  constructor(pdfium: Pdfium, handle: number, data: number) {
    this.#pdfium = pdfium;
    this.#handle = handle;
    this.#data = data;
    this.#fonts = new FontTable(pdfium);
    this.pageCount = pdfium.call.FPDF_GetPageCount(handle);
    this.metadata = { title: '', author: '', language: '', producer: '', tagged: pdfium.call.FPDFCatalog_IsTagged(handle) !== 0 };
  }

  outline(): OutlineEntry[] {
    return [];
  }

  readPage(pageIndex: number): PageContent {
    return this.#withPage(pageIndex, (page, frame) => readPage(this.#pdfium, page, pageIndex, frame, this.#fonts));
  }

  renderPage(pageIndex: number, dpi: number): Bitmap {
    return this.#withPage(pageIndex, (page, frame) =>
      renderRegion(this.#pdfium, page, this.#openForm(), frame, { left: 0, top: 0, right: frame.width, bottom: frame.height }, dpi),
    );
  }

  renderRegion(pageIndex: number, box: Box, dpi: number): Bitmap {
    return this.#withPage(pageIndex, (page, frame) => renderRegion(this.#pdfium, page, this.#openForm(), frame, box, dpi));
  }

  close(): void {
    const { call, dead } = this.#pdfium;
    const handle = this.#handle;
    this.#handle = 0;
    if (handle === 0 || dead) return;
    this.#pdfium.guard(() => {
      if (this.#form !== 0) call.PDFiumExt_ExitFormFillEnvironment(this.#form);
      if (this.#formInfo !== 0) call.PDFiumExt_CloseFormFillInfo(this.#formInfo);
      call.FPDF_CloseDocument(handle);
      call.free(this.#data);
    });
  }

  #openForm(): number {
    if (this.#formInfo !== 0) return this.#form;
    this.#formInfo = this.#pdfium.call.PDFiumExt_OpenFormFillInfo();
    this.#form = this.#pdfium.call.PDFiumExt_InitFormFillEnvironment(this.#handle, this.#formInfo);
    return this.#form;
  }

  #withPage<T>(pageIndex: number, work: (page: number, frame: PageFrame) => T): T {
    if (this.#handle === 0) throw new LecternError('invalid_state', 'The PDF is closed.');
    if (!Number.isInteger(pageIndex) || pageIndex < 0 || pageIndex >= this.pageCount) {
      throw new LecternError('invalid_request', `The PDF has no page ${pageIndex + 1}; it has ${this.pageCount}.`);
    }
    const { call } = this.#pdfium;
    return this.#pdfium.guard(() => {
      const page = call.FPDF_LoadPage(this.#handle, pageIndex);
      if (page === 0) throw new LecternError('invalid_document', `Page ${pageIndex + 1} of the PDF could not be read.`);
      const form = this.#form;
      try {
        if (form !== 0) call.FORM_OnAfterLoadPage(page, form);
        return work(page, frameOf(this.#pdfium, page));
      } finally {
        if (!this.#pdfium.dead) {
          if (form !== 0) call.FORM_OnBeforeClosePage(page, form);
          call.FPDF_ClosePage(page);
        }
      }
    });
  }
}

function frameOf(pdfium: Pdfium, page: number): PageFrame {
  const { call, scratch } = pdfium;
  call.FPDF_GetPageBoundingBox(page, scratch);
  const [left = 0, top = 792, right = 612, bottom = 0] = pdfium.f32.subarray(scratch >> 2, (scratch >> 2) + 4);
  return pageFrame(left, bottom, right, top, call.FPDFPage_GetRotation(page));
}
