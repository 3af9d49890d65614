/** The symbols of a formula: single characters, numbers and words with the places of their ink, and large signs that the file draws in pieces as one. */
import { fromLeft } from '../page/group-by-baseline.js';
import { unionBox, widthOf } from '../../geometry/box.js';
import type { Box, Word } from '../../pdf/pdf-page.js';
import { isMathWord } from '../page/script-characters.js';
import type { Bar, Node } from './nodes.js';

/** Names that stand upright in formulas. */
export const functionNames = new Set('sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim limsup liminf max min sup inf det dim ker gcd arg deg hom Pr mod'.split(' '));
const delimiter = /^[()[\]{}⌊⌋⌈⌉⟨⟩|‖∣∥]$/u;
/** Pieces of which files build tall delimiters: parentheses, brackets, braces, strokes (Unicode's Miscellaneous Technical block). */
const pieces: Record<string, string> = {
  '⎛': '(', '⎜': '(', '⎝': '(', '⎞': ')', '⎟': ')', '⎠': ')', '⎡': '[', '⎢': '[', '⎣': '[', '⎤': ']', '⎥': ']', '⎦': ']',
  '⎧': '{', '⎨': '{', '⎩': '{', '⎫': '}', '⎬': '}', '⎭': '}', '⎪': '', '|': '|', '∣': '|', '‖': '‖', '∥': '‖',
};
/** In ems: pieces of one delimiter touch, or overlap. */
const touching = 0.12;
/** In ems: a delimiter taller than this is drawn around its content. */
const tall = 1.15;

interface Letter {
  text: string;
  box: Box;
}

/** The characters of a word with their places: the file's own, or shares of the word's width. */
function lettersOf(word: Word): Letter[] {
  const characters = word.text.normalize('NFC').match(/\P{M}\p{M}*/gu) ?? [];
  if (word.letters !== undefined && word.letters.length === characters.length) return characters.map((text, at) => ({ text, box: word.letters![at]! }));
  const wide = widthOf(word.box) / Math.max(1, characters.length);
  return characters.map((text, at) => ({ text, box: { ...word.box, left: word.box.left + wide * at, right: word.box.left + wide * (at + 1) } }));
}

function isSlanted({ font }: Word): boolean {
  return font.italic || /^(?:CMMI|CMMIB|LMMathI|LMMathItalic|EURM|EUFM|MTMI|rtxmi|NewTXMI|ntxmi|txmi|.*Letters-Italic)/i.test(font.name);
}

/** Letterlike symbols (U+2100..214F) that are letters of an alphabet. */
const letterlike: Record<string, [letter: string, alphabet: string]> = Object.fromEntries([
  ...Array.from('ℬℰℱℋℐℒℳℛℯℊℴ', (sign, at): [string, [string, string]] => [sign, ['BEFHILMRego'[at]!, 'mathcal']]),
  ...Array.from('ℭℌℑℜℨ', (sign, at): [string, [string, string]] => [sign, ['CHIRZ'[at]!, 'mathfrak']]),
  ...Array.from('ℂℍℕℙℚℝℤ', (sign, at): [string, [string, string]] => [sign, ['CHNPQRZ'[at]!, 'mathbb']]),
  ['ℎ', ['h', '']],
]);
/** Unicode's mathematical alphabets: Latin letters in blocks of 52, Greek ones in blocks of 58, digits in blocks of 10. */
const latinBlocks = ['mathbf', '', 'mathbf', 'mathcal', 'mathcal', 'mathfrak', 'mathbb', 'mathfrak', 'mathsf', 'mathsf', 'mathsf', 'mathsf', 'mathtt'];
const greekBlocks = ['mathbf', '', 'mathbf', 'mathsf', 'mathsf'];

/** A letter of a mathematical alphabet as the plain letter and LaTeX's command; marks on it stay. */
function plainLetter(text: string): [letter: string, alphabet: string] | null {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const known = letterlike[first];
  if (known !== undefined) return [`${known[0]}${text.slice(first.length)}`, known[1]];
  const code = first.codePointAt(0) ?? 0;
  if (code < 0x1d400 || code > 0x1d7ff) return null;
  const alphabet = code < 0x1d6a4 ? latinBlocks[Math.floor((code - 0x1d400) / 52)] ?? '' : code < 0x1d6a8 ? '' : code < 0x1d7ca ? greekBlocks[Math.floor((code - 0x1d6a8) / 58)] ?? '' : ['mathbf', 'mathbb', 'mathsf', 'mathsf', 'mathtt'][Math.floor((code - 0x1d7ce) / 10)] ?? '';
  return [`${first.normalize('NFKC')}${text.slice(first.length)}`, alphabet];
}

/** The letters of one alphabet of mathematics as LaTeX's command for it, by the font; '' for usual letters. */
function alphabetOf({ font }: Word, text: string): string {
  if (!/^[A-Za-z0-9]$/u.test(text)) return '';
  if (/^MSBM|^(?:bbold|dsrom|txmiaX)|BlackBoard/i.test(font.name)) return 'mathbb';
  if (/^(?:CMSY|CMBSY|rsfs|EUSM|zplmsy|txsys?$)|(?:Math-Cal|MathCal|calligra)/i.test(font.name) && /[A-Z]/u.test(text)) return 'mathcal';
  if (/^EUFM/i.test(font.name)) return 'mathfrak';
  return font.bold ? 'mathbf' : '';
}

