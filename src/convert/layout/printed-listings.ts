/** Finds programs with their output, such as a terminal session, in a monospace font among other text. Their columns are not tables. */
import { fromLeft, fromTop, rowsByBaseline } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { partitionPoint } from '../../geometry/search.js';
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import { isRuled } from './numbered-code.js';

const fewestLines = 2;
/** Words in a monospace font; a page with more is not text. */
const mostWords = 5000;
/** From one line to the next, in ems: there is at most one empty line between the parts of a listing. */
const farthest = 2.9;
/** The same between a listing and its rest. */
const mostWhite = 8;
/** The largest ratio of sizes between lines of one listing. */
const sizeSlack = 0.06;

/** Beginnings of lines at a terminal or of printed output: prompts, marked output, vectors that count their values. */
const promptSign = /^(?:(?:\p{L}[\w.-]{0,15})?>{1,3} ?[\p{L}"'(.]|\$ [\p{L}.~/]|#[#>]|In ?\[\d+\]|\[1\] )/u;
/** Patterns that tables and typewritten text hardly contain: calls, assignments, blocks, statements with their ends. */
const callSign = /[\p{L}\d_.]\(["'\p{L}]|[{}\\]|;$|<-|->|==|:=|\(\)|^[\p{L}_.][\w.$]* = |^Call:/u;
/** The share of lines with such characters if none begins with a prompt, their number, and the fewest lines. Typewritten cells of a table's columns may also stand on a few baselines of their own. */
const leastSigns = 0.2;
const fewestSigns = 2;
const fewestUnprompted = 4;
/** A page with hardly any other text may be entirely typewritten. */
const leastSignsAlone = 0.4;
const leastOther = 12;

/** The page's listings, each as the words of its lines, from the left. A column of names beside their meaning is not a listing, nor are rows with rulings between them. Words in `taken` belong to other listings. */
export function printedListings(page: PageContent, taken: Set<Word>): Word[][][] {
  const upright = page.words.filter(({ angle }) => angle === 0);
  const written = upright.filter((word) => word.font.monospace && !taken.has(word));
  if (written.length < fewestLines || written.length > mostWords) return [];
  // Characters that such a font lacks come from other fonts: `~`, `≤`.
  const isSign = ({ text }: Word): boolean => !/[\p{L}\p{N}.,:]/u.test(text);
  const signs = upright.filter((word) => !word.font.monospace && isSign(word));
  const others = fromTop(upright.filter((word) => !word.font.monospace && !isSign(word)));
  const letters = others.reduce((sum, { text }) => sum + text.length, 0);
  const rows = linesOf([...written, ...signs]).filter((row) => row.some(({ font }) => font.monospace));
  const listings: Word[][][] = [];
  for (const range of rangesOf(rows, others)) {
    const isRuledTable = isRuled(range.map(([first]) => first!), range[0]![0]!.box.right, page.rulings);
    if (!isRuledTable && (isPrinted(range, letters < leastOther) || goesOn(listings.at(-1), range, others))) listings.push(range);
  }
  return listings;
}

/** The text below a listing, with only white space between: the rest of the program's output. */
function goesOn(listing: Word[][] | undefined, [first]: Word[][], others: Word[]): boolean {
  const above = listing?.at(-1)?.[0];
  const below = first?.[0];
  if (above === undefined || below === undefined || Math.abs(below.size - above.size) > sizeSlack * below.size) return false;
  return below.baseline - above.baseline < mostWhite * below.size && !standsBetween(above.baseline, below.baseline, others);
}

/** Rows from the top, each from the left. */
function linesOf(words: Word[]): Word[][] {
  return rowsByBaseline(fromTop(words), baselineTolerances.line).map(fromLeft);
}

/** Rows of one size that follow each other, without other text on or between their baselines. */
function rangesOf(rows: Word[][], others: Word[]): Word[][][] {
  const ranges: Word[][][] = [];
  let open: Word[][] = [];
  for (const row of rows) {
    const [{ baseline, size }] = row as [Word];
    const above = open.at(-1)?.[0];
    const isNext = above !== undefined && baseline - above.baseline < farthest * size && Math.abs(size - above.size) <= sizeSlack * size && !standsBetween(above.baseline, baseline, others);
    if (!isNext) ranges.push(open = []);
    const level = baselineTolerances.line.ems * size;
    if (!standsBetween(baseline - level, baseline + level, others)) open.push(row);
  }
  return ranges.filter(({ length }) => length >= fewestLines);
}

/** Whether the baseline of one of `words`, sorted by baseline, lies between two heights. */
function standsBetween(top: number, bottom: number, words: Word[]): boolean {
  const from = partitionPoint(words, ({ baseline }) => baseline < top);
  return from < words.length && words[from]!.baseline <= bottom;
}

function isPrinted(rows: Word[][], isAlone: boolean): boolean {
  const lines = rows.map((row) => row.map(({ text, glued }, index) => (index > 0 && !glued ? ' ' : '') + text).join(''));
  const signs = lines.filter((line) => promptSign.test(line) || callSign.test(line)).length;
  if (isAlone) return signs >= leastSignsAlone * lines.length;
  return lines.some((line) => promptSign.test(line)) || lines.length >= fewestUnprompted && signs >= Math.max(fewestSigns, leastSigns * lines.length);
}
