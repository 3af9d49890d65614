/** Inserts fractions into their lines of text, as one word with a slash. */
import { fromLeft } from '../page/group-by-baseline.js';
import { unionBox } from '../../geometry/box.js';
import { fractionsOf, standsBeside } from '../../pdf/index.js';
import type { Fraction } from '../../pdf/index.js';
import type { Line, Ruling, Word } from '../../pdf/pdf-page.js';
import { isMathWord } from '../page/script-characters.js';
import { formulaTree } from './tree.js';
import { formulaText } from './write.js';

/** Characters: a longer fraction is a display formula, or not a fraction. */
const mostLetters = 60;

/** Numbers and variables; words only beside an operator, or with text on both sides: a caption under a signature line is not a denominator. */
function isMathematical({ bar, over, under }: Fraction, lines: Line[]): boolean {
  const words = [...over, ...under];
  if (words.reduce((sum, { text }) => sum + text.length, 0) > mostLetters) return false;
  if (words.every((word) => isMathWord(word) || !/\p{L}{4}/u.test(word.text))) return true;
  const beside = lines.flatMap((line) => line.words.filter((word) => standsBeside(bar, word)));
  const before = beside.filter(({ box }) => box.left < bar.start).sort((a, b) => b.box.right - a.box.right)[0];
  const behind = fromLeft(beside.filter(({ box }) => box.left >= bar.start))[0];
  return before !== undefined && behind !== undefined || /[=≠≡≈≃≅∼∝<>≤≥≪≫+−±×÷·∗→⇒⇔]$/u.test(before?.text ?? '') || /^[=≠≡≈≃≅∼∝<>≤≥≪≫+−±×÷·∗→⇒⇔]/u.test(behind?.text ?? '');
}

/** With its roots, whose bars are among `rulings`. */
function wordOf({ bar, over, under, beside }: Fraction, rulings: Ruling[]): Word {
  const words = [...over, ...under];
  const around = unionBox(words.map(({ box }) => box));
  const bars = rulings.filter(({ orientation, position, start, end }) => orientation === 'horizontal' && position > around.top - 3 && position < around.bottom && start > around.left - 3 && end < Math.max(around.right, bar.end) + 3);
  const text = formulaText(formulaTree(words, bars.map(({ position, start, end }) => ({ y: position, left: start, right: end }))));
  const box = { left: bar.start, right: bar.end, top: beside.box.top, bottom: beside.box.bottom };
  return { ...over[0]!, text: text.replace(/^(\d+) \/ (\d+)$/, '$1/$2'), box, baseline: beside.baseline, size: beside.size, glued: false, underline: false, strike: false };
}

/** The line with the fraction at its place. It touches only brackets and stops: `a / b` before `c` is not `a / bc`. */
function insert(words: Word[], fraction: Word): Word[] {
  const at = words.findIndex((word) => word.box.left > fraction.box.left);
  const index = at < 0 ? words.length : at;
  const before = words[index - 1];
  const result = words.map((word, place) => (place === index ? { ...word, glued: /^[)\]},.;:!?]/.test(word.text) && word.box.left - fraction.box.right < 0.4 * fraction.size } : word));
  result.splice(index, 0, { ...fraction, glued: before !== undefined && /[([{]$/.test(before.text) && fraction.box.left - before.box.right < 0.4 * fraction.size });
  return result;
}

const lineOf = (word: Word): Line => ({ words: [word], box: word.box, baseline: word.baseline, size: word.size, angle: 0 });

/** Makes fractions words of the lines on whose axis their bars lie; the text before and behind a fraction becomes one line. */
export function withFractionsInLine(lines: Line[], rulings: Ruling[]): Line[] {
  const fractions = fractionsOf(lines, rulings).filter((fraction) => isMathematical(fraction, lines));
  if (fractions.length === 0) return lines;
  const parts = new Set(fractions.flatMap(({ over, under }) => [...over, ...under]));
  let rest = lines.flatMap((line) => {
    const words = line.words.filter((word) => !parts.has(word));
    return words.length === line.words.length ? [line] : words.length === 0 ? [] : [{ ...line, words }];
  });
  for (const fraction of fractions) {
    const hosts = rest.filter(({ words, angle }) => angle === 0 && words.some((word) => word === fraction.beside || standsBeside(fraction.bar, word)));
    const [first] = [...hosts].sort((a, b) => b.words.length - a.words.length);
    if (first === undefined) {
      rest.push(lineOf(wordOf(fraction, rulings)));
      continue;
    }
    const words = insert(fromLeft(hosts).flatMap((line) => line.words), wordOf(fraction, rulings));
    const joined = { ...first, words, box: unionBox(words.map(({ box }) => box)) };
    rest = rest.flatMap((line) => (line === first ? [joined] : hosts.includes(line) ? [] : [line]));
  }
  return rest;
}
