/** LaTeX formulas as canonical strings of their trees: invisible parts are left out, and equal shapes are written in one way. */
import { latexSymbol } from '../src/formats/office/latex-symbols.js';

const dropped = new Set('left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr Biggl Biggr limits nolimits displaystyle textstyle scriptstyle quad qquad nonumber notag hfill strut'.split(' '));
const fonts: Record<string, string> = { mathbf: 'bf', boldsymbol: 'bf', bm: 'bf', mathcal: 'cal', mathscr: 'cal', mathbb: 'bb', mathfrak: 'frak', mathsf: 'sf', mathtt: 'tt' };
const upright = new Set('text mathrm operatorname textrm mbox textup mathit textit mathop mathnormal'.split(' '));
const accents: Record<string, string> = {
  hat: 'hat', widehat: 'hat', tilde: 'tilde', widetilde: 'tilde', bar: 'bar', overline: 'bar', vec: 'vec', overrightarrow: 'vec', dot: 'dot', ddot: 'ddot', check: 'check', breve: 'breve', acute: 'acute', grave: 'grave',
  underline: 'underline', mathring: 'ring', overbrace: 'overbrace', underbrace: 'underbrace',
};
const synonyms: Record<string, string> = {
  le: 'leq', ge: 'geq', leqslant: 'leq', geqslant: 'geq', ne: 'neq', to: 'rightarrow', gets: 'leftarrow', land: 'wedge', lor: 'vee', lnot: 'neg', mid: '|', vert: '|', lvert: '|', rvert: '|', Vert: 'parallel', lVert: 'parallel', rVert: 'parallel',
  lbrace: '{', rbrace: '}', varnothing: 'emptyset', ast: '*', dots: 'ldots', colon: ':', backslash: 'setminus', iff: 'Leftrightarrow', implies: 'Rightarrow', Longrightarrow: 'Rightarrow', Longleftrightarrow: 'Leftrightarrow',
  longrightarrow: 'rightarrow', longmapsto: 'mapsto', lbrack: '[', rbrack: ']', owns: 'ni', perp: 'bot', dotsc: 'ldots', dotsb: 'cdots', hslash: 'hbar', triangle: 'Delta', varDelta: 'Delta',
};
const environments: Record<string, [string, string]> = { pmatrix: ['(', ')'], bmatrix: ['[', ']'], vmatrix: ['|', '|'], Vmatrix: ['\\parallel', '\\parallel'], Bmatrix: ['\\{', '\\}'], cases: ['\\{', ''], matrix: ['', ''], smallmatrix: ['', ''], array: ['', ''] };
const lines = new Set(['aligned', 'align', 'align*', 'gathered', 'gather', 'gather*', 'split', 'alignedat', 'multline', 'multline*', 'equation', 'equation*']);

class Reader {
  readonly #tokens: string[];
  #at = 0;

  constructor(latex: string) {
    this.#tokens = latex.match(/\\[a-zA-Z]+\*?|\\.|[^\s]/gsu) ?? [];
  }

