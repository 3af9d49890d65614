/** The PDFium instance of this process: raw calls, views over its memory, scratch space, strings, and the handling of traps. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { init } from '@embedpdf/pdfium';
import { LecternError } from '../errors.js';

const callNames = [
  'malloc', 'free', 'PDFiumExt_Init',
  'PDFiumExt_OpenFormFillInfo', 'PDFiumExt_CloseFormFillInfo', 'PDFiumExt_InitFormFillEnvironment', 'PDFiumExt_ExitFormFillEnvironment',
  'FPDF_LoadMemDocument64', 'FPDF_CloseDocument', 'FPDF_GetLastError', 'FPDF_GetPageCount', 'FPDF_GetMetaText',
  'EPDF_GetPageBoxByIndex', 'EPDF_GetPageRotationByIndex', 'FPDFCatalog_IsTagged', 'FPDFCatalog_GetLanguage',
  'FPDF_LoadPage', 'FPDF_ClosePage', 'FPDF_GetPageBoundingBox', 'FPDFPage_GetRotation',
  'FORM_OnAfterLoadPage', 'FORM_OnBeforeClosePage', 'FPDF_FFLDraw',
  'FPDFBitmap_CreateEx', 'FPDFBitmap_Destroy', 'FPDFBitmap_FillRect', 'FPDFBitmap_GetBuffer', 'FPDFBitmap_GetStride', 'FPDF_RenderPageBitmap',
  'FPDFText_LoadPage', 'FPDFText_ClosePage', 'FPDFText_CountChars', 'FPDFText_GetUnicode', 'FPDFText_IsGenerated', 'FPDFText_IsHyphen',
  'FPDFText_HasUnicodeMapError', 'FPDFText_GetCharBox', 'FPDFText_GetLooseCharBox', 'FPDFText_GetCharOrigin', 'FPDFText_GetMatrix',
  'FPDFText_GetFontSize', 'FPDFText_GetTextObject',
  'FPDFTextObj_GetFont', 'FPDFTextObj_GetTextRenderMode', 'FPDFFont_GetBaseFontName', 'FPDFFont_GetFlags', 'FPDFFont_GetWeight',
  'FPDFFont_GetItalicAngle', 'FPDFFont_GetGlyphWidth', 'FPDFFont_GetFamilyName',
  'FPDFPage_CountObjects', 'FPDFPage_GetObject', 'FPDFPageObj_GetType', 'FPDFPageObj_GetMatrix', 'FPDFPageObj_GetBounds',
  'FPDFPageObj_GetMarkedContentID', 'FPDFPageObj_CountMarks', 'FPDFPageObj_GetMark', 'FPDFPageObjMark_GetName', 'FPDFPageObjMark_GetParamStringValue', 'FPDFPageObjMark_GetParamBlobValue',
  'FPDFPageObj_GetFillColor', 'FPDFPageObj_GetStrokeColor', 'FPDFPageObj_GetStrokeWidth', 'FPDFPageObj_GetClipPath', 'FPDFPageObj_SetIsActive', 'FPDFPageObj_HasTransparency',
  'FPDFClipPath_CountPaths', 'FPDFClipPath_CountPathSegments', 'FPDFClipPath_GetPathSegment',
  'FPDFPath_CountSegments', 'FPDFPath_GetPathSegment', 'FPDFPath_GetDrawMode',
  'FPDFPathSegment_GetPoint', 'FPDFPathSegment_GetType', 'FPDFPathSegment_GetClose',
  'FPDFFormObj_CountObjects', 'FPDFFormObj_GetObject', 'FPDFImageObj_GetImagePixelSize',
  'FPDF_GetFormType', 'FPDFPage_GetAnnotCount', 'FPDFPage_GetAnnot', 'FPDFPage_CloseAnnot', 'FPDFAnnot_GetSubtype', 'FPDFAnnot_GetFlags', 'FPDFAnnot_GetRect',
  'FPDFAnnot_GetStringValue', 'FPDFAnnot_GetFontSize', 'FPDFAnnot_GetFormFieldType', 'FPDFAnnot_GetFormFieldFlags', 'FPDFAnnot_GetFormFieldValue', 'FPDFAnnot_IsChecked',
  'FPDFLink_Enumerate', 'FPDFLink_GetAnnotRect', 'FPDFLink_CountQuadPoints', 'FPDFLink_GetQuadPoints', 'FPDFLink_GetDest', 'FPDFLink_GetAction',
  'FPDFAction_GetType', 'FPDFAction_GetDest', 'FPDFAction_GetURIPath', 'FPDFDest_GetDestPageIndex', 'FPDFDest_GetLocationInPage',
  'FPDFBookmark_GetFirstChild', 'FPDFBookmark_GetNextSibling', 'FPDFBookmark_GetTitle', 'FPDFBookmark_GetDest', 'FPDFBookmark_GetAction',
  'FPDF_StructTree_GetForPage', 'FPDF_StructTree_Close', 'FPDF_StructTree_CountChildren', 'FPDF_StructTree_GetChildAtIndex',
  'FPDF_StructElement_CountChildren', 'FPDF_StructElement_GetChildAtIndex', 'FPDF_StructElement_GetChildMarkedContentID',
  'FPDF_StructElement_GetType', 'FPDF_StructElement_GetAltText', 'FPDF_StructElement_GetActualText',
  'FPDF_StructElement_GetAttributeCount', 'FPDF_StructElement_GetAttributeAtIndex',
  'FPDF_StructElement_Attr_GetValue', 'FPDF_StructElement_Attr_GetNumberValue',
] as const;

type CallName = (typeof callNames)[number];
/** Every argument and result of the raw API is a number: a pointer, an index, a flag. */
export type Calls = Record<CallName, (...args: number[]) => number>;

