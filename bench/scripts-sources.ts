/** Made pages with superscripts, subscripts and note marks, and pages without any, in twelve font set-ups of TeX, browsers and Writer. The truth is the source. */
import { randomFrom } from '../test/support/random.js';

export interface ScriptSetUp {
  name: string;
  program: 'pdflatex' | 'lualatex' | 'chromium' | 'soffice';
  /** Of TeX the preamble, of the others the font's name and size. */
  font: string;
  /** Whether the rules were made with its pages in view; the others are only measured. */
  seen: boolean;
}

export const scriptSetUps: ScriptSetUp[] = [
  { name: 'tex-computer-modern', program: 'pdflatex', font: '\\documentclass[10pt]{article}', seen: true },
  { name: 'tex-times', program: 'pdflatex', font: '\\documentclass[11pt]{article}\\usepackage{mathptmx}', seen: true },
  { name: 'tex-latin-modern-two', program: 'lualatex', font: '\\documentclass[10pt,twocolumn]{article}\\usepackage{fontspec}', seen: true },
  { name: 'chromium-serif', program: 'chromium', font: 'Liberation Serif;16px', seen: true },
  { name: 'writer-serif', program: 'soffice', font: 'Liberation Serif;11pt', seen: true },
  { name: 'writer-carlito', program: 'soffice', font: 'Carlito;12pt', seen: true },
  { name: 'tex-palatino', program: 'pdflatex', font: '\\documentclass[12pt]{article}\\usepackage{mathpazo}', seen: false },
  { name: 'tex-libertine', program: 'pdflatex', font: '\\documentclass[11pt]{article}\\usepackage{libertine}', seen: false },
  { name: 'tex-newtx-two', program: 'pdflatex', font: '\\documentclass[10pt,twocolumn]{article}\\usepackage{newtxtext,newtxmath}', seen: false },
  { name: 'tex-termes-report', program: 'lualatex', font: '\\documentclass[12pt]{report}\\usepackage{fontspec}\\setmainfont{TeX Gyre Termes}', seen: false },
  { name: 'chromium-sans', program: 'chromium', font: 'DejaVu Sans;13px', seen: false },
  { name: 'writer-noto', program: 'soffice', font: 'Noto Sans;10pt', seen: false },
];

/** A part of a line: plain, a script, a note with its text, or a look that is no script. */
export type Part = { kind: 'plain' | 'super' | 'sub'; text: string } | { kind: 'note'; text: string; number: number } | { kind: 'caps' | 'bold' | 'italic' | 'small' | 'logo' | 'large'; text: string };

/** A checked expression stands between two words that occur once. */
export interface Expression {
  before: string;
  behind: string;
  parts: Part[];
}

export interface ScriptDocument {
  /** Paragraphs of parts, page by page. */
  pages: Part[][][];
  expressions: Expression[];
}

const plain = (text: string): Part => ({ kind: 'plain', text });
const up = (text: string): Part => ({ kind: 'super', text });
const down = (text: string): Part => ({ kind: 'sub', text });

const words = 'the harbour keeps its lights through winter and boats return when tide allows them to pass old wall near market where people of town wait for news about ships that sail under grey sky with cargo from distant islands'.split(' ');
const syllables = 'ba ke ti lo mu na ri so ve da pe ki go fu zo'.split(' ');

/** A name that no other number has. */
function nameOf(number: number): string {
  const spoken = [number % 15, Math.floor(number / 15) % 15, Math.floor(number / 225) % 15].map((digit) => syllables[digit]!).join('');
  return `${spoken[0]!.toUpperCase()}${spoken.slice(1)}x`;
}

const kinds: ((pick: <Value>(values: readonly Value[]) => Value, digit: () => number) => Part[])[] = [
  (pick, digit) => [plain(`${digit()}${digit()} ${pick(['m', 'cm', 'km', 'mm'])}`), up(pick(['2', '3']))],
  (_, digit) => [plain(`${digit()}.${digit()} kg m`), up('−1'), plain(' s'), up('−2')],
  (pick, digit) => [plain(`${digit()} × 10`), up(`${pick(['', '−'])}${digit()}${pick(['', '2'])}`)],
  () => [plain('H'), down('2'), plain('O')],
  (pick) => [plain(pick(['CO', 'SO', 'NO'])), down('2')],
  () => [plain('Fe'), down('2'), plain('O'), down('3')],
  () => [plain('Ca'), up('2+')],
  () => [plain('C'), down('6'), plain('H'), down('12'), plain('O'), down('6')],
  (pick) => pick([[up('14'), plain('C')], [up('238'), plain('U')], [up('3'), plain('He')]]),
  (pick) => pick([[plain('1'), up('st')], [plain('2'), up('nd')], [plain('3'), up('rd')], [plain('4'), up('th')], [plain('21'), up('st')]]),
  (_, digit) => [plain('known'), up(`${digit()},${digit()}`)],
  (_, digit) => [plain('shown'), up(`${digit()}–${1}${digit()}`), plain('.')],
  (pick) => [plain('town'), up(pick(['a', 'b', 'c', '*', '†']))],
  (pick, digit) => [plain(pick(['x', 'y', 'v', 'T'])), down(`${digit()}`)],
  (pick) => [plain(pick(['k', 'T', 'E'])), down(pick(['max', 'min', 'B', 'in']))],
  (pick, digit) => [plain(`1${digit()}.${digit()}`), up(pick(['1', '2', '3']))],
];

