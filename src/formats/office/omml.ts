/** Equations of the office formats (OMML) as LaTeX. */
import type { XmlElement } from '../xml.js';
import { latexSymbol } from './latex-symbols.js';
import { toggle } from './office-package.js';

const accents: Record<string, string> = {
  '\u0302': 'hat', '^': 'hat', '\u0303': 'tilde', '~': 'tilde', '\u0304': 'bar', '\u0305': 'overline', '\u0306': 'breve', '\u0307': 'dot', '\u0308': 'ddot',
  '\u030c': 'check', '\u0301': 'acute', '\u0300': 'grave', '\u20d7': 'vec', '\u2192': 'vec', '\u20db': 'dddot', '\u20d6': 'overleftarrow', '\u00af': 'bar',
};
const groupers: Record<string, string> = { '\u23de': 'overbrace', '\u23df': 'underbrace', '\u2192': 'overrightarrow', '\u2190': 'overleftarrow', '\u23b4': 'overbracket', '\u23b5': 'underbracket' };
const operators: Record<string, string> = {
  '\u2211': 'sum', '\u220f': 'prod', '\u2210': 'coprod', '\u222b': 'int', '\u222c': 'iint', '\u222d': 'iiint', '\u222e': 'oint', '\u22c3': 'bigcup', '\u22c2': 'bigcap',
  '\u22c1': 'bigvee', '\u22c0': 'bigwedge', '\u2a01': 'bigoplus', '\u2a02': 'bigotimes',
};
const functions = new Set('sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim max min sup inf det dim ker gcd arg deg hom Pr'.split(' '));
const delimiters: Record<string, string> = {
  '{': '\\{', '}': '\\}', '\u27e8': '\\langle', '\u27e9': '\\rangle', '\u2329': '\\langle', '\u232a': '\\rangle', '\u230a': '\\lfloor', '\u230b': '\\rfloor',
  '\u2308': '\\lceil', '\u2309': '\\rceil', '\u2016': '\\|', '': '.', '|': '|',
};
const alphabets: Record<string, string> = { 'double-struck': 'mathbb', script: 'mathcal', fraktur: 'mathfrak', 'sans-serif': 'mathsf', monospace: 'mathtt' };

const value = (element: XmlElement, properties: string, name: string): string | undefined => element.at(properties, name)?.get('m:val');

/** A command before something that begins with a letter wants a space. */
function command(name: string, rest: string): string {
  return /^[A-Za-z]/.test(rest) ? `\\${name} ${rest}` : `\\${name}${rest}`;
}

function joined(parts: string[]): string {
  let text = '';
  for (const part of parts) text += /\\[A-Za-z]+$/.test(text) && /^[A-Za-z]/.test(part) ? ` ${part}` : part;
  return text;
}

function characters(text: string): string {
  return joined(Array.from(text, (char) => latexSymbol(char)));
}

function run(element: XmlElement): string {
  const text = [...element.elements('m:t')].map((t) => t.text).join('');
  if (text === '') return '';
  if (toggle(element.at('m:rPr', 'm:nor'), 'm:val') === true) return `\\text{${text.replace(/[\\{}$&#^_%~]/g, (char) => (char === '\\' ? '' : `\\${char}`))}}`;
  const latex = characters(text);
  const alphabet = alphabets[value(element, 'm:rPr', 'm:scr') ?? ''];
  if (alphabet !== undefined) return `\\${alphabet}{${latex}}`;
  const style = value(element, 'm:rPr', 'm:sty');
  if (style === 'b' || style === 'bi') return `\\mathbf{${latex}}`;
  if (style === 'p' && functions.has(text.trim())) return `\\${text.trim()}`;
  return style === 'p' && /^[A-Za-z]{2,}$/.test(text.trim()) ? `\\mathrm{${latex}}` : latex;
}

/** The contents of an argument, such as `m:e` or `m:num`. */
function part(element: XmlElement, name: string): string {
  const found = element.child(name);
  return found === undefined ? '' : mathRow(found);
}

/** A base takes braces where an index would otherwise go to its last letter alone. */
function base(text: string): string {
  return text.length <= 1 || /^\\[A-Za-z]+(?:\{[^{}]*\})?$/.test(text) || /^\\left.*\\right\S+$/.test(text) ? text : `{${text}}`;
}

function fraction(element: XmlElement): string {
  const [top, bottom] = [part(element, 'm:num'), part(element, 'm:den')];
  const type = value(element, 'm:fPr', 'm:type');
  if (type === 'noBar') return `\\genfrac{}{}{0pt}{}{${top}}{${bottom}}`;
  return type === 'lin' ? `${top}/${bottom}` : `\\frac{${top}}{${bottom}}`;
}

