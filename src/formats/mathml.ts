/** MathML as LaTeX: the author's own LaTeX where the formula carries it, else its elements one by one. */
import { attribute, isElement, textOf } from './html/html-tree.js';
import type { Element } from './html/html-tree.js';
import { latexSymbol } from './office/latex-symbols.js';
import type { XmlElement } from './xml.js';

/** An element of a formula, whichever reader made it. */
export interface MathNode {
  /** Without prefix, in lower case. */
  name: string;
  /** All text below. */
  text: () => string;
  attribute: (name: string) => string | null;
  children: () => MathNode[];
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

/** A formula in a page. */
export function htmlMath(element: Element): MathNode {
  return {
    name: localName(element.tagName), text: () => textOf(element), attribute: (name) => attribute(element, name),
    children: () => element.childNodes.filter(isElement).map(htmlMath),
  };
}

/** A formula in an XML file. */
export function xmlMath(element: XmlElement): MathNode {
  return {
    name: localName(element.name), text: () => element.text, attribute: (name) => element.get(name) ?? null,
    children: () => [...element.elements()].map(xmlMath),
  };
}

const accents: Record<string, string> = {
  '^': 'hat', '\u02c6': 'hat', '\u0302': 'hat', '~': 'tilde', '\u02dc': 'tilde', '\u0303': 'tilde', '¯': 'bar', '\u0304': 'bar', '\u203e': 'overline', '_': 'underline',
  '\u02d9': 'dot', '\u0307': 'dot', '¨': 'ddot', '\u0308': 'ddot', '\u20d7': 'vec', '→': 'vec', '\u23de': 'overbrace', '\u23df': 'underbrace',
};
const functions = new Set('sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim limsup liminf max min sup inf det dim ker deg gcd arg mod'.split(' '));

function word(text: string): string {
  // Invisible operators and spaces of the notation have no LaTeX.
  const signs = [...text.replace(/[\u2061-\u2064\u200b\ufeff]/g, '')].map(latexSymbol);
  // A letter behind a command would be read as part of its name.
  return signs.map((sign) => (/^\\[A-Za-z]+$/.test(sign) ? `${sign} ` : sign)).join('');
}

function grouped(latex: string): string {
  const trimmed = latex.trim();
  return [...trimmed].length === 1 || /^\\[A-Za-z]+$/.test(trimmed) && !trimmed.startsWith('\\left') ? trimmed : `{${trimmed}}`;
}

function identifier(text: string, variant: string): string {
  if (functions.has(text)) return `\\${text} `;
  const written = word(text);
  const commands: Record<string, string> = {
    bold: 'mathbf', 'bold-italic': 'boldsymbol', 'double-struck': 'mathbb', script: 'mathcal', fraktur: 'mathfrak', 'sans-serif': 'mathsf', monospace: 'mathtt',
  };
  const command = commands[variant] ?? ((variant === 'normal' || [...text].length > 1) && /^[A-Za-z]+$/.test(text) ? 'mathrm' : undefined);
  return command === undefined ? written : `\\${command}{${written.trim()}}`;
}

class MathWriter {
  write(element: MathNode): string {
    const children = element.children();
    const at = (index: number): string => (children[index] === undefined ? '' : this.write(children[index]));
    const group = (index: number): string => grouped(at(index));
    const all = (): string => children.map((child) => this.write(child)).join('');
    switch (element.name) {
      case 'mi': return identifier(element.text().trim(), element.attribute('mathvariant') ?? '');
      case 'mn': return word(element.text().trim());
      case 'mo': return operator(element.text().trim());
      case 'mtext': case 'ms': return element.text().trim() === '' ? '\\ ' : `\\text{${element.text().replace(/\s+/g, ' ').replace(/([#$%&_{}])/g, '\\$1')}}`;
      case 'mspace': return '\\ ';
      case 'mfrac': return `\\frac{${at(0).trim()}}{${at(1).trim()}}`;
      case 'msqrt': return `\\sqrt{${all().trim()}}`;
      case 'mroot': return `\\sqrt[${at(1).trim()}]{${at(0).trim()}}`;
      case 'msup': return `${group(0)}^${group(1)}`;
      case 'msub': return `${group(0)}_${group(1)}`;
      case 'msubsup': return `${group(0)}_${group(1)}^${group(2)}`;
      case 'munder': return this.#under(children, at(0), at(1));
      case 'mover': return this.#over(children, at(0), at(1));
      case 'munderover': return `${at(0).trim()}_${group(1)}^${group(2)}`;
      case 'mfenced': return this.#fenced(element, children);
      case 'mtable': return `\\begin{matrix}${children.map((row) => this.write(row)).join(' \\\\ ')}\\end{matrix}`;
      case 'mtr': case 'mlabeledtr': return children.map((cell) => this.write(cell).trim()).join(' & ');
      case 'semantics': return at(0);
      case 'annotation': case 'annotation-xml': case 'mprescripts': case 'none': return '';
      case 'mphantom': return `\\phantom{${all()}}`;
      default: return all();
    }
  }

  #over(children: MathNode[], base: string, mark: string): string {
    const accent = accents[children[1] === undefined ? '' : children[1].text().trim()];
    return accent === undefined ? `\\overset{${mark.trim()}}{${base.trim()}}` : `\\${accent}{${base.trim()}}`;
  }

  #under(children: MathNode[], base: string, mark: string): string {
    const accent = accents[children[1] === undefined ? '' : children[1].text().trim()];
    if (accent !== undefined) return `\\${accent === 'bar' ? 'underline' : accent}{${base.trim()}}`;
    return `${base.trim()}_${grouped(mark)}`;
  }

  #fenced(element: MathNode, children: MathNode[]): string {
    const separator = [...(element.attribute('separators') ?? ',').trim()][0] ?? '';
    const inside = children.map((child) => this.write(child).trim()).join(word(separator));
    return `\\left${fence(element.attribute('open') ?? '(')}${inside}\\right${fence(element.attribute('close') ?? ')')}`;
  }
}

function fence(text: string): string {
  if (text.trim() === '') return '.';
  return operator(text.trim());
}

function operator(text: string): string {
  return functions.has(text) ? `\\${text} ` : word(text);
}

function findTex(element: MathNode): MathNode | null {
  for (const child of element.children()) {
    if (child.name === 'annotation' && /tex/i.test(child.attribute('encoding') ?? '')) return child;
    const found = child.name === 'semantics' || child.name === 'mrow' || child.name === 'mstyle' ? findTex(child) : null;
    if (found !== null) return found;
  }
  return null;
}

/** LaTeX of a `math` element, without its delimiters; empty where it holds nothing. */
export function mathLatex(element: MathNode): string {
  const own = findTex(element);
  const latex = own === null ? element.attribute('alttext') ?? new MathWriter().write(element) : own.text();
  return latex.trim().replace(/^\{\\displaystyle\s+([\s\S]*)\}$/, '$1').replace(/\s+/g, ' ').trim();
}
