/** Formulas from where their signs stand: fractions, roots, scripts, limits, as LaTeX and as a line of text; which lines are one, and which are not. */
import { unionBox } from '../../src/geometry/box.js';
import t from 'tap';
import { findFormulas } from '../../src/convert/formulas/find.js';
import { withHangingSigns } from '../../src/convert/formulas/hanging.js';
import { formulaTree } from '../../src/convert/formulas/tree.js';
import type { Bar } from '../../src/convert/formulas/tree.js';
import { formulaLatex, formulaText } from '../../src/convert/formulas/write.js';
import { lineOfWords } from '../../src/convert/page/text-line.js';
import { cleanCharacter } from '../../src/pdf/characters.js';
import { isSure } from '../../src/convert/formulas/sure.js';
import type { Font, Line, PageContent, Ruling, Word } from '../../src/pdf/pdf-page.js';

/** A word whose letters are half as wide as high, in a font of TeX: variables, signs, large signs or text. */
function word(text: string, left: number, baseline: number, { size = 10, font = 'CMMI10', top = 0.7, bottom = 0.05, glued = false } = {}): Word {
  return {
    text, box: { left, right: left + 0.5 * size * [...text].length, top: baseline - top * size, bottom: baseline + bottom * size }, baseline, size,
    font: { name: font, weight: 400, bold: false, italic: font === 'CMMI10', monospace: false, symbolic: false }, color: 0, angle: 0, glued, softHyphen: false, invisible: false,
    order: left, link: -1, underline: false, strike: false, mcid: -1,
  };
}
const sign = (text: string, left: number, baseline: number): Word => word(text, left, baseline, { font: 'CMSY10' });
const small = (text: string, left: number, baseline: number): Word => word(text, left, baseline, { size: 7 });

function written(words: Word[], bars: Bar[] = []): [string, string] {
  const tree = formulaTree(words, bars);
  return [formulaText(tree), formulaLatex(tree)];
}

t.test('fractions, also in fractions', (t) => {
  const simple = [word('a', 100, 100), sign('=', 108, 100), word('b', 120, 93), sign('+', 128, 93), word('c', 136, 93), word('d', 128, 107)];
  t.same(written(simple, [{ y: 97.5, left: 119, right: 142 }]), ['a = (b + c) / d', 'a = \\frac{b + c}{d}']);
  const nested = [word('x', 120, 80), word('p', 120, 94), word('q', 120, 106), sign('+', 130, 100), word('1', 138, 100, { font: 'CMR10' })];
  t.same(written(nested, [{ y: 83.5, left: 118, right: 146 }, { y: 97.5, left: 119, right: 126 }])[1], '\\frac{x}{\\frac{p}{q} + 1}');
  t.end();
});

t.test('matrices, cases and systems of equations: rows between tall delimiters, behind a brace, below each other', (t) => {
  const tall = (text: string, left: number): Word => word(text, left, 92, { font: 'CMEX10', top: 0.2, bottom: 2.6 });
  const cells = (left: number): Word[] => [word('a', left, 98), word('b', left + 20, 98), word('c', left, 112), word('d', left + 20, 112)];
  t.equal(written([word('A', 80, 105), sign('=', 90, 105), tall('(', 100), ...cells(108), tall(')', 136)])[1], 'A = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}');
  t.equal(written([word('f', 80, 105), sign('=', 90, 105), tall('{', 100), ...cells(108)])[1], 'f = \\begin{cases} a & b \\\\ c & d \\end{cases}');
  t.equal(written([tall('(', 100), word('n', 108, 98), word('k', 108, 112), tall(')', 114)])[1], '\\binom{n}{k}');
  t.equal(written([word('a', 100, 100), sign('=', 108, 100), word('b', 116, 100), sign('=', 108, 115), word('c', 116, 115)])[1], '\\begin{aligned} a = b \\\\ = c \\end{aligned}');
  t.end();
});