function nary(element: XmlElement): string {
  const char = value(element, 'm:naryPr', 'm:chr') ?? '\u222b';
  const [sub, sup, body] = [part(element, 'm:sub'), part(element, 'm:sup'), part(element, 'm:e')];
  const name = operators[char];
  const operator = name === undefined ? characters(char) : `\\${name}`;
  const limits = value(element, 'm:naryPr', 'm:limLoc') === 'undOvr' && /int/.test(name ?? '') ? '\\limits' : '';
  return joined([operator + limits + (sub === '' ? '' : `_{${sub}}`) + (sup === '' ? '' : `^{${sup}}`), body]);
}

function delimited(element: XmlElement): string {
  const mark = (name: string, fallback: string): string => {
    const char = value(element, 'm:dPr', name) ?? fallback;
    return delimiters[char] ?? characters(char);
  };
  const separator = value(element, 'm:dPr', 'm:sepChr') ?? '|';
  const parts = [...element.elements('m:e')].map(mathRow);
  return `${command(`left${mark('m:begChr', '(')}`, parts.join(characters(separator)))}\\right${mark('m:endChr', ')')}`;
}

function named(element: XmlElement): string {
  const name = part(element, 'm:fName');
  const known = name.replace(/^\\mathrm\{(\w+)\}/, (_, word: string) => (functions.has(word) ? `\\${word}` : `\\operatorname{${word}}`));
  return joined([/^[a-z]+$/i.test(known) ? (functions.has(known) ? `\\${known}` : `\\operatorname{${known}}`) : known, part(element, 'm:e')]);
}

function limit(element: XmlElement, mark: '_' | '^'): string {
  const body = part(element, 'm:e');
  const below = part(element, 'm:lim');
  if (/\\(?:lim|max|min|sup|inf|under|over)\w*(?:\{.*\})?$/s.test(body)) return `${body}${mark}{${below}}`;
  if (/^[A-Za-z]+$/.test(body) && functions.has(body)) return `\\${body}${mark}{${below}}`;
  return mark === '_' ? `\\underset{${below}}{${body}}` : `\\overset{${below}}{${body}}`;
}

function matrix(element: XmlElement): string {
  const rows = [...element.elements('m:mr')].map((row) => [...row.elements('m:e')].map(mathRow).join(' & '));
  return `\\begin{matrix}${rows.join(' \\\\ ')}\\end{matrix}`;
}

function grouped(element: XmlElement): string {
  const char = value(element, 'm:groupChrPr', 'm:chr') ?? '\u23df';
  const name = groupers[char];
  return name === undefined ? `\\underset{${characters(char)}}{${part(element, 'm:e')}}` : `\\${name}{${part(element, 'm:e')}}`;
}

function radical(element: XmlElement): string {
  const degree = toggle(element.at('m:radPr', 'm:degHide'), 'm:val') === true ? '' : part(element, 'm:deg');
  return degree === '' ? `\\sqrt{${part(element, 'm:e')}}` : `\\sqrt[${degree}]{${part(element, 'm:e')}}`;
}

const writers: Record<string, (element: XmlElement) => string> = {
  'm:r': run,
  'm:f': fraction,
  'm:sSup': (element) => `${base(part(element, 'm:e'))}^{${part(element, 'm:sup')}}`,
  'm:sSub': (element) => `${base(part(element, 'm:e'))}_{${part(element, 'm:sub')}}`,
  'm:sSubSup': (element) => `${base(part(element, 'm:e'))}_{${part(element, 'm:sub')}}^{${part(element, 'm:sup')}}`,
  'm:sPre': (element) => `{}_{${part(element, 'm:sub')}}^{${part(element, 'm:sup')}}${part(element, 'm:e')}`,
  'm:rad': radical,
  'm:nary': nary,
  'm:d': delimited,
  'm:func': named,
  'm:acc': (element) => `\\${accents[value(element, 'm:accPr', 'm:chr') ?? '\u0302'] ?? 'hat'}{${part(element, 'm:e')}}`,
  'm:bar': (element) => `\\${value(element, 'm:barPr', 'm:pos') === 'top' ? 'overline' : 'underline'}{${part(element, 'm:e')}}`,
  'm:groupChr': grouped,
  'm:limLow': (element) => limit(element, '_'),
  'm:limUpp': (element) => limit(element, '^'),
  'm:m': matrix,
  'm:eqArr': (element) => `\\begin{array}{l}${[...element.elements('m:e')].map(mathRow).join(' \\\\ ')}\\end{array}`,
  'm:borderBox': (element) => `\\boxed{${part(element, 'm:e')}}`,
  'm:phant': (element) => `\\phantom{${part(element, 'm:e')}}`,
  'w:del': () => '',
  'w:moveFrom': () => '',
};

/** LaTeX of all that stands in an element one after the other: an `m:oMath`, or an argument. */
export function mathRow(element: XmlElement): string {
  const parts: string[] = [];
  for (const child of element.elements()) {
    const write = writers[child.name];
    if (write !== undefined) parts.push(write(child));
    // Boxes, insertions and smart tags show what is in them; properties are no content.
    else if (!child.name.endsWith('Pr')) parts.push(mathRow(child));
  }
  return joined(parts.filter((text) => text !== ''));
}