/** Letters that spell a word: upright, or several in a row in a text font. */
function isWordOf(word: Word, text: string): boolean {
  if (!/^\p{L}{2,}[.,:;]?$/u.test(text) || /[\u{1d400}-\u{1d7ff}]/u.test(text)) return false;
  return !isSlanted(word) && !(word.font.bold && isMathWord(word));
}

function symbolsOfWord(word: Word): Node[] {
  const text = word.text.normalize('NFC');
  const base = { baseline: word.baseline, size: word.size };
  if (isWordOf(word, word.text) || /^\d+(?:[.,]\d+)*$/u.test(word.text)) {
    const upright = /^\p{L}/u.test(text);
    const alphabet = word.font.bold && upright && !functionNames.has(text) ? 'mathbf' : '';
    return [{ kind: 'atom', text, upright, large: false, alphabet, ...base, box: inkOf(word) }];
  }
  return lettersOf(word).map(({ text: letter, box }): Node => {
    const [plain, alphabet] = plainLetter(letter) ?? [/^\p{M}|^[\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd]/u.test(letter) ? letter : letter.normalize('NFKC'), alphabetOf(word, letter)];
    return { kind: 'atom', text: plain === '' ? letter : plain, upright: false, large: false, alphabet, ...base, box };
  });
}

function inkOf(word: Word): Box {
  return word.letters === undefined || word.letters.length === 0 ? word.box : unionBox(word.letters);
}

/** Pieces of tall delimiters become one delimiter as high as all. */
function joinPieces(nodes: Node[]): Node[] {
  const isPiece = (node: Node): node is Node & { kind: 'atom' } => node.kind === 'atom' && pieces[node.text] !== undefined;
  const stacks: (Node & { kind: 'atom' })[][] = [];
  for (const node of [...nodes].filter(isPiece).sort((a, b) => a.box.top - b.box.top)) {
    const stack = stacks.find((one) => {
      const last = one.at(-1)!;
      return Math.abs(middleOf(last) - middleOf(node)) < 0.35 * node.size && node.box.top - last.box.bottom < touching * node.size && node.box.bottom > last.box.bottom;
    });
    if (stack === undefined) stacks.push([node]);
    else stack.push(node);
  }
  const joined = new Map<Node, Node | null>();
  for (const stack of stacks) {
    const text = stack.map((node) => pieces[node.text]!).find((sign) => sign !== '') ?? '|';
    const box = unionBox(stack.map((node) => node.box));
    joined.set(stack[0]!, { ...stack[0]!, text, box });
    for (const node of stack.slice(1)) joined.set(node, null);
  }
  return nodes.flatMap((node) => (joined.has(node) ? joined.get(node) ?? [] : [node]));
}

const middleOf = ({ box }: Node): number => (box.left + box.right) / 2;

/** Neighbouring words of a text font are one text: `if`, `for all`. Names of functions stay apart. */
function joinTexts(nodes: Node[]): Node[] {
  const result: Node[] = [];
  for (const node of fromLeft(nodes)) {
    const before = result.at(-1);
    const isText = (one: Node | undefined): one is Node & { kind: 'atom' } => one?.kind === 'atom' && one.upright && /^\p{L}{2}/u.test(one.text) && !functionNames.has(one.text);
    if (isText(node) && isText(before) && Math.abs(before.baseline - node.baseline) < 0.05 * node.size && node.box.left - before.box.right < 0.5 * node.size) {
      result[result.length - 1] = { ...before, text: `${before.text} ${node.text}`, box: unionBox([before.box, node.box]) };
    } else result.push(node);
  }
  return result;
}

/** The signs of the words of a formula, from left to right; delimiters around more than a letter are marked as large. */
export function symbolsOf(words: Word[]): Node[] {
  const nodes = joinTexts(joinPieces(words.flatMap(symbolsOfWord)));
  return nodes.map((node) => (node.kind === 'atom' && delimiter.test(node.text) && node.box.bottom - node.box.top > tall * node.size ? { ...node, large: true } : node));
}

/** Radical signs with the bars that begin where they end; a bar that the file draws as a sign is a bar. */
export function barsAmong(nodes: Node[], bars: Bar[]): { nodes: Node[]; bars: Bar[] } {
  const isDrawn = (node: Node): boolean => node.kind === 'atom' && /^[‾¯―—_–]$/u.test(node.text) && widthOf(node.box) > 0.8 * node.size && node.box.bottom - node.box.top < 0.12 * node.size;
  const drawn = nodes.filter(isDrawn).map(({ box }): Bar => ({ y: (box.top + box.bottom) / 2, left: box.left, right: box.right }));
  return drawn.length === 0 ? { nodes, bars } : { nodes: nodes.filter((node) => !isDrawn(node)), bars: [...bars, ...drawn] };
}
