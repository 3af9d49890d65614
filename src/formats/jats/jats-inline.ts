/** The words of a paper's paragraph: styles, links, formulas; notes and files that hang on it are kept apart. */
import { mathLatex, xmlMath } from '../mathml.js';
import type { FlowRun, RunStyle } from '../flow/flow-blocks.js';
import type { XmlElement } from '../xml.js';

const styles: Record<string, RunStyle> = {
  bold: { bold: true }, italic: { italic: true }, underline: { underline: true }, strike: { strikethrough: true }, sub: { script: 'sub' }, sup: { script: 'super' },
  monospace: { kind: 'code' }, code: { kind: 'code' },
};

/** What has no words for the reader: numbers of registers, files, marks of an index. */
const silent = new Set([
  'institution-id', 'contrib-id', 'object-id', 'media', 'alt-text', 'long-desc', 'index-term', 'private-char', 'target', 'milestone-start', 'milestone-end', 'processing-meta',
]);

/** LaTeX between a document's own preamble and end, as publishers wrap it. */
function bareLatex(text: string): string {
  const body = /\\begin\{document\}([\s\S]*?)\\end\{document\}/.exec(text)?.[1] ?? text;
  return body.trim().replace(/^(?:\$\$?|\\\(|\\\[)([\s\S]*?)(?:\$\$?|\\\)|\\\])$/, '$1').trim();
}

/** The formula of a `disp-formula` or `inline-formula`: LaTeX where it is given, else MathML. */
export function formulaOf(element: XmlElement): string {
  const alternatives = element.child('alternatives') ?? element;
  const tex = alternatives.child('tex-math') ?? element.child('tex-math');
  if (tex !== undefined) return bareLatex(tex.text);
  const math = alternatives.child('math') ?? element.child('math');
  return math === undefined ? '' : mathLatex(xmlMath(math));
}

/** The runs of an element; each block by `isBlock` is passed to `onBlock` in its place. */
export class JatsInlineReader {
  readonly #onBlock: ((element: XmlElement) => boolean) | undefined;

  constructor(onBlock?: (element: XmlElement) => boolean) {
    this.#onBlock = onBlock;
  }

  read(element: XmlElement, style: RunStyle = {}, runs: FlowRun[] = []): FlowRun[] {
    for (const node of element.children) {
      if (typeof node === 'string') runs.push({ ...style, text: node.replace(/[^\S\u00a0]+/g, ' ') });
      else if (!silent.has(node.name) && this.#onBlock?.(node) !== true) this.#element(node, style, runs);
    }
    return runs;
  }

  #element(node: XmlElement, style: RunStyle, runs: FlowRun[]): void {
    const { name } = node;
    if (name === 'break') runs.push({ ...style, text: '\n' });
    else if (name === 'inline-formula' || name === 'disp-formula') {
      const latex = formulaOf(node);
      if (latex !== '') runs.push({ kind: 'formula', text: latex });
      else if (node.child('alternatives') === undefined) this.read(node, style, runs);
    } else if (name === 'math') runs.push({ kind: 'formula', text: mathLatex(xmlMath(node)) });
    else if (name === 'tex-math') runs.push({ kind: 'formula', text: bareLatex(node.text) });
    else if (name === 'ext-link' || name === 'uri' || name === 'email') this.read(node, { ...style, ...linkStyle(node) }, runs);
    // The mark of a note, which many write without raising it.
    else if (name === 'xref' && /^(?:table-)?fn$/.test(node.get('ref-type') ?? '') && style.script === undefined) this.read(node, { ...style, script: 'super' }, runs);
    else this.read(node, { ...style, ...styles[name] }, runs);
  }
}

function linkStyle(node: XmlElement): RunStyle {
  const address = node.get('xlink:href') ?? (node.name === 'uri' ? node.text.trim() : '');
  return /^(?:https?|ftp|mailto):/i.test(address) ? { link: address } : {};
}

/** The words of an element without any style. */
export function plainWords(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  return new JatsInlineReader().read(element).map((run) => run.text).join('').replace(/\s+/g, ' ').trim();
}
