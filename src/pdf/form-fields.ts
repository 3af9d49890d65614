/** The text of form fields and free-text notes, and the ticked boxes of a form: the page shows both, but its text layer contains neither. */
import { heightOf, widthOf } from '../geometry/box.js';
import { transformBox } from './matrix.js';
import type { Matrix } from './matrix.js';
import type { Box, Font, Line, Word } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';
import type { TickBox } from './tick-boxes.js';

const FREE_TEXT = 3;
const WIDGET = 20;
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const TEXT_FIELD = 6;
/** Annotation flags: hidden, no view. */
const UNSEEN = 2 | 32;
const PASSWORD_FIELD = 1 << 13;
const MAX_ANNOTATIONS = 5000;
const PADDING = 2;
/** Mean advance of text faces, in ems; the viewer chooses the real font. */
const MEAN_ADVANCE = 0.5;
const LINE_PITCH = 1.15;
/** In ems: a line's ink above and below its baseline, and the distance of its baseline from its top. */
const ASCENT = 0.75;
const DESCENT = 0.2;
const BASELINE = 0.8;
/** Points. */
const LABEL_REACH = 40;

const fieldFont: Font = { name: '', weight: 400, bold: false, italic: false, monospace: false, symbolic: false };

/** The visible content of a page's form fields. */
export interface FormFields {
  /** Lines of filled fields, at estimated places in their rectangles. */
  lines: Line[];
  ticks: TickBox[];
}

/** Reads the filled fields. Their lines get the baseline of a label among `printed` beside them. `form` is the form environment. */
export function readFields(pdfium: Pdfium, page: number, form: number, toSeen: Matrix, printed: Line[], firstOrder: number): FormFields {
  const { call } = pdfium;
  const fields: FormFields = { lines: [], ticks: [] };
  let order = firstOrder;
  const count = Math.min(MAX_ANNOTATIONS, call.FPDFPage_GetAnnotCount(page));
  for (let index = 0; index < count; index++) {
    const annotation = call.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    try {
      if ((call.FPDFAnnot_GetFlags(annotation) & UNSEEN) !== 0) continue;
      const box = boxOf(pdfium, annotation, toSeen);
      if (box === null) continue;
      if (isTickField(pdfium, annotation, form)) {
        fields.ticks.push({ box, ticked: call.FPDFAnnot_IsChecked(form, annotation) !== 0 });
        continue;
      }
      const field = readField(pdfium, annotation, form, box);
      if (field === null) continue;
      const label = labelOf(field.box, printed);
      // Letters as high as the field must not turn the user's text into a heading.
      const laidOut = layOut({ ...field, size: Math.min(field.size, label?.size ?? Infinity) }, order);
      for (const line of laidOut) {
        if (label !== undefined && laidOut.length === 1) moveTo(line, label.baseline);
        fields.lines.push(line);
        order += line.words.length;
      }
    } finally {
      call.FPDFPage_CloseAnnot(annotation);
    }
  }
  return fields;
}

interface FormField {
  text: string;
  box: Box;
  size: number;
}

function boxOf(pdfium: Pdfium, annotation: number, toSeen: Matrix): Box | null {
  const { call, scratch } = pdfium;
  if (call.FPDFAnnot_GetRect(annotation, scratch) === 0) return null;
  const f32 = pdfium.f32;
  const at = scratch >> 2;
  const box = transformBox(toSeen, f32[at] ?? 0, f32[at + 3] ?? 0, f32[at + 2] ?? 0, f32[at + 1] ?? 0);
  return box.right > box.left && box.bottom > box.top ? box : null;
}

function isTickField({ call }: Pdfium, annotation: number, form: number): boolean {
  if (form === 0 || call.FPDFAnnot_GetSubtype(annotation) !== WIDGET) return false;
  const type = call.FPDFAnnot_GetFormFieldType(form, annotation);
  return type === CHECK_BOX || type === RADIO_BUTTON;
}

