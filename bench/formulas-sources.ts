/** Random formulas over amsmath's vocabulary, and the documents that set them in twelve font set-ups. The truth of a formula is its source. */
import { randomFrom } from '../test/support/random.js';

/** Set-ups that may be seen, and those that are only measured. */
export interface SetUp {
  name: string;
  engine: 'pdflatex' | 'lualatex';
  preamble: string;
  seen: boolean;
}

const unicodeMath = (font: string): string => `\\usepackage{amsmath}\\usepackage{unicode-math}\\setmathfont{${font}}`;
const ams = '\\usepackage[T1]{fontenc}\\usepackage{amsmath}';

export const setUps: SetUp[] = [
  { name: 'computer-modern', engine: 'pdflatex', preamble: `\\usepackage{amsmath,amssymb}`, seen: true },
  { name: 'times', engine: 'pdflatex', preamble: `${ams}\\usepackage{amssymb}\\usepackage{mathptmx}`, seen: true },
  { name: 'newtx', engine: 'pdflatex', preamble: `${ams}\\usepackage{newtxtext,newtxmath}`, seen: true },
  { name: 'stix2', engine: 'pdflatex', preamble: `${ams}\\usepackage{stix2}`, seen: true },
  { name: 'latin-modern-math', engine: 'lualatex', preamble: unicodeMath('Latin Modern Math'), seen: true },
  { name: 'euler', engine: 'pdflatex', preamble: `${ams}\\usepackage{amssymb}\\usepackage{eulervm}`, seen: true },
  { name: 'latin-modern', engine: 'pdflatex', preamble: `${ams}\\usepackage{amssymb}\\usepackage{lmodern}`, seen: false },
  { name: 'palatino', engine: 'pdflatex', preamble: `${ams}\\usepackage{amssymb}\\usepackage{mathpazo}`, seen: false },
  { name: 'fourier', engine: 'pdflatex', preamble: `\\usepackage{amsmath}\\usepackage{fourier}`, seen: false },
  { name: 'libertinus', engine: 'pdflatex', preamble: `${ams}\\usepackage{libertine}\\usepackage{libertinust1math}`, seen: false },
  { name: 'termes-math', engine: 'lualatex', preamble: unicodeMath('texgyretermes-math.otf'), seen: false },
  { name: 'dejavu-math', engine: 'lualatex', preamble: unicodeMath('DejaVu Math TeX Gyre'), seen: false },
];

const variables = 'a b c d f g h i j k m n p q r s t u v w x y z A B C D E F G H K L M N P Q R S T U V X Y Z'.split(' ');
const greek = ['\\alpha', '\\beta', '\\gamma', '\\delta', '\\lambda', '\\mu', '\\sigma', '\\theta', '\\omega', '\\varphi', '\\pi', '\\rho', '\\xi', '\\psi', '\\Gamma', '\\Delta', '\\Omega', '\\Phi'];
const relations = ['=', '=', '=', '\\leq', '\\geq', '<', '>', '\\neq', '\\approx', '\\equiv', '\\in', '\\subseteq', '\\sim'];
const operators = ['+', '+', '-', '-', '\\cdot', '\\times', '\\pm'];