  /** Up to the token that ends the group. */
  row(ends: readonly string[]): string[] {
    const nodes: string[] = [];
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token === undefined || ends.includes(token)) return nodes;
      this.#at++;
      if (token === '^' || token === '_' || token === "'" || token === '\u2032') this.#script(token, nodes);
      else nodes.push(...this.#node(token, ends));
    }
  }

  #script(token: string, nodes: string[]): void {
    const base = nodes.pop() ?? '';
    const parts = /^(.*?)(?:_<(.*)>_)?(?:\^<(.*)>\^)?$/su.exec(base);
    const stem = parts?.[1] ?? base;
    let [sub, sup] = [parts?.[2] ?? '', parts?.[3] ?? ''];
    if (token === '_') sub += this.#argument();
    else if (token === '^') sup += this.#argument();
    else sup += '\\prime';
    nodes.push(`${stem}${sub === '' ? '' : `_<${sub}>_`}${sup === '' ? '' : `^<${sup}>^`}`);
  }

  #argument(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) return '';
    if (token !== '{') return this.#node(token, []).join('');
    const inner = this.row(['}']);
    this.#at++;
    return inner.join('');
  }

  #raw(): string {
    if (this.#tokens[this.#at] !== '{') return this.#tokens[this.#at++] ?? '';
    let [depth, text] = [0, ''];
    do {
      const token = this.#tokens[this.#at++] ?? '}';
      depth += token === '{' ? 1 : token === '}' ? -1 : 0;
      if (token !== '{' && token !== '}') text += token;
    } while (depth > 0 && this.#at < this.#tokens.length);
    return text;
  }

  #node(token: string, ends: readonly string[]): string[] {
    if (token === '{') {
      const inner = this.row(['}']);
      this.#at++;
      return inner.length > 1 ? [inner.join('')] : inner;
    }
    if (token === '}' || token === '&' || token === '~' || token === '$') return [];
    if (token[0] !== '\\' || token.length === 1) return [plainCharacter(token)];
    const name = token.slice(1).replace(/\*$/u, '');
    if (!/^[a-zA-Z]/u.test(name)) return name === '{' || name === '}' ? [`\\${name}`] : name === '|' ? ['\\parallel'] : '%#&_$'.includes(name) ? [name] : [];
    return this.#command(name, ends);
  }

  #command(name: string, ends: readonly string[]): string[] {
    if (dropped.has(name)) {
      if (/^(?:left|right|middle)$/u.test(name) && this.#tokens[this.#at] === '.') this.#at++;
      return [];
    }
    if (name === 'tag' || name === 'label' || name === 'hspace' || name === 'vspace' || name === 'mathstrut') {
      this.#raw();
      return [];
    }
    if (/^[dtc]?frac$/u.test(name)) return [`frac(${this.#argument()}|${this.#argument()})`];
    if (/^[dt]?binom$/u.test(name)) return ['(', `grid[${this.#argument()};${this.#argument()}]`, ')'];
    if (name === 'sqrt') return this.#root();
    if (name === 'overset' || name === 'stackrel' || name === 'underset') {
      const small = this.#argument();
      const base = this.#argument();
      return [name === 'underset' ? `${base}_<${small}>_` : `${base}^<${small}>^`];
    }
    if (name === 'begin') return this.#environment(this.#raw(), ends);
    if (name === 'end') {
      this.#raw();
      return [];
    }
    if (fonts[name] !== undefined) return Array.from(this.#argument().match(/\\[a-zA-Z]+|./gsu) ?? [], (letter) => (/^(?:\p{L}|\d|\\[a-zA-Z]+)$/u.test(letter) ? `${fonts[name]!}(${letter})` : letter));
    if (upright.has(name)) return Array.from(this.#raw().replace(/\s|\\[,;:! ]/gu, ''), plainCharacter);
    if (accents[name] !== undefined) return [`${accents[name]}(${this.#argument()})`];
    if (/^(?:sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|coth|log|ln|lg|exp|lim|limsup|liminf|max|min|sup|inf|det|dim|ker|gcd|arg|deg|hom|Pr)$/u.test(name)) return [name];
    if (name === 'bmod' || name === 'pmod') return name === 'bmod' ? ['mod'] : ['(', 'mod', this.#argument(), ')'];
    const same = synonyms[name] ?? name;
    return [same.length === 1 ? plainCharacter(same) : same === '{' || same === '}' ? `\\${same}` : `\\${same}`];
  }

  #root(): string[] {
    if (this.#tokens[this.#at] !== '[') return [`sqrt(${this.#argument()})`];
    this.#at++;
    const degree = this.row([']']).join('');
    this.#at++;
    return [`root(${degree}|${this.#argument()})`];
  }

  #environment(name: string, ends: readonly string[]): string[] {
    if (name === 'array' || name === 'alignedat') this.#raw();
    const rows: string[][] = [[]];
    for (;;) {
      const cell = this.row(['&', '\\\\', '\\end', ...ends.filter((end) => end === '}')]).join('');
      rows.at(-1)!.push(cell);
      const token = this.#tokens[this.#at++];
      if (token === '\\\\') rows.push([]);
      else if (token !== '&') break;
    }
    this.#raw();
    const filled = rows.filter((row) => row.some((cell) => cell !== ''));
    if (lines.has(name)) return [filled.length === 1 ? filled[0]!.join('') : `rows[${filled.map((row) => row.join('')).join(';')}]`];
    const [open, close] = environments[name] ?? ['', ''];
    return [open, `grid[${filled.map((row) => row.join('&')).join(';')}]`, close].filter((part) => part !== '');
  }
}

/** Words of functions are one node, so that scripts on them are scripts of the whole word. */
function plainCharacter(character: string): string {
  if (/^[\p{L}\d]$/u.test(character) && character < '\u0080') return character;
  const written = latexSymbol(character);
  if (written.startsWith('\\math')) return new Reader(written).row([]).join('');
  const name = /^\\([a-zA-Z]+)$/u.exec(written)?.[1];
  const same = name === undefined ? written : synonyms[name] === undefined ? written : synonyms[name].length === 1 ? synonyms[name] : `\\${synonyms[name]}`;
  return same === '\u2223' || same === '\u2758' ? '|' : same === '\u2217' ? '*' : same;
}

/** The canonical string of a formula; two formulas are alike if theirs are equal. */
export function formulaKey(latex: string): string {
  const reader = new Reader(latex.replace(/\\tag\*?\{[^}]*\}/gu, '').replace(/(\d),(?=\d{3})/gu, '$1,').replace(/\\[,;:! ]/gu, ' '));
  return reader.row([]).join('').replace(/\\not(?:=|\\?\u2260)/gu, '\\neq').replaceAll('\\not\\in', '\\notin');
}