t.test('roots with a degree, lines above symbols, letters of alphabets, names of functions and text', (t) => {
  const root = [word('√', 100, 92, { font: 'CMSY10', top: 0.05, bottom: 0.95 }), word('3', 99, 94, { size: 5 }), word('x', 105.5, 100)];
  t.equal(written(root, [{ y: 91.6, left: 105, right: 111 }])[1], '\\sqrt[3]{x}');
  t.equal(written([word('z', 100, 100)], [{ y: 92, left: 99.5, right: 105.5 }])[1], '\\overline{z}');
  t.equal(written([word('ℝ', 100, 100, { font: 'LatinModernMath-Regular' }), word('𝐱', 108, 100, { font: 'LatinModernMath-Regular' }), word('𝛽', 116, 100, { font: 'LatinModernMath-Regular' })])[1], '\\mathbb{R}\\mathbf{x}\\beta');
  t.equal(written([word('x', 100, 100), word('for', 115, 100, { font: 'CMR10' }), word('all', 134, 100, { font: 'CMR10' })])[1], 'x \\; \\text{for all}');
  t.end();
});

t.test('a formula is sure unless a sign is unknown or symbols of one line stand on each other', (t) => {
  const sure = (words: Word[], bars: Bar[] = []): boolean => isSure(formulaTree(words, bars));
  t.ok(sure([word('a', 100, 100), sign('=', 108, 100), word('b', 120, 93), word('d', 120, 107)], [{ y: 97.5, left: 119, right: 127 }]));
  t.notOk(sure([word('a', 100, 100), sign('=', 108, 100), word('\ufffd', 116, 100)]), 'an unknown sign');
  t.notOk(sure([word('a', 100, 100), sign('=', 101, 102), word('b', 112, 100)]), 'signs on each other');
  t.end();
});

t.test('scripts: one above the other, in a row, in scripts', (t) => {
  t.same(written([word('σ', 100, 100), small('k', 105.5, 102.5), small('2', 105.5, 96), word('W', 120, 100), small('0', 125, 101.5)]), ['σₖ² W₀', '\\sigma_{k}^{2} \\; W_{0}']);
  t.same(written([word('e', 100, 100), small('−', 105.5, 96), small('x', 109.5, 96), word('2', 113.5, 93, { size: 5 })]), ['e^(−x²)', 'e^{- x^{2}}']);
  t.same(written([word('P', 100, 100), small('BC', 105.5, 96)]), ['P^(BC)', 'P^{BC}']);
  t.end();
});

t.test('roots with their bar, sums with their limits, names of functions, accents, large brackets', (t) => {
  const root = [word('√', 100, 92, { font: 'CMSY10', top: 0.05, bottom: 0.95 }), word('1', 105, 100, { font: 'CMR10' }), sign('−', 112, 100), word('p', 119, 100)];
  t.same(written(root, [{ y: 91.6, left: 105, right: 124.5 }]), ['√(1 − p)', '\\sqrt{1 - p}']);
  const sum = [
    word('∑', 100, 90, { font: 'CMEX10', size: 14, top: 0, bottom: 1 }), small('k', 98, 112), small('=1', 101.5, 112), small('n', 102, 86), word('π', 112, 100), small('k', 117, 101.5),
  ];
  t.same(written(sum), ['∑ₖ₌₁ⁿ πₖ', '\\sum_{k = 1}^{n}\\pi_{k}']);
  t.same(written([word('log', 100, 100, { font: 'CMR10' }), word('x', 117, 100)])[1], '\\log x');
  t.same(written([word('Var', 100, 100, { font: 'CMR10' }), word('μ\u0302', 117, 100)])[1], '\\operatorname{Var}\\hat{\\mu}');
  const bracket = (text: string, left: number): Word => word(text, left, 92, { font: 'CMEX10', top: 0, bottom: 1.8 });
  t.same(written([bracket('(', 100), word('h', 106, 100), bracket(')', 112)]), ['(h)', '\\left( h \\right)']);
  const stroke = (baseline: number): Word => word('|', 112, baseline, { font: 'CMEX10', top: 0, bottom: 0.6 });
  t.equal(written([word('h', 106, 100), stroke(89), stroke(95), stroke(101)])[0], 'h|', 'strokes of several signs are one');
  const bars = [word('|', 100, 83, { font: 'CMEX10', top: 0, bottom: 0.6 }), word('a', 106, 93), word('|', 100, 101, { font: 'CMEX10', top: 0, bottom: 0.6 }), word('b', 106, 108)];
  t.equal(written(bars, [{ y: 97, left: 99, right: 112 }])[0], '(| a) / (|b)', 'those apart are several');
  t.end();
});

