/** Writes the tree of a formula as LaTeX, and as a readable line of text. */
import { latexSymbol } from '../../formats/office/latex-symbols.js';
import { smallSigns } from '../page/script-characters.js';
import type { Atom, Node } from './nodes.js';

const functions = new Set('sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim limsup liminf max min sup inf det dim ker gcd arg deg hom Pr'.split(' '));
const relation = /^[=≠≡≈≃≅∼∝<>≤≥≪≫⊂⊆⊃⊇∈∉∋→⇒←⇐↔⇔↦:≔|]$/u;
const binary = /^[+−±∓×·÷∗∘∪∩∧∨⊕⊗]$/u;

/** In ems: white space that the author wrote as a space. */
const wide = 0.55;

function isTight(text: string): boolean {
  return /^√?[\p{L}\p{N}.]+$/u.test(text) || /^√?\(.*\)$/u.test(text) && !/\).*\(/u.test(text);
}

function bracketed(text: string): string {
  return isTight(text) ? text : `(${text})`;
}

/** Behind a slash and under a root a product would be ambiguous: only a number or one letter with its scripts stands there without brackets. */
function bracketedUnder(text: string): string {
  return /^√?(?:\d+|\p{L}[₀-₉⁰-⁹¹²³ₐ-ₜ]*)$/u.test(text) || /^√?\([^()]*\)$/u.test(text) ? text : `(${text})`;
}

function scripted(mark: '^' | '_', text: string): string {
  if (text === '') return '';
  return smallSigns(text, mark === '_' ? 'sub' : 'sup') ?? `${mark}${[...text].length === 1 ? text : `(${text})`}`;
}

function textOfNode(node: Node): string {
  switch (node.kind) {
    case 'atom': return node.text.normalize('NFKC');
    case 'fraction': return `${bracketed(formulaText(node.over))} / ${bracketedUnder(formulaText(node.under))}`;
    case 'root': return `${scripted('^', formulaText(node.degree))}√${bracketedUnder(formulaText(node.body))}`;
    case 'line': return formulaText(node.body);
    case 'scripts': return `${node.base === null ? '' : textOfNode(node.base)}${scripted('_', formulaText(node.sub))}${scripted('^', formulaText(node.sup))}`;
    case 'limits': return `${textOfNode(node.base)}${scripted('_', formulaText(node.below))}${scripted('^', formulaText(node.above))}`;
    case 'delimited': return `${node.open}${formulaText(node.body)}${node.close}`;
    case 'grid': return node.rows.map((row) => row.map(formulaText).filter((cell) => cell !== '').join(' ')).join(', ');
    case 'rows': return node.rows.map(formulaText).join(' ');
  }
}

/** Whether white space separates two neighbours: the page shows it, or one of them is an operator between two others. */
function isApart(left: Node, right: Node): boolean {
  const size = Math.max(left.size, right.size);
  const gap = right.box.left - left.box.right;
  if (left.kind === 'fraction' || right.kind === 'fraction' || left.kind === 'limits') return gap > 0.05 * size && !opens(left);
  return gap > 0.13 * size;
}