const SCRATCH_BYTES = 4096;
const WORD_BYTES = 4;
const DOUBLE_BYTES = 8;
/** Bytes that readCounted() leaves free at the end of the scratch space. */
const SPARED_BYTES = 1024;
/** Larger byte counts are negative results of PDFium. */
const MOST_SIGNED = 0x7fffffff;
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
const MAX_STRING_BYTES = 64 * 1024;

/** One WASM instance. Not re-entrant; pointers are valid until their owner is closed. */
export class Pdfium {
  readonly call: Calls;
  /** 4096 bytes for out parameters, 8-byte aligned; valid until the next call of this class. */
  readonly scratch: number;
  /** Keys of dictionaries as C strings. */
  readonly names: { Name: number; RowSpan: number; ColSpan: number; Title: number; Author: number; Producer: number; Contents: number; ActualText: number };
  #memory: { readonly buffer: ArrayBufferLike };
  #dead = false;
  #buffer: ArrayBufferLike;
  #u8: Uint8Array;
  #f32: Float32Array;
  #f64: Float64Array;
  #i32: Int32Array;

  constructor(exports: Record<string, unknown>) {
    const missing = callNames.filter((name) => typeof exports[name] !== 'function');
    if (missing.length > 0) throw new Error(`The PDF engine lacks ${missing.join(', ')}`);
    this.call = Object.fromEntries(callNames.map((name) => [name, exports[name]])) as Calls;
    this.#memory = exports['memory'] as { readonly buffer: ArrayBufferLike };
    this.#buffer = this.#memory.buffer;
    this.#u8 = new Uint8Array(this.#buffer);
    this.#f32 = new Float32Array(this.#buffer);
    this.#f64 = new Float64Array(this.#buffer);
    this.#i32 = new Int32Array(this.#buffer);
    this.call.PDFiumExt_Init();
    this.scratch = this.call.malloc(SCRATCH_BYTES);
    const name = (text: string) => this.writeString(text);
    this.names = { Name: name('Name'), RowSpan: name('RowSpan'), ColSpan: name('ColSpan'), Title: name('Title'), Author: name('Author'), Producer: name('Producer'), Contents: name('Contents'), ActualText: name('ActualText') };
    this.#refresh();
  }

  /** Memory of a WASM instance never shrinks: after a very large document the next one gets a new instance. */
  get spent(): boolean {
    return this.#dead || this.heapBytes > MAX_KEPT_BYTES;
  }

  get dead(): boolean {
    return this.#dead;
  }

  get heapBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Address of an out parameter of 32 bits in the scratch space, by its place among such parameters. */
  out32(place: number): number {
    return this.scratch + WORD_BYTES * place;
  }

  /** Address of an out parameter of 64 bits in the scratch space, by its place among such parameters. */
  out64(place: number): number {
    return this.scratch + DOUBLE_BYTES * place;
  }

  /** The 32-bit float that a call left in the scratch space. */
  float(place: number): number {
    return this.f32[this.scratch / WORD_BYTES + place] ?? 0;
  }

  /** The 32-bit integer that a call left in the scratch space. */
  int(place: number): number {
    return this.i32[this.scratch / WORD_BYTES + place] ?? 0;
  }

  /** The 64-bit float that a call left in the scratch space. */
  double(place: number): number {
    return this.f64[this.scratch / DOUBLE_BYTES + place] ?? 0;
  }

  /** The heap may move when it grows: call this again after every call that can allocate. */
  get u8(): Uint8Array {
    this.#refresh();
    return this.#u8;
  }

