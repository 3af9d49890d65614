/** Writes the tree of a formula as LaTeX, and as a readable line of text. */
import { latexSymbol } from '../../formats/office/latex-symbols.js';
import { smallSigns } from '../page/script-characters.js';
import type { Node } from './tree.js';

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
    case 'atom': return node.text;
    case 'fraction': return `${bracketed(formulaText(node.over))} / ${bracketedUnder(formulaText(node.under))}`;
    case 'root': return `√${bracketedUnder(formulaText(node.body))}`;
    case 'scripts': return `${node.base === null ? '' : textOfNode(node.base)}${scripted('_', formulaText(node.sub))}${scripted('^', formulaText(node.sup))}`;
    case 'limits': return `${textOfNode(node.base)}${scripted('_', formulaText(node.below))}${scripted('^', formulaText(node.above))}`;
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
  for (const char of text.normalize('NFD').match(/\P{M}\p{M}*/gu) ?? []) {
    const [base, ...marks] = [...char];
    const sign = marks.reduce((inner, mark) => (accents[mark] === undefined ? inner : `\\${accents[mark]}{${inner}}`), latexSymbol(base!));
    latex += /\\[A-Za-z]+$/.test(latex) && /^[A-Za-z0-9]/.test(sign) ? ` ${sign}` : sign;
  }
  return latex;
}

function atomLatex(text: string, upright: boolean): string {
  if (functions.has(text)) return `\\${text}`;
  return upright ? `\\operatorname{${text}}` : escaped(text);
}

function braced(latex: string): string {
  return `{${latex}}`;
}

function latexOfNode(node: Node): string {
  switch (node.kind) {
    case 'atom': return node.large ? `${/^[([{⌊⌈⟨]$/u.test(node.text) ? '\\bigl' : '\\bigr'}${escaped(node.text)}` : atomLatex(node.text, node.upright);
    case 'fraction': return `\\frac${braced(formulaLatex(node.over))}${braced(formulaLatex(node.under))}`;
    case 'root': return `\\sqrt${braced(formulaLatex(node.body))}`;
    case 'scripts': {
      const base = node.base === null ? '{}' : latexOfNode(node.base);
      return `${base}${node.sub.length === 0 ? '' : `_${braced(formulaLatex(node.sub))}`}${node.sup.length === 0 ? '' : `^${braced(formulaLatex(node.sup))}`}`;
    }
    case 'limits': return `${latexOfNode(node.base)}${node.below.length === 0 ? '' : `_${braced(formulaLatex(node.below))}`}${node.above.length === 0 ? '' : `^${braced(formulaLatex(node.above))}`}`;
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