function opens(node: Node): boolean {
  return node.kind === 'atom' && /^[([{]$/.test(node.text);
}

/** One line of text: fractions with a slash, scripts in Unicode's superscript and subscript characters if these exist. */
export function formulaText(nodes: Node[]): string {
  let text = '';
  for (const [index, node] of nodes.entries()) {
    const before = nodes[index - 1];
    if (before !== undefined && isApart(before, node)) text += ' ';
    text += textOfNode(node);
  }
  return text.replace(/ {2,}/g, ' ').replace(/\( /g, '(').replace(/ ([),.;])/g, '$1').trim();
}

const accents: Record<string, string> = { '\u0302': 'hat', '\u0303': 'tilde', '\u0304': 'bar', '\u0307': 'dot', '\u0308': 'ddot', '\u030c': 'check', '\u20d7': 'vec' };

function escaped(text: string): string {
  let latex = '';
  for (const char of text.normalize('NFD').replaceAll('\u2215', '/').match(/\P{M}\p{M}*/gu) ?? []) {
    const [base, ...marks] = [...char];
    const sign = marks.reduce((inner, mark) => (accents[mark] === undefined ? inner : `\\${accents[mark]}{${inner}}`), latexSymbol(base!));
    latex += /\\[A-Za-z]+$/.test(latex) && /^[A-Za-z0-9]/.test(sign) ? ` ${sign}` : sign;
  }
  return latex;
}

/** Words in a text font: the name of a function, or text. */
function atomLatex({ text, upright, alphabet }: Atom): string {
  if (functions.has(text)) return `\\${text}`;
  if (upright && /^\p{L}{2,4}$/u.test(text) && alphabet === '' && !/^(?:if|and|for|or|on|in|as|is|to|by|at|of|so|with|when|else|then)$/u.test(text)) return `\\operatorname{${text}}`;
  if (upright && /\p{L}{2}/u.test(text)) return `\\text{${text.replace(/([{}#$%&_])/g, '\\$1')}}`;
  const latex = escaped(text);
  return alphabet === '' ? upright && /^\p{Lu}$/u.test(text) ? `\\mathrm{${latex}}` : latex : `\\${alphabet}{${latex}}`;
}

const leftDelimiters: Record<string, string> = { '(': '(', '[': '[', '{': '\\{', '⌊': '\\lfloor', '⌈': '\\lceil', '⟨': '\\langle', '|': '|', '∣': '|', '‖': '\\|', '∥': '\\|', '': '.', ')': ')', ']': ']', '}': '\\}', '⌋': '\\rfloor', '⌉': '\\rceil', '⟩': '\\rangle' };
const matrices: Record<string, string> = { '()': 'pmatrix', '[]': 'bmatrix', '||': 'vmatrix', '{}': 'Bmatrix', '‖‖': 'Vmatrix', '∣∣': 'vmatrix', '∥∥': 'Vmatrix', '{': 'cases' };

function environment(name: string, rows: string[]): string {
  return `\\begin{${name}} ${rows.join(' \\\\ ')} \\end{${name}}`;
}

function gridLatex(node: Node & { kind: 'grid' }, name: string): string {
  const rows = node.rows.map((row) => (name === 'cases' && row.length > 2 ? [row[0]!, row.slice(1).flat()] : row).map(formulaLatex).join(' & '));
  return environment(name, rows);
}

/** A pair of delimiters: around a grid, LaTeX's environment for both. Two rows of one column between parentheses are a binomial coefficient. */
function delimitedLatex(node: Node & { kind: 'delimited' }): string {
  const [only] = node.body;
  if (node.body.length === 1 && only?.kind === 'grid') {
    const name = matrices[`${node.open}${node.close}`];
    if (name === 'pmatrix' && only.rows.length === 2 && only.rows.every((row) => row.length === 1)) return `\\binom${braced(formulaLatex(only.rows[0]![0]!))}${braced(formulaLatex(only.rows[1]![0]!))}`;
    if (name !== undefined) return gridLatex(only, name);
  }
  return `\\left${leftDelimiters[node.open] ?? '.'} ${formulaLatex(node.body)} \\right${leftDelimiters[node.close] ?? '.'}`;
}

function braced(latex: string): string {
  return `{${latex}}`;
}

function latexOfNode(node: Node): string {
  const script = (mark: string, part: Node[]): string => (part.length === 0 ? '' : `${mark}${braced(formulaLatex(part))}`);
  switch (node.kind) {
    case 'atom': return node.large ? `${/^[([{⌊⌈⟨]$/u.test(node.text) ? '\\bigl' : '\\bigr'}${leftDelimiters[node.text] ?? escaped(node.text)}` : atomLatex(node);
    case 'fraction': return `\\frac${braced(formulaLatex(node.over))}${braced(formulaLatex(node.under))}`;
    case 'root': return `\\sqrt${node.degree.length === 0 ? '' : `[${formulaLatex(node.degree)}]`}${braced(formulaLatex(node.body))}`;
    case 'line': return `\\${node.above ? 'overline' : 'underline'}${braced(formulaLatex(node.body))}`;
    case 'scripts': return `${node.base === null ? '{}' : latexOfNode(node.base)}${script('_', node.sub)}${script('^', node.sup)}`;
    case 'limits': return `${latexOfNode(node.base)}${script('_', node.below)}${script('^', node.above)}`;
    case 'delimited': return delimitedLatex(node);
    case 'grid': return gridLatex(node, 'matrix');
    case 'rows': return environment('aligned', node.rows.map(formulaLatex));
  }
}

function isOperator(node: Node): boolean {
  return node.kind === 'atom' && (relation.test(node.text) || binary.test(node.text));
}

/** LaTeX for a display formula. Words among the symbols are text; the caller adds the number of the equation. */
export function formulaLatex(nodes: Node[]): string {
  let latex = '';
  for (const [index, node] of nodes.entries()) {
    const part = latexOfNode(node);
    const before = nodes[index - 1];
    const operator = isOperator(node);
    const gap = before === undefined ? 0 : node.box.left - before.box.right;
    if (before !== undefined && gap > wide * Math.max(node.size, before.size) && !operator && !isOperator(before)) latex += gap > 1.3 * node.size ? ' \\quad ' : ' \\; ';
    else if (operator || /\\[A-Za-z]+$/.test(latex) && /^[A-Za-z0-9]/.test(part)) latex += ' ';
    latex += part;
    if (operator) latex += ' ';
  }
  return latex.replace(/ {2,}/g, ' ').trim();
}
