/** A PDF held open in the engine's memory. Each operation opens its page and closes it again. */
import { intersection } from '../geometry/box.js';
import { LecternError } from '../errors.js';
import type { PdfDocument, PdfMetadata } from './pdf-document.js';
import { FontTable } from './fonts.js';
import { pageFrame } from './matrix.js';
import type { PageFrame } from './matrix.js';
import { readOutline } from './outline.js';
import type { Bitmap, Box, OutlineEntry, PageContent, QuarterTurn, WordTrace } from './pdf-page.js';
import { readPaint } from './page-paint.js';
import type { PagePaint } from './page-paint.js';
import type { Pdfium } from './pdfium.js';
import { readPage } from './read-page.js';
import { renderRegion } from './render-page.js';

const MEDIA_BOX = 0;
const CROP_BOX = 1;
/** US Letter: the size of a page without any box. */
const DEFAULT_BOX: Box = { left: 0, top: 0, right: 612, bottom: 792 };

export class OpenedDocument implements PdfDocument {
  readonly pageCount: number;
  readonly metadata: PdfMetadata;
  #pdfium: Pdfium;
  #handle: number;
  #data: number;
  #formInfo = 0;
  #form = 0;
  #hasFields: boolean;
  #fonts: FontTable;

  /** Takes ownership of `handle` and of the memory `data` that it reads. */
  constructor(pdfium: Pdfium, handle: number, data: number) {
    this.#pdfium = pdfium;
    this.#handle = handle;
    this.#data = data;
    this.#fonts = new FontTable(pdfium);
    this.#hasFields = pdfium.call.FPDF_GetFormType(handle) !== 0;
    this.pageCount = pdfium.call.FPDF_GetPageCount(handle);
    this.metadata = readMetadata(pdfium, handle);
  }

  outline(): OutlineEntry[] {
    return this.#guard(() =>
      readOutline(this.#pdfium, this.#handle, (pageIndex, x, y) => {
        const frame = frameByIndex(this.#pdfium, this.#handle, pageIndex);
        return Math.min(frame.height, Math.max(0, frame.toSeen.b * x + frame.toSeen.d * y + frame.toSeen.f));
      }),
    );
  }

  readPage(pageIndex: number, turn: QuarterTurn = 0, trace?: WordTrace): PageContent {
    if (this.#hasFields) this.#openForm();
    return this.#withPage(pageIndex, (page, frame) => readPage(this.#pdfium, this.#handle, this.#form, page, pageIndex, frame, this.#fonts, trace), turn);
  }

  readPaint(pageIndex: number, withPaths: boolean, turn: QuarterTurn = 0): PagePaint {
    return this.#withPage(pageIndex, (page, frame) => readPaint(this.#pdfium, page, frame, withPaths), turn);
  }

  renderPage(pageIndex: number, dpi: number): Bitmap {
    this.#openForm();
    return this.#withPage(pageIndex, (page, frame) =>
      renderRegion(this.#pdfium, page, this.#form, frame, { left: 0, top: 0, right: frame.width, bottom: frame.height }, dpi),
    );
  }

  renderRegion(pageIndex: number, box: Box, dpi: number, turn: QuarterTurn = 0): Bitmap {
    this.#openForm();
    return this.#withPage(pageIndex, (page, frame) => renderRegion(this.#pdfium, page, this.#form, frame, box, dpi), turn);
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

  /** Form fields are drawn only on pages that were opened with the form environment. */
  #openForm(): void {
    if (this.#formInfo !== 0) return;
    this.#guard(() => {
      this.#formInfo = this.#pdfium.call.PDFiumExt_OpenFormFillInfo();
      this.#form = this.#pdfium.call.PDFiumExt_InitFormFillEnvironment(this.#handle, this.#formInfo);
    });
  }

  #guard<T>(work: () => T): T {
    if (this.#handle === 0) throw new LecternError('invalid_state', 'The PDF is closed.');
    return this.#pdfium.guard(work);
  }

  #withPage<T>(pageIndex: number, work: (page: number, frame: PageFrame) => T, turn: QuarterTurn = 0): T {
    if (!Number.isInteger(pageIndex) || pageIndex < 0 || pageIndex >= this.pageCount) {
      throw new LecternError('invalid_request', `There is no page ${pageIndex + 1}: the PDF has ${this.pageCount}.`);
    }
    const { call } = this.#pdfium;
    return this.#guard(() => {
      const page = call.FPDF_LoadPage(this.#handle, pageIndex);
      if (page === 0) throw new LecternError('invalid_document', `Page ${pageIndex + 1} of the PDF could not be read.`);
      const form = this.#form;
      try {
        if (form !== 0) call.FORM_OnAfterLoadPage(page, form);
        const result = work(page, frameOf(this.#pdfium, page, turn));
        if (form !== 0) call.FORM_OnBeforeClosePage(page, form);
        call.FPDF_ClosePage(page);
        return result;
      } catch (thrown) {
        this.#closeAfterFailure(page, thrown);
        throw thrown;
      }
    });
  }

  /** After an expected failure the engine is intact and the page must be closed; after a trap no further call is allowed. */
  #closeAfterFailure(page: number, thrown: unknown): void {
    if (!(thrown instanceof LecternError)) return;
    if (this.#form !== 0) this.#pdfium.call.FORM_OnBeforeClosePage(page, this.#form);
    this.#pdfium.call.FPDF_ClosePage(page);
  }
}

function readMetadata(pdfium: Pdfium, handle: number): PdfMetadata {
  const { call, names } = pdfium;
  const text = (key: number) => pdfium.readString((buffer, size) => call.FPDF_GetMetaText(handle, key, buffer, size), 'utf16le').trim();
  return {
    title: text(names.Title),
    author: text(names.Author),
    producer: text(names.Producer),
    language: pdfium.readString((buffer, size) => call.FPDFCatalog_GetLanguage(handle, buffer, size), 'utf16le').trim(),
    tagged: call.FPDFCatalog_IsTagged(handle) !== 0,
  };
}

function frameOf(pdfium: Pdfium, page: number, turn: QuarterTurn): PageFrame {
  const { call, scratch } = pdfium;
  call.FPDF_GetPageBoundingBox(page, scratch);
  const { left, top, right, bottom } = readRectangle(pdfium);
  return pageFrame(left, top, right, bottom, call.FPDFPage_GetRotation(page), turn / 90);
}

/** The frame of a page that is not open. */
function frameByIndex(pdfium: Pdfium, handle: number, pageIndex: number): PageFrame {
  const { call, scratch } = pdfium;
  const read = (kind: number) => (call.EPDF_GetPageBoxByIndex(handle, pageIndex, kind, scratch) === 0 ? null : readRectangle(pdfium));
  const media = read(MEDIA_BOX) ?? DEFAULT_BOX;
  const crop = read(CROP_BOX);
  const both = crop === null ? media : intersection(media, crop);
  const box = both.right > both.left && both.bottom > both.top ? both : media;
  return pageFrame(box.left, box.top, box.right, box.bottom, call.EPDF_GetPageRotationByIndex(handle, pageIndex));
}

/** An FS_RECTF in scratch, with `top` as its lower y. */
function readRectangle(pdfium: Pdfium): Box {
  const f32 = pdfium.f32;
  const at = pdfium.scratch >> 2;
  return { left: f32[at] ?? 0, top: f32[at + 3] ?? 0, right: f32[at + 2] ?? 0, bottom: f32[at + 1] ?? 0 };
}
