/**
 * Converts text from visual to reading order: the inverse of Unicode's bidirectional algorithm (UAX #9).
 * It resolves levels on the visual order, then reverses runs as in rule L2, which is its own inverse. If two logical
 * orders have the same appearance (`X-200`), text that touches a Latin word belongs to it.
 */

/** The classes of UAX #9 that occur on a page; `S` is white space, `N` any other character. */
type BidiClass = 'L' | 'R' | 'AL' | 'EN' | 'AN' | 'ES' | 'ET' | 'CS' | 'S' | 'N';

/** A piece of text whose own order is fixed. */
export interface DirectedText {
  text: string;
  /** White space without a glyph. */
  space: boolean;
}

const hebrew = /[\u0590-\u05ff\u07c0-\u085f\ufb1d-\ufb4f]/u;
const arabic = /[\u0600-\u07bf\u0860-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/u;
const arabicNumber = /^[\u0660-\u0669\u066b\u066c\u06dd]/u;
const europeanNumber = /^[0-9\u06f0-\u06f9\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]/u;
const arabicSign = /^[\u060c\u061b\u061f\u066a\u06d4\u06de\u06e9\u0609\u060a]/u;
const terminator = /^[#%\u00b0\u00b1\u2030-\u2034\u066a\u2213\p{Sc}]/u;

function classOf({ text, space }: DirectedText): BidiClass {
  if (space) return 'S';
  if (europeanNumber.test(text)) return 'EN';
  if (arabicNumber.test(text)) return 'AN';
  if (terminator.test(text)) return 'ET';
  if (/^[+\u2212-]/u.test(text)) return 'ES';
  if (/^[,./:\u00a0]/u.test(text)) return 'CS';
  if (arabicSign.test(text)) return /^[\u061b\u061f\u06d4]/u.test(text) ? 'AL' : 'CS';
  if (arabic.test(text)) return 'AL';
  if (hebrew.test(text)) return 'R';
  return /^[\p{L}\p{N}\p{M}\ue000-\uf8ff]/u.test(text) ? 'L' : 'N';
}

/** Letters that are read from the right, without digits: such a run keeps the order in which the file's reader returns it. */
export function isRightToLeftText(text: string): boolean {
  return (hebrew.test(text) || arabic.test(text)) && !arabicNumber.test(text) && !europeanNumber.test(text) && !arabicSign.test(text);
}

const mirrored = new Map([...'()[]{}<>«»‹›≤≥⟨⟩'].map((sign, index, all) => [sign, all[index ^ 1]!]));
const openers = '([{«‹⟨';
const closers = ')]}»›⟩';

interface BracketPair {
  open: number;
  close: number;
}

/** Pairs of brackets, `open` left of `close` in visual order. */
function pairsOf(atoms: DirectedText[], opening: string, closing: string): BracketPair[] {
  const pairs: BracketPair[] = [];
  const open: { at: number; kind: number }[] = [];
  for (const [at, { text }] of atoms.entries()) {
    const first = text === '' ? -1 : opening.indexOf(text);
    if (first >= 0) open.push({ at, kind: first });
    const last = text === '' ? -1 : closing.indexOf(text);
    const match = last < 0 ? -1 : open.findLastIndex(({ kind }) => kind === last);
    if (match < 0) continue;
    pairs.push({ open: open[match]!.at, close: at });
    open.length = match;
  }
  return pairs;
}

/** The class of the nearest strong atom on one side, or null. */
function strongBeside(classes: BidiClass[], at: number, step: 1 | -1): 'L' | 'R' | 'AL' | null {
  for (let other = at + step; other >= 0 && other < classes.length; other += step) {
    const kind = classes[other]!;
    if (kind === 'L' || kind === 'R' || kind === 'AL') return kind;
  }
  return null;
}

/** Rules W2 to W5: Arabic context, separators and terminators of numbers. The remaining ones are neutral. */
function resolveNumbers(atoms: DirectedText[], classes: BidiClass[]): void {
  const original = [...classes];
  for (const [at, kind] of original.entries()) {
    if (kind === 'EN' && strongBeside(original, at, 1) === 'AL' && !goesOnFromLatin(atoms, original, at)) classes[at] = 'AN';
  }
  for (let at = 1; at + 1 < classes.length; at++) {
    const [before, kind, after] = [classes[at - 1], classes[at], classes[at + 1]];
    if (before === after && (kind === 'CS' && (before === 'EN' || before === 'AN') || kind === 'ES' && before === 'EN')) classes[at] = before;
  }
  for (let at = 0; at < classes.length; at++) {
    if (classes[at] !== 'ET') continue;
    let end = at;
    while (classes[end + 1] === 'ET') end++;
    const number = classes[at - 1] === 'EN' || classes[end + 1] === 'EN';
    for (let each = at; each <= end; each++) classes[each] = number ? 'EN' : 'N';
    at = end;
  }
  for (const [at, kind] of classes.entries()) if (kind === 'ES' || kind === 'CS' || kind === 'ET') classes[at] = 'N';
}

/** Rule W7 in visual order: a number right of a Latin word, touching it or a space away, belongs to it. */
function goesOnFromLatin(atoms: DirectedText[], classes: BidiClass[], at: number): boolean {
  let between = '';
  for (let other = at - 1; other >= 0; other--) {
    const kind = classes[other]!;
    // White space does not precede a closing character: there the number begins the text that is read before the word.
    if (kind === 'L') return !/ [^ \d(["'“‘$€£#]|[)\]] *$/u.test(between);
    if (kind === 'R' || kind === 'AL' || kind === 'AN') return false;
    between = (kind === 'S' ? ' ' : atoms[other]!.text) + between;
  }
  return false;
}

/** Rules W7 and N0 to N2: every atom is L, R or a number. */
function resolveNeutrals(atoms: DirectedText[], classes: BidiClass[], pairs: BracketPair[], base: 0 | 1): void {
  const isLatin = classes.map((kind, at) => kind === 'EN' && goesOnFromLatin(atoms, classes, at));
  for (const [at, latin] of isLatin.entries()) if (latin) classes[at] = 'L';
  if (base === 0) {
    // A number belongs to right-to-left words that stand on both of its sides.
    for (const [at, kind] of classes.entries()) {
      if (kind === 'EN' && (strongBeside(classes, at, -1) !== 'R' && strongBeside(classes, at, -1) !== 'AL' || strongBeside(classes, at, 1) === 'L' || strongBeside(classes, at, 1) === null)) classes[at] = 'L';
    }
  }
  const embedding = base === 1 ? 'R' : 'L';
  const side = (kind: BidiClass | undefined): 'L' | 'R' | null => (kind === undefined ? embedding : kind === 'L' ? 'L' : kind === 'S' || kind === 'N' ? null : 'R');
  for (const { open, close } of pairs) {
    const inside = new Set(classes.slice(open + 1, close).map(side));
    if (inside.has(embedding)) classes[open] = classes[close] = embedding;
    else if (inside.has('L') || inside.has('R')) {
      // The text that is read before the pair in the other direction; if that is from the right, the text left of the pair must be, too.
      const isLatin = embedding === 'R';
      const touches = isLatin ? strongBeside(classes, open, -1) === 'L' : [strongBeside(classes, open, -1), strongBeside(classes, close, 1)].every((kind) => kind === 'R' || kind === 'AL');
      classes[open] = classes[close] = touches === isLatin ? 'L' : 'R';
    }
  }
  for (let at = 0; at < classes.length; at++) {
    if (side(classes[at]) !== null) continue;
    let end = at;
    while (end + 1 < classes.length && side(classes[end + 1]) === null) end++;
    const [before, after] = [side(classes[at - 1]), side(classes[end + 1])];
    for (let each = at; each <= end; each++) classes[each] = before === after ? before! : embedding;
    at = end;
  }
}

/** The most atoms of a line that is ordered character by character: no paper is wider, and the search for neighbours takes quadratic time. */
const longestLine = 1024;

/** Characters in reading order: the index of each atom and its text, with logical brackets. `base` is 1 for a line read from the right. */
export function logicalOrder(atoms: DirectedText[], base: 0 | 1): { index: number; text: string }[] {
  if (atoms.length > longestLine) {
    const asDrawn = atoms.map(({ text }, index) => ({ index, text }));
    return base === 1 ? asDrawn.reverse() : asDrawn;
  }
  const classes = atoms.map(classOf);
  resolveNumbers(atoms, classes);
  const [seen, meant] = [pairsOf(atoms, openers, closers), pairsOf(atoms, closers, openers)];
  // Some files name the character that is drawn, others the one in the text.
  const isDrawn = seen.length >= meant.length;
  resolveNeutrals(atoms, classes, isDrawn ? seen : meant, base);
  const levels = classes.map((kind) => (kind === 'L' ? (base === 1 ? 2 : 0) : kind === 'EN' || kind === 'AN' ? 2 : 1));
  const order = atoms.map((_, index) => index);
  for (const least of [2, 1]) {
    for (let at = 0; at < order.length; at++) {
      if (levels[at]! < least) continue;
      let end = at;
      while (end + 1 < order.length && levels[end + 1]! >= least) end++;
      reverse(order, at, end);
      reverse(levels, at, end);
      at = end;
    }
  }
  const paired = new Set((isDrawn ? seen : meant).flatMap(({ open, close }) => [open, close]));
  return order.map((index, at) => {
    const { text } = atoms[index]!;
    if (levels[at] !== 1) return { index, text };
    const alone = paired.has(index) ? null : bySpacing(text, atoms[order[at - 1] ?? -1], atoms[order[at + 1] ?? -1]);
    return { index, text: alone ?? (isDrawn ? mirrored.get(text) ?? text : text) };
  });
}

/** The file's reader mirrors some brackets and not others: a bracket without its match opens behind white space and closes before it. */
function bySpacing(text: string, before: DirectedText | undefined, after: DirectedText | undefined): string | null {
  const kind = Math.max(openers.indexOf(text), closers.indexOf(text));
  if (text === '' || kind < 0) return null;
  const [opens, closes] = [before === undefined || before.space, after === undefined || after.space || /^[.,;:!?،؛؟]/u.test(after.text)];
  return opens === closes ? null : opens ? openers[kind]! : closers[kind]!;
}

function reverse<Value>(values: Value[], from: number, to: number): void {
  for (let [left, right] = [from, to]; left < right; left++, right--) [values[left], values[right]] = [values[right]!, values[left]!];
}

/** Whether the line's first word stands right of its last, or its only word is in a right-to-left script. */
export function isReadFromRight(words: { text: string; box: { left: number } }[]): boolean {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return false;
  return first.box.left > last.box.left || words.length === 1 && /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(first.text);
}
