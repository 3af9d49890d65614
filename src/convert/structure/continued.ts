/** Finds lines between the parts of a table that say that it continues: `continued on next page`, `Table 2 (continued)`, in several languages. */
import { unionBox } from '../../geometry/box.js';
import type { PageTable } from '../page/page-table.js';
import type { Block, TableBlock, TextBlock } from './block.js';
import { linesOf, plainText } from './block.js';
import { captionLabel } from '../wording/captions.js';

const goesOnWord = 'cont(?:inued|inues|inuation|[’\']?d)?|fortsetzung|forts|fortgesetzt|suite|continuación|continúa|continuação|continua|continuazione|segue|vervolg|vervolgd|pokračování|pokračuje'
  + '|ciąg dalszy|c\\. ?d|cd|dokończenie|nastavak|продолжение|окончание|συνέχεια|συνεχίζεται|fortsättning|fortsat|fortsættes|fortsetter|jatkuu|folytatás|devamı';
const pageWord = 'page|seite|página|pagina|strana|stran[ěę]|stronie|strony|straně|stranici|странице|страницы|σελίδα|sida|sidan|side|sivulla|oldalon|oldalról|sayfada';
/** `continued on the next page`, `suite à la page suivante`, `Continued from page 12`. */
const phrase = `(?:${goesOnWord})(?!\\p{L})\\.?(?:\\s+(?:[\\p{L}’']+\\s+){0,4}?(?:${pageWord})(?!\\p{L})(?:\\s+\\p{L}+){0,2}(?:\\s+\\d+)?)?|接下[页頁]|接上[页頁]|[续續]|(?:次(?:の)?ページ(?:に|へ))?[続续]く?き?|前ページ(?:から)?の?[続]き`;
const atEnd = new RegExp(`^(?<rest>|.*(?:[([（–—:.,]|\\s-)\\s*)(?:${phrase})[\\s)\\]）.…>→-]*$`, 'iu');
const behindLabel = new RegExp(`^[\\s([（–—:.,-]*(?:${phrase})\\s*[)\\]）:.,–—-](?<rest>.*)$`, 'iu');
const tableName = 'table|tabelle|tableau|tabla|tabella|tabela|tabulky|tabel|tabeli|tablice|таблицы|табл|πίνακα|tabell|taulukko|表';
const atBegin = new RegExp(`^[\\s([（]*(?:${phrase})[\\s)\\]）:.,–—-]*(?:\\p{L}{1,4}\\s+)?(?:${tableName})(?!\\p{L})\\.?\\s*(?:[\\d.\\-–]*\\d[a-z]?|[ivxlc]+)?(?!\\p{L})(?<rest>.*)$`, 'iu');

const bare = (text: string): string => text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').replace(/\s+/g, ' ');

/** The rest of a line that says that a table continues, without the table's name; null for other lines. */
function besidesContinued(text: string): string | null {
  const label = captionLabel(text.trim());
  const title = (label?.title ?? text).trim();
  const match = atBegin.exec(text) ?? atEnd.exec(title) ?? (label === null ? null : behindLabel.exec(title));
  return match === null ? null : bare(match.groups!.rest!);
}

const nameIn = (text: string): string | undefined => captionLabel(text.trim())?.label.toLowerCase();

function nameOf({ captions }: TableBlock): string | undefined {
  return captions.map((caption) => nameIn(plainText(caption))).find((name) => name !== undefined);
}

function differ(name: string | undefined, other: string | undefined): boolean {
  return name !== undefined && other !== undefined && name !== other;
}

/** Words that also have other meanings (`CD`, a hotel's `Suite`): alone they do not show that a table continues. */
const isAmbiguous = (text: string): boolean => /^(?:suite|cd|c\. ?d|segue|continua|forts|cont)\.?$/iu.test(text.trim());

/** Whether the line says that the table continues and nothing else beyond the table's captions. */
function saysOnlyContinued(text: string, captions: TextBlock[]): boolean {
  const rest = isAmbiguous(text) ? null : besidesContinued(text);
  return rest !== null && (rest === '' || captions.some((caption) => bare(plainText(caption)).includes(rest)));
}

/** Whether the block between two parts says only that the table continues. */
export function isContinuedLine(block: Block, above: TableBlock): block is TextBlock {
  return block.kind === 'text' && block.role !== 'code' && block.role !== 'formula' && linesOf(block).length <= 2 && !differ(nameIn(plainText(block)), nameOf(above)) && saysOnlyContinued(plainText(block), above.captions);
}

/** Whether the caption says that the table above continues, possibly among other things. */
export function isContinuedCaption(block: TextBlock, above: TableBlock): boolean {
  return block.role === 'caption' && !differ(nameIn(plainText(block)), nameOf(above)) && besidesContinued(plainText(block)) !== null;
}

/** Whether the part below has a name of its own and is therefore another table. */
export function hasOtherName(above: TableBlock, below: TableBlock): boolean {
  return differ(nameOf(above), nameOf(below));
}

/** Splits captions of the part below into those without and those with new text. */
export function sortCaptions(above: TableBlock, below: TableBlock): { again: TextBlock[]; more: TextBlock[] } {
  const isAgain = (caption: TextBlock): boolean => saysOnlyContinued(plainText(caption), above.captions) || above.captions.some((known) => bare(plainText(known)) === bare(plainText(caption)));
  return { again: below.captions.filter(isAgain), more: below.captions.filter((caption) => !isAgain(caption)) };
}

type Furniture = TableBlock['repeatedHeads'][number];

/** Removes the table's last (-1) or first (1) row if it says only that the table continues, and returns both; null otherwise. */
export function withoutContinuedRow({ table, pageIndex, places }: TableBlock, side: -1 | 1, captions: TextBlock[]): { table: PageTable; line: Furniture } | null {
  const row = side < 0 ? table.rowCount - 1 : 0;
  const own = table.cells.filter((cell) => cell.row <= row && row < cell.row + cell.rowSpan);
  const filled = own.filter((cell) => cell.lines.length > 0);
  if (table.rowCount < 3 || filled.length !== 1 || own.some(({ rowSpan }) => rowSpan > 1)) return null;
  const text = filled[0]!.lines.map((line) => line.text).join(' ');
  if (!saysOnlyContinued(text, captions)) return null;
  const cells = table.cells.filter((cell) => cell.row !== row).map((cell) => (side < 0 ? cell : { ...cell, row: cell.row - 1 }));
  return { table: { ...table, cells, rowCount: table.rowCount - 1 }, line: { pageIndex: side < 0 ? places.at(-1)!.pageIndex : pageIndex, box: unionBox(own.map(({ box }) => box)), text } };
}
