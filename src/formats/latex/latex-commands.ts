/** Which commands and environments of LaTeX mean what. */
import type { RunStyle } from '../flow/flow-blocks.js';

/** From the highest level down. */
export const sections = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'];
/** Environments that hold a formula. */
export const formulas = new Set(['equation', 'align', 'gather', 'multline', 'eqnarray', 'displaymath', 'math', 'flalign', 'alignat', 'dmath', 'subequations']);
/** Environments whose inside is text as it stands. */
export const verbatim = new Set(['verbatim', 'lstlisting', 'minted', 'Verbatim', 'alltt']);
/** Commands that put their argument in a style. */
export const styles: Record<string, RunStyle> = {
  textbf: { bold: true }, textit: { italic: true }, emph: { italic: true }, textsl: { italic: true }, underline: { underline: true }, uline: { underline: true }, texttt: { kind: 'code' },
  sout: { strikethrough: true }, st: { strikethrough: true }, textsuperscript: { script: 'super' }, textsubscript: { script: 'sub' }, textsc: {}, textrm: {}, textsf: {}, textnormal: {}, mbox: {}, text: {},
};
/** Commands that put the rest of their group in a style. */
export const declarations: Record<string, RunStyle> = {
  bf: { bold: true }, bfseries: { bold: true }, it: { italic: true }, itshape: { italic: true }, em: { italic: true }, sl: { italic: true }, tt: { kind: 'code' }, ttfamily: { kind: 'code' },
};
/** Commands whose arguments are for the typesetter alone, with how many they take. */
export const silent: Record<string, number> = {
  label: 1, vspace: 1, hspace: 1, pagestyle: 1, thispagestyle: 1, bibliographystyle: 1, bibliography: 1, input: 1, include: 1, usepackage: 1, documentclass: 1, setlength: 2, addtolength: 2,
  setcounter: 2, addtocounter: 2, graphicspath: 1, hypersetup: 1, color: 1, includepdf: 1, index: 1, glsadd: 1, cline: 1, cmidrule: 1, pagenumbering: 1, captionsetup: 1, definecolor: 3,
  newtheorem: 2, DeclareMathOperator: 2, newenvironment: 3, renewenvironment: 3, markboth: 2, markright: 1, phantom: 1, hphantom: 1, vphantom: 1, rule: 2, arraystretch: 0, fontsize: 2, selectfont: 0,
  tikzset: 1, lstset: 1, lstinputlisting: 1, bibinfo: 1, thanksref: 1, nocite: 1, rowcolor: 1, cellcolor: 1, columncolor: 1, resizebox: 2, scalebox: 1, rotatebox: 1, textcolor: 1, colorbox: 1, hyphenation: 1,
};