function readField(pdfium: Pdfium, annotation: number, form: number, box: Box): FormField | null {
  const { call, scratch } = pdfium;
  const text = fieldText(pdfium, annotation, form).trim();
  if (text === '') return null;
  const known = form !== 0 && call.FPDFAnnot_GetFontSize(form, annotation, scratch) !== 0 ? (pdfium.f32[scratch >> 2] ?? 0) : 0;
  return { text, box, size: known > 0 ? known : Math.min(12, Math.max(4, heightOf(box) * 0.6)) };
}

function fieldText(pdfium: Pdfium, annotation: number, form: number): string {
  const { call } = pdfium;
  const subtype = call.FPDFAnnot_GetSubtype(annotation);
  if (subtype === FREE_TEXT) return pdfium.readString((buffer, size) => call.FPDFAnnot_GetStringValue(annotation, pdfium.names.Contents, buffer, size), 'utf16le');
  if (subtype !== WIDGET || form === 0) return '';
  const type = call.FPDFAnnot_GetFormFieldType(form, annotation);
  if (type !== TEXT_FIELD && type !== COMBO_BOX && type !== LIST_BOX) return '';
  if (type === TEXT_FIELD && (call.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD_FIELD) !== 0) return '';
  return pdfium.readString((buffer, size) => call.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size), 'utf16le');
}

function layOut(field: FormField, firstOrder: number): Line[] {
  const { box, size } = field;
  const advance = MEAN_ADVANCE * size;
  const room = Math.max(1, Math.floor((widthOf(box) - 2 * PADDING) / advance));
  const rows = field.text.split(/\r\n|[\r\n\u2028\u2029]/).flatMap((row) => wrap(row, room)).filter((row) => row.length > 0);
  const pitch = Math.min(LINE_PITCH * size, heightOf(box) / Math.max(1, rows.length));
  const top = rows.length === 1 ? (box.top + box.bottom - size) / 2 : box.top + PADDING;
  let order = firstOrder;
  return rows.map((row, index) => {
    const baseline = top + index * pitch + BASELINE * size;
    let x = box.left + PADDING;
    const words = row.map((text) => {
      const width = Math.min(text.length * advance, widthOf(box));
      const word = makeWord(text, { left: x, top: baseline - ASCENT * size, right: x + width, bottom: baseline + DESCENT * size }, baseline, size, order++);
      x += width + advance;
      return word;
    });
    const [first, last] = [words[0], words[words.length - 1]];
    return { words, box: { left: first?.box.left ?? x, top: baseline - ASCENT * size, right: last?.box.right ?? x, bottom: baseline + DESCENT * size }, baseline, size, angle: 0 };
  });
}

/** The printed line at the field's height that ends shortly before it, or starts shortly after it. */
function labelOf(box: Box, printed: Line[]): Line | undefined {
  return printed.find(({ angle, baseline, size, box: { left, right } }) => {
    const beside = (right <= box.left + size && right > box.left - LABEL_REACH) || (left >= box.right - size && left < box.right + LABEL_REACH);
    return angle === 0 && beside && baseline > box.top && baseline < box.bottom + 0.3 * size;
  });
}

function moveTo(line: Line, baseline: number): void {
  const down = baseline - line.baseline;
  line.baseline = baseline;
  line.box = { ...line.box, top: line.box.top + down, bottom: line.box.bottom + down };
  for (const word of line.words) {
    word.baseline = baseline;
    word.box = { ...word.box, top: word.box.top + down, bottom: word.box.bottom + down };
  }
}

/** Splits the words of one row into rows of at most `room` characters, if no single word is longer. */
function wrap(row: string, room: number): string[][] {
  const rows: string[][] = [];
  let used = Infinity;
  for (const word of row.split(/\s+/).filter((each) => each !== '')) {
    if (used + 1 + word.length > room) {
      rows.push([]);
      used = -1;
    }
    rows[rows.length - 1]?.push(word);
    used += 1 + word.length;
  }
  return rows;
}

function makeWord(text: string, box: Box, baseline: number, size: number, order: number): Word {
  return {
    text: text.normalize('NFC'), box, baseline, size, order,
    font: fieldFont, color: 0, angle: 0, glued: false, softHyphen: false, invisible: false, link: -1, underline: false, strike: false, mcid: -1,
  };
}
