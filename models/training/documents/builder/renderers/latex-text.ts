/** Texts, formulas and headings of a document as LaTeX, each leaf in a colour of its own. */
import { inlineBits } from '../kinds.js';
import type { Maths, Run } from '../flow.js';

/** Characters that LaTeX reads as commands, and some that its fonts know by name only. */
const escapes: Record<string, string> = {
  '\\': '\\textbackslash{}', '#': '\\#', $: '\\$', '%': '\\%', '&': '\\&', _: '\\_', '{': '\\{', '}': '\\}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}', '<': '\\textless{}', '>': '\\textgreater{}',
  '|': '\\textbar{}', '"': '\\textquotedbl{}', '€': '\\texteuro{}', '£': '\\pounds{}', '\u00a0': '~', '\u202f': '~', '\u2009': '\\,', '−': '$-$', '×': '$\\times$', '±': '$\\pm$', '≤': '$\\leq$', '≥': '$\\geq$', '→': '$\\rightarrow$', '•': '\\textbullet{}', '…': '\\dots{}',
  '\u00ad': '\\-', '\u200b': '', '°': '\\textdegree{}', 'µ': '\\textmu{}', '·': '$\\cdot$', '√': '$\\surd$', '∞': '$\\infty$', 'α': '$\\alpha$', 'β': '$\\beta$', 'γ': '$\\gamma$', 'δ': '$\\delta$', 'λ': '$\\lambda$', 'μ': '$\\mu$', 'π': '$\\pi$', 'σ': '$\\sigma$', 'Δ': '$\\Delta$', 'Σ': '$\\Sigma$',
};
const operators: Record<string, string> = { '∑': '\\sum', '∫': '\\int', '∏': '\\prod', '×': '\\times', '⋅': '\\cdot', '·': '\\cdot', '≤': '\\leq', '≥': '\\geq', '≠': '\\neq', '≈': '\\approx', '→': '\\to', '∞': '\\infty', '∂': '\\partial', '∇': '\\nabla', '∈': '\\in', '−': '-', '±': '\\pm' };
const greek: Record<string, string> = { α: 'alpha', β: 'beta', γ: 'gamma', δ: 'delta', ε: 'epsilon', θ: 'theta', κ: 'kappa', λ: 'lambda', μ: 'mu', ν: 'nu', π: 'pi', ρ: 'rho', σ: 'sigma', τ: 'tau', φ: 'phi', χ: 'chi', ψ: 'psi', ω: 'omega', Δ: 'Delta', Σ: 'Sigma', Ω: 'Omega', Φ: 'Phi', Γ: 'Gamma' };

export type ColorOf = (leaf: number) => string;

export function escapeText(text: string): string {
  return [...text].map((character) => escapes[character] ?? character).join('');
}

/** `\n` becomes a line break. Both runs colour every leaf, so that they differ in nothing but the colours. */
export function writeRun({ text, leaf, inline }: Run, color: ColorOf): string {
  let out = text.split('\n').map(escapeText).join('\\\\{}');
  const has = (tag: string): boolean => (inline & inlineBits[tag]!) !== 0;
  if (has('code')) out = `\\texttt{${out}}`;
  if (has('i')) out = `\\textit{${out}}`;
  if (has('b')) out = `\\textbf{${out}}`;
  if (has('sup')) out = `\\textsuperscript{${out}}`;
  if (has('sub')) out = `\\textsubscript{${out}}`;
  return `{\\color[HTML]{${color(leaf)}}${out}}`;
}

export function writeRuns(runs: readonly Run[], color: ColorOf): string {
  return `\\leavevmode ${runs.map((run) => writeRun(run, color)).join('')}`;
}

/** Lines of code: spaces are kept, each line is one. */
export function writeCode(runs: readonly Run[], color: ColorOf): string {
  const lines = runs.map(({ text, leaf }) => text.replace(/\n$/u, '').split('\n').map((line) => `{\\color[HTML]{${color(leaf)}}${[...line].map((character) => (character === ' ' ? '~' : escapeText(character))).join('')}}`).join('\\\\\n')).join('');
  return `\\leavevmode ${lines}`;
}

export function writeMaths(maths: Maths, color: ColorOf): string {
  const { op, run, parts } = maths;
  if (run !== undefined) return `{\\color[HTML]{${color(run.leaf)}}${symbol(op, run.text)}}`;
  const inner = parts.map((part) => writeMaths(part, color));
  const [a = '', b = '', c = ''] = inner;
  switch (op) {
    case 'mfrac':
      return `\\frac{${a}}{${b}}`;
    case 'msup': case 'mover':
      return `{${a}}^{${b}}`;
    case 'msub': case 'munder':
      return `{${a}}_{${b}}`;
    case 'msubsup': case 'munderover':
      return `{${a}}_{${b}}^{${c}}`;
    case 'msqrt':
      return `\\sqrt{${inner.join('')}}`;
    case 'mroot':
      return `\\sqrt[${b}]{${a}}`;
    case 'mtable':
      return `\\begin{matrix}${inner.join('\\\\')}\\end{matrix}`;
    case 'mtr':
      return inner.join('&');
    default:
      return inner.join('');
  }
}

function symbol(op: string, text: string): string {
  const named = operators[text] ?? (greek[text] === undefined ? undefined : `\\${greek[text]}`);
  if (named !== undefined) return named;
  const plain = escapeText(text);
  return op === 'mtext' ? `\\text{${plain}}` : [...text].length > 1 && op === 'mi' ? `\\mathrm{${plain}}` : plain;
}
