/** Finds the small print at the bottom of a letter or an invoice: the sender's account, register and tax numbers. It is not a running footer, because the payer of the invoice needs it. */
import { fromTopLeft } from '../page/group-by-baseline.js';
import { unionBox } from '../../geometry/box.js';
import type { PageStructure } from '../page/values.js';
import type { TextLine } from '../page/text-line.js';
import { linesOf, textBlock } from './block.js';
import type { Block, TextBlock } from './block.js';
import { beginsNote } from './footnotes.js';
import type { EdgeRow, FurnitureLabel } from './furniture.js';
import { edgeRows, isPageNumber, pattern } from './furniture.js';
import { findBodyStyle } from './style.js';
import type { PageLines } from './style.js';

/** Such small print has no more rows. */
const mostRows = 9;

/** An international bank account number (IBAN). */
const iban = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ \u00a0]?[A-Z\d]{4}){3,7}(?:[ \u00a0]?[A-Z\d]{1,3})?(?![\p{L}\p{N}])/u;
const accountWord = 'IBAN|sort code|account(?: no\\.?| number)?|a/c(?: no\\.?)?|(?:Konto|Kto)\\.?(?:-?(?:nummer|Nr)\\.?)?|BLZ|n[°º] de compte|cuenta|conto corrente|rekening(?:nummer)?|kontonr\\.?|bankgiro|plusgiro|nr konta|číslo účtu|č\\. ?ú\\.';
const taxWord = 'VAT|USt\\.?|UID|TVA|NIF|CIF|NIPC|SIREN|SIRET|GST|ABN|EIN|MwSt\\.?|MWST|Steuernummer|Steuer-?Nr\\.?|St\\.?-?Nr\\.?|tax (?:id|no\\.?|number)|P\\. ?IVA|Partita IVA|C\\. ?F\\.|Codice Fiscale|BTW|MVA|CVR|Moms|DIČ|NIP|REGON';
const registerWord = 'HRB|HRA|FN|RCS|R\\.C\\.S\\.|registered (?:in|no\\.?|number|office|charity)|company (?:no\\.?|number|registration)|Handelsregister|KvK|KRS|REA|Org\\.? ?nr\\.?|IČO?|IČ';
/** Whether one of the words has a number of at least four digits near it. */
const numbered = new RegExp(`(?<![\\p{L}\\p{N}])(?:${accountWord}|${taxWord}|${registerWord})(?![\\p{L}\\p{N}])[^\\d]{0,40}(?:\\d[ \\u00a0.,/-]?){4}`, 'iu');
const bic = /(?<!\p{L})(?:BIC|SWIFT)(?!\p{L})[\s:.-]{0,3}[A-Z]{6}[A-Z\d]{2,5}/u;

export function tellsOfCompany(text: string): boolean {
  return iban.test(text) || numbered.test(text) || bic.test(text);
}

/** Lines in order, from the top or from the foot: a label and its number are in one row. */
const textOf = (rows: EdgeRow[]): string => rows.map(({ text }) => text).join(' ');

/** Rows at the bottom of a page, apart from its text and in smaller type. */
function smallPrint(text: PageLines): EdgeRow[] {
  const rows = edgeRows(text, 'bottom', mostRows).filter(({ lines }) => !lines.every((line) => isPageNumber(line.text)));
  const last = rows.findIndex(({ gap, size }) => gap > 1.5 * size);
  const block = rows.slice(0, last + 1);
  if (!tellsOfCompany(textOf(block)) || block.some((row) => beginsNote(row.text))) return [];
  const own = new Set(block.flatMap(({ lines }) => lines));
  const body = findBodyStyle([{ ...text, outside: text.outside.filter((line) => !own.has(line)) }]);
  return block.every(({ size }) => size <= 0.9 * body.size) ? block.reverse() : [];
}

/** The company's small print, which may have been classified as a running footer. */
function footOf(text: PageLines, labels: Map<TextLine, FurnitureLabel>): EdgeRow[] {
  const print = smallPrint(text);
  if (print.length > 0) return print;
  const foot = edgeRows(text, 'bottom', mostRows).reverse().filter(({ lines }) => lines.some((line) => labels.get(line) === 'page_footer' && !isPageNumber(line.text)));
  return tellsOfCompany(textOf(foot)) ? foot : [];
}

/**
 * Lines with company details at the edges of pages, with their edge. If pages repeat a footer, only that of the last page counts: in the middle of the text it would separate paragraphs
 * that continue over the pages. The head of a single page with such a footer names the sender.
 */
export function findCompanyDetails(pages: PageLines[], labels: Map<TextLine, FurnitureLabel>): Map<TextLine, FurnitureLabel> {
  const found = new Map<TextLine, FurnitureLabel>();
  const seen = new Set<string>();
  for (const text of [...pages].reverse()) {
    const foot = footOf(text, labels);
    for (const { lines } of foot.filter((row) => !seen.has(pattern(row.text)))) for (const line of lines) if (!isPageNumber(line.text)) found.set(line, 'page_footer');
    for (const row of foot) seen.add(pattern(row.text));
  }
  if (pages.length === 1 && found.size > 0) for (const [line, label] of labels) if (label === 'page_header' && !isPageNumber(line.text)) found.set(line, label);
  return found;
}

/** Text one below the other forms a column; columns are read one after the other. */
export function columnsOfEdge(lines: TextLine[], label: FurnitureLabel, { pageIndex, width }: PageStructure): TextBlock[] {
  const columns: TextLine[][] = [];
  for (const line of fromTopLeft(lines)) {
    const over = columns.filter((column) => column.at(-1)!.baseline < line.baseline - 0.5 * line.size && column.some(({ box }) => box.left < line.box.right && box.right > line.box.left));
    if (over.length === 1) over[0]!.push(line);
    else columns.push([line]);
  }
  return columns.map((column) => ({ ...textBlock(pageIndex, column, unionBox(column.map(({ box }) => box)), { left: 0, right: width }), role: label }));
}

/** Gives these lines the role of text. They were kept as page edges while text was joined across them. */
export function readDetails(blocks: Block[], details: Map<TextLine, FurnitureLabel>): void {
  for (const block of blocks) {
    if (block.kind === 'text' && (block.role === 'page_footer' || block.role === 'page_header') && linesOf(block).some((line) => details.has(line))) block.role = 'text';
  }
}