  get f32(): Float32Array {
    this.#refresh();
    return this.#f32;
  }

  get f64(): Float64Array {
    this.#refresh();
    return this.#f64;
  }

  get i32(): Int32Array {
    this.#refresh();
    return this.#i32;
  }

  #refresh(): void {
    if (this.#buffer === this.#memory.buffer) return;
    this.#buffer = this.#memory.buffer;
    this.#u8 = new Uint8Array(this.#buffer);
    this.#f32 = new Float32Array(this.#buffer);
    this.#f64 = new Float64Array(this.#buffer);
    this.#i32 = new Int32Array(this.#buffer);
  }

  /** Memory for `sizeBytes`, to be freed with `call.free`; throws `too_large` if there is none. */
  allocate(sizeBytes: number): number {
    const pointer = this.call.malloc(sizeBytes);
    if (pointer === 0) throw new LecternError('too_large', 'The document does not fit into the memory of the PDF engine.');
    return pointer >>> 0;
  }

  /** A UTF-8 C string, to be freed with `call.free`. */
  writeString(text: string): number {
    const encoded = Buffer.from(`${text}\0`, 'utf8');
    const pointer = this.allocate(encoded.length);
    this.u8.set(encoded, pointer);
    return pointer;
  }

  /** A string from one of PDFium's `(buffer, bytes) -> bytes needed` calls. */
  readString(read: (buffer: number, sizeBytes: number) => number, encoding: 'utf16le' | 'utf8'): string {
    const needed = read(this.scratch, SCRATCH_BYTES) >>> 0;
    const terminator = encoding === 'utf8' ? 1 : 2;
    if (needed <= terminator || needed > MOST_SIGNED) return '';
    if (needed <= SCRATCH_BYTES) return this.#decode(this.scratch, needed - terminator, encoding);
    if (needed > MAX_STRING_BYTES) return '';
    const buffer = this.allocate(needed);
    try {
      const written = read(buffer, needed);
      return this.#decode(buffer, Math.min(written, needed) - terminator, encoding);
    } finally {
      this.call.free(buffer);
    }
  }

  /** A UTF-16 string from one of PDFium's `(buffer, bytes, out bytes) -> ok` calls; '' if it is longer than 3 KB. */
  readCounted(read: (buffer: number, sizeBytes: number, counted: number) => number): string {
    const buffer = this.out64(1);
    if (read(buffer, SCRATCH_BYTES - SPARED_BYTES, this.scratch) === 0) return '';
    const size = this.i32[this.scratch >> 2] ?? 0;
    return size >= 2 && size <= SCRATCH_BYTES - SPARED_BYTES ? this.#decode(buffer, size - 2, 'utf16le') : '';
  }

  #decode(pointer: number, sizeBytes: number, encoding: 'utf16le' | 'utf8'): string {
    return Buffer.from(this.u8.buffer, pointer, sizeBytes).toString(encoding).replace(/\0+$/, '');
  }

  /**
   * Runs engine calls. A trap (the file caused an access outside of PDFium's memory, or an abort) leaves the instance in an unknown
   * state: it is marked as dead, and the error is `invalid_document`.
   */
  guard<T>(work: () => T): T {
    if (this.#dead) throw new LecternError('invalid_document', 'The PDF engine stopped on this document.');
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof LecternError || !isTrap(thrown)) throw thrown;
      this.#dead = true;
      throw new LecternError('invalid_document', 'The PDF engine stopped on this document: it is damaged.', { cause: thrown });
    }
  }
}

function isTrap(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  // WebAssembly.RuntimeError, a stack overflow inside the module, and Emscripten's abort(). For a
  // C++ exception or a longjmp Emscripten throws a value that is not an Error.
  return thrown.name === 'RuntimeError' || thrown instanceof RangeError || /^(Aborted|Assertion failed)/.test(thrown.message);
}

let shared: Promise<Pdfium> | undefined;

async function load(): Promise<Pdfium> {
  const require = createRequire(import.meta.url);
  const wasmBinary = readFileSync(require.resolve('@embedpdf/pdfium/pdfium.wasm'));
  const silent = () => undefined;
  const module = await init({ wasmBinary: new Uint8Array(wasmBinary).buffer, print: silent, printErr: silent });
  return new Pdfium(module.pdfium.wasmExports as unknown as Record<string, unknown>);
}

/** The process's instance; a new one after the last one trapped or grew very large. */
export async function sharedPdfium(): Promise<Pdfium> {
  const current = await (shared ??= load());
  if (!current.spent) return current;
  shared = load();
  return shared;
}