function line(...words: Word[]): Line {
  return { words, box: unionBox(words.map(({ box }) => box)), baseline: words[0]!.baseline, size: Math.max(...words.map(({ size }) => size)), angle: 0 };
}

function prose(text: string, left: number, baseline: number): Line {
  let at = left;
  return line(...text.split(' ').map((part) => {
    const made = word(part, at, baseline, { font: 'CMR10' });
    at = made.box.right + 3;
    return made;
  }));
}

function page(lines: Line[], rulings: Ruling[] = []): PageContent {
  return {
    pageIndex: 0, width: 600, height: 800, rotation: 0, words: lines.flatMap(({ words }) => words), lines, rulings, boxes: [], images: [], drawings: [], links: [], structure: [],
    hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 }, unmappedCharacters: 0, characters: 100,
  };
}

const bar = (y: number, start: number, end: number): Ruling => ({ orientation: 'horizontal', position: y, start, end, thickness: 0.4, color: 0 });

t.test('what stands by itself is one formula with its number, what stands in the text is none', (t) => {
  const above = prose('It is well known that customers wait for some time in a queue', 50, 60);
  const below = line(...prose('which is less than', 50, 140).words, word('λ', 160, 140), sign('<', 168, 140), word('μ', 176, 140), ...prose('in every queue that is known', 186, 140).words);
  const display = [line(word('W', 220, 100), sign('=', 230, 100)), line(word('λ', 250, 93)), line(word('μ', 250, 107)), line(word('(1)', 540, 100, { font: 'CMR10' }))];
  const [found, ...more] = findFormulas(page([above, ...display, below], [bar(97.5, 248, 258)]), () => false);
  t.equal(more.length, 0);
  t.equal(found?.text, 'W = λ / μ (1)');
  t.equal(found?.latex, 'W = \\frac{\\lambda}{\\mu} \\tag{1}');
  t.equal(found?.words.length, 5);
  t.same(findFormulas(page([above, below]), () => false), []);
  const column = [60, 80, 100, 120, 140].map((y) => prose('as the other column has it', 280, y));
  const narrow = [prose('It is well known that customers', 50, 60), ...display.slice(0, 3)];
  t.equal(findFormulas(page([...narrow, ...column], [bar(97.5, 248, 258)]), () => false)[0]?.text, 'W = λ / μ', 'a column beside it is no neighbour');
  t.same(findFormulas(page([...narrow, column[2]!], [bar(97.5, 248, 258)]), () => false), [], 'a line beside it is');
  t.same(findFormulas(page([above, ...display, below], [bar(97.5, 248, 258)]), (each) => each.text === 'λ' || each.text === 'W' || each.text === 'μ'), [], 'the words of a table are left to it');
  t.end();
});

t.test('a limit under a sum may hold words', (t) => {
  const around = [prose('It is well known that customers wait for some time in a queue', 50, 60), prose('where the letters mean what was said', 50, 160)];
  const sum = word('∑', 240, 96, { font: 'CMEX10', top: 0, bottom: 1, size: 12 });
  const display = [line(word('P', 200, 104), sign('=', 215, 104), word('g', 262, 104)), line(sum), line(small('i', 228, 114), word('∈', 231.5, 114, { font: 'CMSY7', size: 7 }), word('C-mesons', 235, 114, { font: 'CMR7', size: 7 }))];
  const found = (lines: Line[]): string[] => findFormulas(page([...around, ...lines], []), () => false).map(({ text }) => text);
  t.same(found(display), ['P = ∑_(i∈C-mesons) g']);
  t.same(found([display[0]!, line(small('i', 228, 114), word('∈', 231.5, 114, { font: 'CMSY7', size: 7 }), word('C-mesons', 235, 114, { font: 'CMR7', size: 7 }))]), ['P = g'], 'such a line elsewhere is text');
  t.end();
});