class PageMaker {
  readonly expressions: Expression[] = [];
  readonly #random: () => number;
  #name = 0;
  #note = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  readonly pick = <Value>(values: readonly Value[]): Value => values[Math.floor(this.#random() * values.length)]!;
  readonly digit = (): number => 1 + Math.floor(this.#random() * 9);

  prose(least: number): string {
    return Array.from({ length: least + Math.floor(this.#random() * 6) }, () => this.pick(words)).join(' ');
  }

  #expression(): Part[] {
    const [before, behind] = [nameOf(this.#name++), nameOf(this.#name++)];
    const parts: Part[] = this.#random() < 0.15
      ? [plain(this.pick(words)), { kind: 'note', number: ++this.#note, text: `${nameOf(this.#name++)} ${this.prose(6)}.` }]
      : this.pick(kinds)(this.pick, this.digit);
    this.expressions.push({ before, behind, parts });
    return [plain(`${before} `), ...parts, plain(` ${behind} ${this.prose(3)}. `)];
  }

  scripted(): Part[][] {
    return Array.from({ length: 6 }, () => Array.from({ length: 4 }, () => [plain(`${sentenceCase(this.prose(5))} `), ...this.#expression()]).flat());
  }

  #look(): Part {
    const text = this.pick(words);
    const kind = this.pick(['caps', 'bold', 'italic', 'small', 'large', 'logo', 'quoted', 'number'] as const);
    if (kind === 'quoted') return plain(`“${text}”`);
    if (kind === 'number') return plain(this.pick(['1/2', '10.11', '2,5 %', '§ 12', '25 °C', 'a)', '3–4', 'No. 7', '(1998)', 'H2', '50 %']));
    return { kind, text: kind === 'logo' ? 'LaTeX' : kind === 'caps' ? sentenceCase(text) : text };
  }

  /** Pages that repeat their text at one height would have running headers. */
  without(): Part[][] {
    return Array.from({ length: 7 }, () => [plain(sentenceCase(this.prose(4))), ...Array.from({ length: 8 }, () => [plain(` ${this.prose(2)} `), this.#look()]).flat(), plain(` ${this.prose(4)}.`)]);
  }
}

function sentenceCase(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

export function scriptDocument(seed: number, pageCount: number, isScripted: boolean): ScriptDocument {
  const maker = new PageMaker(seed);
  const pages = Array.from({ length: pageCount }, () => (isScripted ? maker.scripted() : maker.without()));
  return { pages, expressions: maker.expressions };
}

const escapedForTex: Record<string, string> = { '%': '\\%', '&': '\\&', '§': '\\S{}', '°': '\\textdegree{}', '×': '$\\times$', '−': '\\ensuremath{-}', '–': '--', '“': '``', '”': "''", '*': '*', '†': '\\textdagger{}', _: '\\_' };
const texText = (text: string): string => text.replace(/[%&§°×−–“”†_]/gu, (sign) => escapedForTex[sign] ?? sign);
/** Half of the simple variables are formulas. */
const mathText = (text: string): string => text.replace(/\p{L}{2,}/gu, (letters) => `\\mathrm{${letters}}`).replaceAll('−', '-').replaceAll('–', '\\text{--}').replaceAll('†', '\\dagger ');

function texPart(part: Part, at: number): string {
  const text = texText(part.text);
  switch (part.kind) {
    case 'plain': return text;
    case 'super': return at % 2 === 0 ? `\\textsuperscript{${text}}` : `$^{${mathText(part.text)}}$`;
    case 'sub': return at % 2 === 0 ? `\\textsubscript{${text}}` : `$_{${mathText(part.text)}}$`;
    case 'note': return `\\footnote{${text}}`;
    case 'caps': return `\\textsc{${text}}`;
    case 'bold': return `\\textbf{${text}}`;
    case 'italic': return `\\emph{${text}}`;
    case 'small': return `{\\small ${text}}`;
    case 'large': return `{\\large ${text}}`;
    case 'logo': return '\\LaTeX{}';
  }
}

export function texSource({ font }: ScriptSetUp, { pages }: ScriptDocument): string {
  const body = pages.map((page, number) => page.map((paragraph, at) => paragraph.map((part) => texPart(part, at + number)).join('')).join('\n\n')).join('\n\n\\newpage\n\n');
  return `${font}\\usepackage[a4paper,margin=25mm]{geometry}\\usepackage{amsmath,textcomp}\\sloppy\\hyphenpenalty=10000\n\\begin{document}\n${body}\n\\end{document}\n`;
}

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function htmlPart(part: Part): string {
  const text = xmlText(part.text);
  switch (part.kind) {
    case 'plain': case 'logo': return text;
    case 'super': return `<sup>${text}</sup>`;
    case 'sub': return `<sub>${text}</sub>`;
    case 'note': return `<sup>${part.number}</sup>`;
    case 'caps': return `<span style="font-variant: small-caps">${text}</span>`;
    case 'bold': return `<b>${text}</b>`;
    case 'italic': return `<i>${text}</i>`;
    case 'small': return `<small>${text}</small>`;
    case 'large': return `<big>${text}</big>`;
  }
}

export function htmlSource({ font }: ScriptSetUp, { pages }: ScriptDocument): string {
  const [family, size] = font.split(';');
  const body = pages.map((page) => {
    const notes = page.flat().flatMap((part) => (part.kind === 'note' ? [`<p class="note"><sup>${part.number}</sup> ${xmlText(part.text)}</p>`] : []));
    return `<section>${page.map((paragraph) => `<p>${paragraph.map(htmlPart).join('')}</p>`).join('\n')}<footer>${notes.join('\n')}</footer></section>`;
  });
  return `<!DOCTYPE html><meta charset="utf-8"><style>@page { size: A4; margin: 20mm } body { font: ${size} "${family}"; line-height: 1.3; margin: 0 } section { break-after: page; height: 250mm; position: relative }
footer { position: absolute; bottom: 0; border-top: 1px solid } .note { font-size: 80%; margin: 2px } p { text-align: justify }</style>${body.join('\n')}`;
}

const writerStyles: Record<string, string> = {
  super: 'style:text-position="super 58%"', sub: 'style:text-position="sub 58%"', caps: 'fo:font-variant="small-caps"', bold: 'fo:font-weight="bold"', italic: 'fo:font-style="italic"', small: 'fo:font-size="80%"', large: 'fo:font-size="120%"',
};

function writerPart(part: Part): string {
  const text = xmlText(part.text).replaceAll(/ (?= )|^ | $/gu, '<text:s/>');
  if (part.kind === 'plain' || part.kind === 'logo') return text;
  if (part.kind !== 'note') return `<text:span text:style-name="${part.kind}">${text}</text:span>`;
  return `<text:note text:id="n${part.number}" text:note-class="footnote"><text:note-citation>${part.number}</text:note-citation><text:note-body><text:p text:style-name="Footnote">${text}</text:p></text:note-body></text:note>`;
}

export function writerSource({ font }: ScriptSetUp, { pages }: ScriptDocument): string {
  const [family, size] = font.split(';');
  const paragraph = (name: string, more: string, text: string): string => `<style:style style:name="${name}" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="6pt" ${more}/><style:text-properties style:font-name="F" fo:font-size="${text}"/></style:style>`;
  const styles = Object.entries(writerStyles).map(([name, properties]) => `<style:style style:name="${name}" style:family="text"><style:text-properties ${properties}/></style:style>`).join('');
  const body = pages.map((page) => page.map((parts, at) => `<text:p text:style-name="${at === 0 ? 'First' : 'Text'}">${parts.map(writerPart).join('')}</text:p>`).join('')).join('');
  return `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text"><office:font-face-decls><style:font-face style:name="F" svg:font-family="'${family}'"/></office:font-face-decls><office:styles><style:style style:name="Footnote" style:family="paragraph"><style:text-properties style:font-name="F" fo:font-size="9pt"/></style:style><style:style style:name="Anchor" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style><text:notes-configuration text:note-class="footnote" text:citation-style-name="Anchor" text:citation-body-style-name="Anchor" style:num-format="1"/></office:styles><office:automatic-styles>${styles}${paragraph('Text', '', size ?? '11pt')}${paragraph('First', 'fo:break-before="page"', size ?? '11pt')}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document>`;
}