export class FormulaMaker {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)]!;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #atom(): string {
    const kind = this.#random();
    if (kind < 0.5) return this.#pick(variables);
    if (kind < 0.7) return this.#pick(greek);
    if (kind < 0.88) return String(Math.floor(this.#random() * (this.#chance(0.7) ? 10 : 200)));
    if (kind < 0.92) return `\\mathbf{${this.#pick(['x', 'A', 'E', 'v'])}}`;
    if (kind < 0.95) return `\\mathbb{${this.#pick(['R', 'N', 'Z', 'C'])}}`;
    if (kind < 0.97) return `\\mathcal{${this.#pick(['L', 'F', 'O', 'A'])}}`;
    return `\\${this.#pick(['hat', 'bar', 'tilde', 'vec', 'dot'])}{${this.#pick(['x', 'y', 'u', 'a', 'v'])}}`;
  }

  #scripted(): string {
    const letter = this.#pick([...variables, ...greek]);
    const kind = this.#random();
    const small = (): string => this.#pick(['i', 'j', 'k', 'n', '0', '1', '2', 'n+1', 'k-1', 'ij', '\\alpha', 'm', 't']);
    if (kind < 0.4) return `${letter}_{${small()}}`;
    if (kind < 0.75) return `${letter}^{${this.#pick(['2', '3', 'n', '-1', 'n+1', '2k', 'T', '*'])}}`;
    if (kind < 0.92) return `${letter}_{${small()}}^{${this.#pick(['2', 'n', '(k)', '*'])}}`;
    return this.#chance(0.5) ? `e^{${this.#pick(['-x^{2}', 'i\\pi', '-\\lambda t', 'x_{i}'])}}` : `${letter}'`;
  }

  /** A product or a sum of a few factors; `depth` bounds the nesting. */
  expression(depth: number): string {
    const terms = 1 + Math.floor(this.#random() * 3);
    let text = this.#term(depth);
    for (let count = 1; count < terms; count++) text += ` ${this.#pick(operators)} ${this.#term(depth)}`;
    return text;
  }

  #term(depth: number): string {
    const kind = this.#random();
    if (depth <= 0 || kind < 0.32) return this.#chance(0.5) ? this.#atom() : this.#scripted();
    if (kind < 0.5) return `${this.#scripted()} ${this.#atom()}`;
    if (kind < 0.66) return `\\frac{${this.expression(depth - 1)}}{${this.expression(depth - 1)}}`;
    if (kind < 0.74) return this.#chance(0.8) ? `\\sqrt{${this.expression(depth - 1)}}` : `\\sqrt[${this.#pick(['3', 'n', '4'])}]{${this.expression(depth - 1)}}`;
    if (kind < 0.84) return `\\left( ${this.expression(depth - 1)} \\right)${this.#chance(0.4) ? '^{2}' : ''}`;
    if (kind < 0.88) return `\\${this.#pick(['sin', 'cos', 'log', 'exp', 'ln'])}(${this.expression(0)})`;
    if (kind < 0.91) return `\\left| ${this.expression(depth - 1)} \\right|`;
    if (kind < 0.94) return `f(${this.#pick(variables)}, ${this.#pick(variables)})`;
    if (kind < 0.97) return `\\binom{${this.#pick(['n', 'N', 'm'])}}{${this.#pick(['k', 'r', '2'])}}`;
    return `\\overline{${this.#pick(['x + y', 'z', 'AB', 'z_{1}'])}}`;
  }

  #operator(): string {
    const kind = this.#random();
    if (kind < 0.4) return `\\${this.#pick(['sum', 'sum', 'prod'])}_{${this.#pick(['i', 'k', 'n', 'j'])}=${this.#pick(['0', '1'])}}^{${this.#pick(['n', 'N', '\\infty', 'k-1'])}}`;
    if (kind < 0.7) return `\\int_{${this.#pick(['0', 'a', '-\\infty'])}}^{${this.#pick(['1', 'b', '\\infty', '2\\pi'])}}`;
    if (kind < 0.8) return `\\lim_{${this.#pick(['n', 'x'])} \\to ${this.#pick(['0', '\\infty'])}}`;
    if (kind < 0.9) return `\\${this.#pick(['max', 'min', 'sup'])}_{${this.#pick(['x', 'y'])} \\in ${this.#pick(['X', 'A'])}}`;
    return `\\sum_{${this.#pick(['i', 'j'])}}`;
  }

  #matrix(): string {
    const [rows, columns] = [2 + Math.floor(this.#random() * 2), 2 + Math.floor(this.#random() * 2)];
    const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => (this.#chance(0.5) ? this.#atom() : this.#scripted())).join(' & '));
    const name = this.#pick(['pmatrix', 'bmatrix', 'vmatrix']);
    return `\\begin{${name}} ${cells.join(' \\\\ ')} \\end{${name}}`;
  }

  #cases(): string {
    const conditions = ['\\text{if } ', ''];
    const row = (): string => `${this.expression(0)} & ${this.#pick(conditions)}${this.#pick(variables)} ${this.#pick(['<', '>', '=', '\\geq'])} ${Math.floor(this.#random() * 9)}`;
    return `${this.#pick(['f', 'g', 'u'])}(x) = \\begin{cases} ${row()} \\\\ ${this.#chance(0.5) ? row() : `${this.expression(0)} & \\text{otherwise}`} \\end{cases}`;
  }

  #aligned(): string {
    const rows = 2 + Math.floor(this.#random() * 2);
    return `\\begin{aligned} ${Array.from({ length: rows }, (_, at) => `${at === 0 || this.#chance(0.4) ? this.expression(1) : ''} &= ${this.expression(1)}`).join(' \\\\ ')} \\end{aligned}`;
  }

  /** A formula for a line of its own. */
  display(): string {
    const kind = this.#random();
    if (kind < 0.45) return `${this.expression(1)} ${this.#pick(relations)} ${this.expression(2)}`;
    if (kind < 0.7) return `${this.#scripted()} = ${this.#operator()} ${this.expression(1)}`;
    if (kind < 0.78) return `${this.#pick(['A', 'M', 'J'])} = ${this.#matrix()}`;
    if (kind < 0.85) return this.#cases();
    if (kind < 0.92) return this.#aligned();
    return `${this.expression(1)} ${this.#pick(relations)} ${this.expression(1)} \\quad \\text{${this.#pick(['for all', 'where', 'and'])} } ${this.#pick(variables)} ${this.#pick(['\\in \\mathbb{R}', '> 0', '\\neq 0'])}`;
  }

  /** A formula in a line of text. */
  inline(): string {
    const kind = this.#random();
    if (kind < 0.3) return this.#scripted();
    if (kind < 0.8) return `${this.expression(0)} ${this.#pick(relations)} ${this.expression(0)}`;
    if (kind < 0.9) return `\\frac{${this.#atom()}}{${this.#atom()}}`;
    return `\\sqrt{${this.expression(0)}}`;
  }
}

export interface FormulaDocument {
  tex: string;
  displays: string[];
  inlines: string[];
}

const words = 'the harbour keeps its lights through winter and boats return when tide allows them to pass old wall near market where people of town wait for news about ships that sail under grey sky with cargo from distant islands'.split(' ');

/** Pages that repeat their text at one height would have running headers. */
function sentence(random: () => number): string {
  const chosen = Array.from({ length: 14 + Math.floor(random() * 12) }, () => words[Math.floor(random() * words.length)]!).join(' ');
  return `${chosen[0]!.toUpperCase()}${chosen.slice(1)}`;
}

/** A document of `count` formulas of each kind between lines of text; every third display has a number. */
export function formulaDocument({ preamble }: SetUp, seed: number, count: number): FormulaDocument {
  const maker = new FormulaMaker(seed);
  const displays = Array.from({ length: count }, () => maker.display());
  const inlines = Array.from({ length: count }, () => maker.inline());
  const random = randomFrom(seed + 1);
  const body = displays.map((display, at) => {
    const name = at % 3 === 0 ? 'equation' : 'equation*';
    return `Formula ${at} stands here. ${sentence(random)} until stop ${at}.\n\\begin{${name}} ${display} \\end{${name}}\nInline ${at} has $${inlines[at]!}$ in its line. ${sentence(random)}.\n`;
  });
  return { tex: `\\documentclass[11pt,a4paper]{article}\n${preamble}\n\\begin{document}\n${body.join('\n')}\n\\end{document}\n`, displays, inlines };
}