t.test('formulas in faces for text: a relation with a script, a bar or a number, set in from the text', (t) => {
  const times = (text: string, left: number, baseline: number, size = 12): Word => word(text, left, baseline, { font: 'Times-Italic', size });
  const around = [...[60, 72, 84].map((y) => prose('It is well known that customers wait for some time in a queue', 50, y)), prose('where the letters mean what was said', 50, 160)];
  const sum = (left: number): Line[] => [line(times('E', left, 120), times('=', left + 10, 120), times('mc', left + 20, 120), times('2', left + 32.5, 115, 8), times('+', left + 42, 120))];
  const fraction = [line(times('a', 284, 112), times('+', 293, 112), times('b', 302, 112)), line(times('2c', 288, 128), { ...times('0', 300.5, 131, 8), glued: true })];
  const number = line(word('(3.1)', 493, 120, { font: 'Times-Roman' }));
  const found = (lines: Line[], rulings: Ruling[] = []): string[] => findFormulas(page([...around, ...lines], rulings), () => false).map(({ text }) => text);
  t.same(found([...sum(220), ...fraction, number], [bar(116, 282, 318)]), ['E = mc² + (a + b) / (2c₀) (3.1)']);
  t.same(found(sum(220)), ['E = mc² +'], 'a script is enough');
  t.same(found([line(times('F', 220, 120), times('=', 230, 120), times('ma', 240, 120)), number]), ['F = ma (3.1)'], 'so is a number at the margin');
  t.same(found([line(times('F', 220, 120), times('=', 230, 120), times('ma', 240, 120))]), [], 'a relation alone is not');
  t.same(found(sum(50)), [], 'nor is a line at the edge of the text');
  t.same(found([prose('Total = 12 apples', 220, 120), number]), [], 'nor are words');
  t.end();
});

t.test('a root in a line of text goes back into its line', (t) => {
  const host = line(...prose('The constant may be', 50, 100).words, word('1', 160, 100, { font: 'CMR10' }), sign('+', 168, 100), word('1', 185, 100, { font: 'CMR10' }), sign('−', 193, 100), word('p', 201, 100), ...prose('if they agree', 212, 100).words);
  const root = line(word('√', 180, 92, { font: 'CMSY10', top: 0.05, bottom: 0.95 }));
  const lines = withHangingSigns([root, host], [bar(91.6, 185, 206.5)]);
  t.equal(lines.length, 1);
  t.equal(lineOfWords(lines[0]!.words, [], () => '').text, 'The constant may be 1 + √(1 − p) if they agree');
  const torn = [line(...prose('It may be seen as a', 50, 100).words), line(word('√', 140, 92, { size: 20, font: 'CMSY10', top: 0.03, bottom: 0.47 })), line(word('π', 150, 100), word('x', 155, 100, { glued: true }), ...prose('behind it', 176, 100).words)];
  const seated = withHangingSigns(torn, [bar(91.6, 150, 160)]);
  t.same(seated.map(({ words }) => lineOfWords(words, [], () => '').text), ['It may be seen as a', '√(πx) behind it'], 'where its line is torn, with what it covers');
  const far = line(word('√', 180, 300, { font: 'CMSY10', top: 0.05, bottom: 0.95 }));
  t.equal(withHangingSigns([far, host], []).length, 2, 'what hangs nowhere stays');
  t.end();
});

