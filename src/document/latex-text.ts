/** How text is written in LaTeX: every character stands for itself, formulas only where they are formulas and no programs. */
import type { Formatting } from './model.js';
import { isScript } from './safe-addresses.js';

const escapes: Record<string, string> = {
  '\\': '\\textbackslash{}', '{': '\\{', '}': '\\}', $: '\\$', '&': '\\&', '#': '\\#', '%': '\\%', _: '\\_', '^': '\\textasciicircum{}', '~': '\\textasciitilde{}',
  '<': '\\textless{}', '>': '\\textgreater{}', '`': '\\textasciigrave{}',
  // After \item and \\ a bracket would begin an argument.
  '[': '{[}', ']': '{]}',
};

/** Control characters, which TeX refuses; white space among them becomes a space. */
function withoutControls(text: string): string {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]/g, ' ').replace(/\p{Cc}/gu, '');
}

/** Text of one line: special characters escaped, and those kept apart that fonts join to others (`--`, `''`, `,,`). */
export function escapeLatex(text: string): string {
  return withoutControls(text).replace(/[\\{}$&#%_^~<>`[\]]/g, (character) => escapes[character] as string).replace(/([-',])(?=\1)/g, '$1{}');
}

/** Text whose lines stay lines. Empty lines, which would end the paragraph, are left out. */
export function escapeLines(text: string): string {
  // The braces keep a star at the beginning of the next line from being an argument of the line break.
  return text.split(/\r?\n/).filter((line) => line.trim() !== '').map(escapeLatex).join('\\\\{}\n');
}

/** An address as the argument of \href, also within the arguments of other commands. */
export function latexAddress(address: string): string {
  const encoded = address.replace(/[^A-Za-z0-9:/?=.,;@!*'()+\-_&#%]/gu, (character) => (character === '~' ? '%7E' : encodeURIComponent(/^\p{Cs}$/u.test(character) ? '\ufffd' : character)));
  return encoded.replace(/[_&#%]/g, '\\$&');
}

/** A command around text; white space at the ends stays outside. */
function command(name: string, text: string): string {
  const core = text.trim();
  if (core === '') return text;
  const start = text.length - text.trimStart().length;
  return `${text.slice(0, start)}\\${name}{${core}}${text.slice(start + core.length)}`;
}

/** Emphasis, scripts and link around text that is escaped already. */
export function decorateLatex(text: string, formatting: Formatting | null, hyperlink: string | null): string {
  let result = text;
  if (formatting?.script === 'sub') result = command('textsubscript', result);
  if (formatting?.script === 'super') result = command('textsuperscript', result);
  if (formatting?.bold === true) result = command('textbf', result);
  if (formatting?.italic === true) result = command('textit', result);
  if (formatting?.underline === true) result = command('uline', result);
  if (formatting?.strikethrough === true) result = command('sout', result);
  return hyperlink === null || hyperlink === '' || isScript(hyperlink) || result.trim() === '' ? result : `\\href{${latexAddress(hyperlink)}}{${result}}`;
}

/** Commands that read or write files, run programs, or change what follows: no formula needs them, and the document is a stranger's. */
const programming = new Set([
  'input', 'include', 'includegraphics', 'import', 'subimport', 'verbatiminput', 'lstinputlisting', 'openin', 'openout', 'closein', 'closeout', 'read', 'readline', 'write', 'immediate',
  'special', 'pdfobj', 'pdfliteral', 'directlua', 'latelua', 'luaexec', 'luadirect', 'ShellEscape', 'catcode', 'lccode', 'uccode', 'def', 'edef', 'gdef', 'xdef', 'let', 'futurelet', 'csname',
  'scantokens', 'expandafter', 'newcommand', 'renewcommand', 'providecommand', 'DeclareMathOperator', 'newenvironment', 'renewenvironment', 'newread', 'newwrite', 'usepackage', 'RequirePackage',
  'loop', 'repeat', 'everymath', 'everydisplay', 'everypar', 'aftergroup', 'afterassignment', 'end', 'endinput', 'output', 'shipout', 'loggingall', 'tracingall', 'par',
]);

const environment = /\\(begin|end)\s*\{([A-Za-z]+\*?)\}/g;
/** Environments within a formula. */
const innerEnvironments = /^(?:[pbBvV]?matrix\*?|smallmatrix|array|cases|dcases|rcases|aligned|alignedat|gathered|split|substack|subarray)$/;
/** Those that are a formula of their own. */
const outerEnvironments = /^(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath)\*?$/;

/** Whether braces, \left with \right and environments open and close in order. */
function isBalanced(tex: string): boolean {
  const open: string[] = [];
  for (const [token, , kind, name] of tex.matchAll(/(\\(begin|end)\s*\{([A-Za-z]+\*?)\}|\\left\b|\\right\b|\\.|[{}])/gs)) {
    if (kind === 'begin') open.push(name as string);
    else if (token === '{' || token === '\\left') open.push(token);
    else if (kind === 'end' && open.pop() !== name) return false;
    else if (token === '}' && open.pop() !== '{') return false;
    else if (token === '\\right' && open.pop() !== '\\left') return false;
  }
  return open.length === 0;
}

/** Commands of formulas that LaTeX and amsmath have; the list only keeps definitions short that do nothing. */
const usualCommands = new Set(`alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi
  Pi Sigma Upsilon Phi Psi Omega frac dfrac tfrac sqrt sum prod int iint oint lim sup inf max min log ln exp sin cos tan left right big Big bigg Bigg begin text mathrm mathbf mathit mathcal mathbb
  mathsf operatorname overline underline hat bar tilde vec dot ddot cdot cdots ldots dots times div pm mp le leq ge geq ne neq approx equiv sim simeq cong propto in notin subset subseteq cup cap
  forall exists to rightarrow leftarrow Rightarrow Leftarrow leftrightarrow mapsto infty partial nabla quad qquad binom limits nolimits not langle rangle lfloor rfloor lceil rceil mid parallel perp
  circ bullet star ast oplus otimes wedge vee neg emptyset ell hbar Re Im prime angle displaystyle textstyle tag overset underset stackrel overbrace underbrace boldsymbol`.split(/\s+/u));

/** Commands of these formulas that TeX may not know, as definitions for the preamble that change none that it knows: an author's own ones are shown by their names. */
export function* missingCommands(formulas: Iterable<string>): Generator<string> {
  const done = new Set(usualCommands);
  for (const formula of formulas) {
    for (const [, name] of safeFormula(formula)?.tex.matchAll(/\\([A-Za-z]+)/g) ?? []) {
      if (done.has(name as string)) continue;
      done.add(name as string);
      yield `\\providecommand{\\${name}}{\\operatorname{${name}}}\n`;
    }
  }
}

export interface LatexFormula {
  tex: string;
  /** Whether an environment makes it a displayed formula already. */
  isDisplayed: boolean;
}

/** The TeX of a formula as it can stand in a document; null where it would break the document around it or is a program. */
export function safeFormula(text: string): LatexFormula | null {
  const tex = text.replace(/\p{Cc}+/gu, (controls) => (/\s/.test(controls) ? ' ' : '')).replace(/(?<!\\)((?:\\\\)*)%/g, '$1\\%').trim();
  if (tex === '' || tex.includes('^^') || /(?<!\\)(?:\\\\)*[$#]/.test(tex) || !isBalanced(tex)) return null;
  const environments = [...tex.matchAll(environment)].map(([, , name]) => name as string);
  const withoutEnvironments = tex.replace(environment, ' ');
  const isUnsafe = [...withoutEnvironments.matchAll(/\\([A-Za-z@]+)/g)].some(([, name]) => programming.has(name as string)) || /\\(?:begin|[()[\]])/.test(withoutEnvironments.replace(/\\\\/g, ' '));
  if (isUnsafe) return null;
  if (environments.length === 0 && /(?<!\\)&/.test(tex)) return null;
  const [first] = environments;
  const isDisplayed = first !== undefined && outerEnvironments.test(first) && tex.startsWith('\\begin') && tex.endsWith(`{${first}}`);
  const inner = isDisplayed ? environments.filter((name) => name !== first) : environments;
  return inner.every((name) => innerEnvironments.test(name)) ? { tex, isDisplayed } : null;
}

/** Code within a line, and where an environment cannot stand. */
export function typewriter(code: string): string {
  return `\\texttt{${escapeLatex(code).replace(/ (?= )/g, '\\ ')}}`;
}

const tabWidth = 4;

/** A block of code as it stands. */
export function codeBlock(code: string): string {
  const plain = code.replace(/\r\n?/g, '\n').replace(/\t/g, ' '.repeat(tabWidth)).replace(/[^\P{Cc}\n]/gu, '');
  if (!/\\end\s*\{verbatim\}/.test(plain)) return `\\begin{verbatim}\n${plain}\n\\end{verbatim}`;
  const lines = plain.split('\n').map((line) => `\\texttt{${escapeLatex(line).replace(/ /g, '\\ ')}}`);
  return `\\begin{flushleft}\n${lines.join('\\\\{}\n')}\n\\end{flushleft}`;
}
