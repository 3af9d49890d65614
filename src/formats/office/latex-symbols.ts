/** Characters of formulas as LaTeX writes them. */
import { letterCount, lowerA, upperA } from '../character-codes.js';

const greek = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau upsilon varphi chi psi omega'.split(' ');
const capitals: Record<string, string> = {
  '\u0393': 'Gamma', '\u0394': 'Delta', '\u0398': 'Theta', '\u039b': 'Lambda', '\u039e': 'Xi', '\u03a0': 'Pi', '\u03a3': 'Sigma', '\u03a5': 'Upsilon', '\u03a6': 'Phi',
  '\u03a8': 'Psi', '\u03a9': 'Omega',
};

const commands: Record<string, string> = {
  ...Object.fromEntries(greek.map((name, index) => [String.fromCharCode(0x3b1 + index), name])),
  ...capitals,
  '\u2206': 'Delta', '\u00b5': 'mu', '\u2126': 'Omega', '\u03d1': 'vartheta', '\u03d5': 'phi', '\u03d6': 'varpi', '\u03f5': 'varepsilon', '\u03b5': 'varepsilon', '\u03bf': 'omicron',
  '\u00b1': 'pm', '\u2213': 'mp', '\u00d7': 'times', '\u00f7': 'div', '\u22c5': 'cdot', '\u00b7': 'cdot', '\u2217': 'ast', '\u2218': 'circ', '\u2219': 'bullet',
  '\u2264': 'leq', '\u2265': 'geq', '\u2260': 'neq', '\u2248': 'approx', '\u2261': 'equiv', '\u223c': 'sim', '\u2243': 'simeq', '\u2245': 'cong', '\u221d': 'propto',
  '\u226a': 'll', '\u226b': 'gg', '\u227a': 'prec', '\u227b': 'succ', '\u2208': 'in', '\u2209': 'notin', '\u220b': 'ni', '\u2282': 'subset', '\u2283': 'supset',
  '\u2286': 'subseteq', '\u2287': 'supseteq', '\u222a': 'cup', '\u2229': 'cap', '\u2216': 'setminus', '\u2205': 'emptyset', '\u2200': 'forall', '\u2203': 'exists',
  '\u2204': 'nexists', '\u00ac': 'neg', '\u2227': 'land', '\u2228': 'lor', '\u22a5': 'perp', '\u2225': 'parallel', '\u22a2': 'vdash', '\u22a8': 'models',
  '\u2190': 'leftarrow', '\u2192': 'rightarrow', '\u2194': 'leftrightarrow', '\u21d0': 'Leftarrow', '\u21d2': 'Rightarrow', '\u21d4': 'Leftrightarrow', '\u21a6': 'mapsto',
  '\u2191': 'uparrow', '\u2193': 'downarrow', '\u221e': 'infty', '\u2202': 'partial', '\u2207': 'nabla', '\u2211': 'sum', '\u220f': 'prod', '\u222b': 'int', '\u222e': 'oint',
  '\u221a': 'surd', '\u2220': 'angle', '\u2026': 'ldots', '\u22ef': 'cdots', '\u22ee': 'vdots', '\u22f1': 'ddots', '\u2032': 'prime', '\u2295': 'oplus', '\u2297': 'otimes',
  '\u2113': 'ell', '\u210f': 'hbar', '\u211c': 'Re', '\u2111': 'Im', '\u2135': 'aleph', '\u27e8': 'langle', '\u27e9': 'rangle', '\u2308': 'lceil', '\u2309': 'rceil',
  '\u230a': 'lfloor', '\u230b': 'rfloor', '\u2016': 'Vert', '\u22c6': 'star', '\u2234': 'therefore', '\u2235': 'because', '\u00b0': 'degree',
};

const doubleStruck: Record<string, string> = { '\u2102': 'C', '\u210d': 'H', '\u2115': 'N', '\u2119': 'P', '\u211a': 'Q', '\u211d': 'R', '\u2124': 'Z' };

/** Letters of the mathematical alphabets differ by their code alone: each alphabet has the upper-case letters, then the lower-case ones. */
const firstAlphabet = 0x1d400;
const alphabetsEnd = 0x1d6a4;
const lettersOfAlphabet = 2 * letterCount;
const alphabets = ['mathbf', '', 'mathbf', 'mathcal', 'mathcal', 'mathfrak', 'mathbb', 'mathfrak', 'mathsf', 'mathsf', 'mathsf', 'mathsf', 'mathtt'];

function alphabetLetter(code: number): string | null {
  if (code < firstAlphabet || code >= alphabetsEnd) return null;
  const alphabet = alphabets[Math.floor((code - firstAlphabet) / lettersOfAlphabet)] ?? '';
  const index = (code - firstAlphabet) % lettersOfAlphabet;
  const letter = String.fromCharCode(index < letterCount ? upperA + index : lowerA + index - letterCount);
  return alphabet === '' ? letter : `\\${alphabet}{${letter}}`;
}

/** One character in math mode. */
export function latexSymbol(char: string): string {
  const name = commands[char];
  if (name !== undefined) return `\\${name}`;
  if (Object.hasOwn(doubleStruck, char)) return `\\mathbb{${doubleStruck[char]}}`;
  if (char === '\u2212') return '-';
  if ('{}#$%&_'.includes(char)) return `\\${char}`;
  if (char === '\\') return '\\backslash';
  if (char === '^') return '\\hat{}';
  if (/[\u200b-\u200f\u2061-\u2064]/u.test(char)) return '';
  if (/\s/u.test(char)) return ' ';
  return alphabetLetter(char.codePointAt(0) ?? 0) ?? char;
}