t.test('scripts of variables and powers are small signs, marks of notes stay figures', (t) => {
  const text = (base: string, script: string, { font = 'CMMI10', raised = false, italic = false } = {}): string =>
    lineOfWords([word('so', 50, 100, { font: 'CMR10' }), { ...word(base, 70, 100, { font }), ...(italic && { font: { ...word(base, 70, 100, { font }).font, italic } }) }, word(script, 90, raised ? 96 : 101.5, { size: 7, font: 'CMR7', glued: true }), word('and', 110, 100, { font: 'CMR10' })], [], () => '').text;
  t.equal(text('W', '0'), 'so W₀ and');
  t.equal(text('x', '2', { raised: true }), 'so x² and');
  t.equal(text('10', '−6', { font: 'Times', raised: true }), 'so 10⁻⁶ and');
  t.equal(text('km', '2', { font: 'Times', raised: true }), 'so km² and');
  t.equal(text('Center', '1', { font: 'Times', raised: true }), 'so Center1 and');
  t.equal(text('2010', '1', { font: 'Times', raised: true }), 'so 20101 and');
  t.equal(text('x', 'max'), 'so xₘₐₓ and');
  t.equal(text('x', 'B'), 'so xB and', 'no small sign');
  t.equal(text('H', '2', { font: 'Times' }), 'so H₂ and', 'low is no mark');
  t.equal(text('H', '2', { font: 'Times', raised: true }), 'so H2 and');
  t.equal(text('Hall', 'a', { font: 'Times' }), 'so Halla and');
  t.equal(text('E=mc', '2', { font: 'Times', raised: true, italic: true }), 'so E=mc² and');
  t.equal(text('x', 'n+1', { font: 'Times', italic: true }), 'so xₙ₊₁ and');
  t.equal(text('Center', '1', { font: 'Times', raised: true, italic: true }), 'so Center1 and');
  t.end();
});

t.test('charges, electrons of shells and powers of what is in brackets are small signs in any font, marks of notes there are not', (t) => {
  const line = (...pieces: (string | [string])[]): string => {
    const words = pieces.map((piece, index) => (typeof piece === 'string'
      ? word(piece, 70 + 20 * index, 100, { font: 'Times', glued: index > 0 }) : word(piece[0], 70 + 20 * index, piece[0].startsWith('_') ? 101.5 : 96, { size: 7, font: 'Times', glued: true })));
    const seat = words.map((each) => ({ ...each, text: each.text.replace('_', '') }));
    return lineOfWords([word('a', 50, 100, { font: 'Times' }), ...seat, word('body', 300, 100, { font: 'Times' })].map((each, index) => (index === 1 ? { ...each, glued: false } : each)), [], () => '').text;
  };
  t.equal(line('Fe', ['2+']), 'a Fe²⁺ body');
  t.equal(line('Na', ['+'], ','), 'a Na⁺, body');
  t.equal(line('MnO', ['_4'], ['−']), 'a MnO₄⁻ body');
  t.equal(line('SO', ['_4'], ['2'], ['–']), 'a SO₄²⁻ body', 'its number and its sign apart');
  t.equal(line('mol', ['−1']), 'a mol⁻¹ body');
  t.equal(line('3d', ['5']), 'a 3d⁵ body');
  t.equal(line('1s', ['2'], '2s', ['2'], '2p', ['6']), 'a 1s²2s²2p⁶ body');
  t.equal(line('k[A]', ['2'], '[B]'), 'a k[A]²[B] body');
  t.equal(line('f(x)', ['2']), 'a f(x)² body');
  t.equal(line('(1+x)', ['3']), 'a (1+x)³ body');
  t.equal(line('Hall', ['1'], ['–'], ['3']), 'a Hall1–3 body', 'marks of notes from one to another');
  t.equal(line('(NATO)', ['2']), 'a (NATO)2 body');
  t.equal(line('word(s)', ['2']), 'a word(s)2 body');
  t.equal(line('[A]', ['2']), 'a [A]2 body');
  t.equal(line('I(a)', ['2']), 'a I(a)2 body');
  t.equal(line('13d', ['5']), 'a 13d5 body');
  t.end();
});

t.test('large signs of TeX are named by their codes', (t) => {
  const font: Font = { name: 'CMEX10', weight: 400, bold: false, italic: false, monospace: false, symbolic: true };
  t.same([0x58, 0x5a, 0x10, 0x13, 0x1a, 0x70].map((code) => cleanCharacter(code, font)), ['∑', '∫', '(', ')', '{', '√']);
  t.equal(cleanCharacter(0x28, font), '(', 'what the file names itself stays');
  t.equal(cleanCharacter(0x2211, font), '∑');
  t.equal(cleanCharacter(0x58, { ...font, name: 'CMR10' }), 'X');
  t.end();
});
