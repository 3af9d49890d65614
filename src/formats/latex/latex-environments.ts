/** Environments whose inside is taken as it stands: formulas of several lines, and code. */
import type { FlowRun } from '../flow/flow-blocks.js';
import { languageName } from '../flow/programming-languages.js';
import type { LatexNumbers } from './latex-numbers.js';

/** The LaTeX of a formula's environment; what is aligned keeps its environment. */
export function formulaOf(bare: string, inside: string): string {
  const aligned = /^(?:align|flalign|alignat|eqnarray|gather|multline)/.test(bare) && /&|\\\\/.test(inside);
  const name = bare === 'eqnarray' || bare === 'flalign' ? 'align' : bare;
  return aligned ? `\\begin{${name}}${inside}\\end{${name}}` : inside;
}

/** The code of a `verbatim`, `lstlisting` or `minted`, without its options. */
export function codeOf(bare: string, inside: string): { text: string; language: string | undefined } {
  const options = /^\s*\[([^\]]{0,500})\]/.exec(inside);
  const behind = inside.slice(options?.[0].length ?? 0);
  const minted = bare === 'minted' ? /^\s*\{([^}]{0,50})\}/.exec(behind) : null;
  const language = minted?.[1] ?? /language\s*=\s*\{?([\w+#-]+)/.exec(options?.[1] ?? '')?.[1] ?? '';
  return { text: behind.slice(minted?.[0].length ?? 0).replace(/^(?:[^\S\n]*\n)+|\s+$/g, ''), language: languageName(language) };
}

/** What a reference prints: the number of its label, between brackets for formulas; the key where the text has no such label. */
export function referenceText(name: string, key: string, labels: Map<string, string>): string {
  const parts = key.split(',').map((part) => part.trim()).map((part) => (name === 'pageref' || name === 'nameref' ? part : labels.get(part) ?? part));
  const shown = parts.join(', ');
  return name === 'eqref' ? `(${shown})` : shown;
}

/** What a citation prints: the marks of its entries, and the author's note. */
export function citationText(keys: string, note: string | null, citations: Map<string, string>): string {
  const marks = keys.split(',').map((key) => key.trim()).filter((key) => key !== '').map((key) => citations.get(key) ?? key);
  return `[${marks.join(', ')}${note === null || note === '' ? '' : `, ${note}`}]`;
}

/** What TeX prints where a theorem or a proof begins at `place`: `Theorem 1.2 (name).`; nothing for other environments. */
export function openingRuns(name: string, title: string | null, place: number, { labels, theorems, theoremNumbers }: LatexNumbers): FlowRun[] {
  const shown = title?.replace(/\\((?:eq|auto|[cC])?ref)\{([^{}]{1,200})\}/g, (_, command: string, key: string) => referenceText(command, key, labels)).replace(/\\[A-Za-z]+\s*|[{}~]/g, ' ').replace(/\s+/g, ' ').trim();
  if (name === 'proof') return [{ text: `${shown ?? 'Proof'}.`, italic: true }, { text: ' ' }];
  const printed = theorems.get(name);
  if (printed === undefined) return [];
  const number = theoremNumbers.get(place);
  const head = `${printed}${number === undefined ? '' : ` ${number}`}`;
  if (shown === undefined) return [{ text: `${head}.`, bold: true }, { text: ' ' }];
  return [{ text: head, bold: true }, { text: ` (${shown}). ` }];
}
