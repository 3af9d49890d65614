/** The tree of a formula. */
import type { Box } from '../../pdf/pdf-page.js';

/** A symbol or a word of a formula, as it is read. */
export interface Atom {
  kind: 'atom';
  text: string;
  /** In a font for names of functions and for words, not for variables. */
  upright: boolean;
  /** One of the large delimiters, which are as high as their content. */
  large: boolean;
  /** LaTeX's command for the alphabet of a letter, `mathbf`, `mathcal`; '' for usual letters. */
  alphabet: string;
}

export type Node = Placed & (
  | Atom
  | { kind: 'fraction'; over: Node[]; under: Node[]; bar: boolean }
  | { kind: 'root'; degree: Node[]; body: Node[] }
  | { kind: 'line'; above: boolean; body: Node[] }
  | { kind: 'scripts'; base: Node | null; sub: Node[]; sup: Node[] }
  | { kind: 'limits'; base: Node; below: Node[]; above: Node[] }
  | { kind: 'delimited'; open: string; close: string; body: Node[] }
  | { kind: 'grid'; rows: Node[][][] }
  | { kind: 'rows'; rows: Node[][] }
);

/** Where a node stands; `baseline` is y of the line it stands on, `size` in points. */
interface Placed {
  box: Box;
  baseline: number;
  size: number;
}

/** A horizontal stroke that may be the bar of a fraction or of a root. */
export interface Bar {
  y: number;
  left: number;
  right: number;
}

/** In ems: the height above the baseline of the axis on which bars of fractions lie (TeX's is 0.25). */
export const axis = 0.25;
/** Relative to the larger size: a smaller symbol off the line is a script. */
export const scriptSize = 0.86;
/** Deeper nesting is a drawing rather than a formula. */
export const maxDepth = 12;

export const largeOperator = /^[∑∏∫∬∭∮⋃⋂⋀⋁⨁⨂⨀⨄⨆∐]$/u;
/** Operators of several letters whose limits stand below them. */
export const limitWord = /^(?:lim|max|min|sup|inf|arg ?max|arg ?min|lim ?sup|lim ?inf|det|gcd|Pr)$/;

/** The axis of a node: of a fraction its bar, of delimiters and large operators their middle, of others a quarter em above the baseline. */
export function axisOf(node: Node): number {
  const isCentred = node.kind === 'grid' || node.kind === 'delimited' || node.kind === 'atom' && (node.large || largeOperator.test(node.text) && !/^[⋃⋂]$/u.test(node.text));
  return isCentred ? (node.box.top + node.box.bottom) / 2 : node.baseline - axis * node.size;
}

/** The size of the letters of a row: large operators and delimiters may be set in larger ones. */
export function rowSize(nodes: Node[]): number {
  const plain = nodes.filter((node) => node.kind !== 'limits' && !(node.kind === 'atom' && (node.large || largeOperator.test(node.text) || node.text === '√')));
  return Math.max(...(plain.length === 0 ? nodes : plain).map((node) => node.size));
}
