/** Commands of LaTeX that stand for characters in text. */

const combining: Record<string, string> = {
  "'": '\u0301', '`': '\u0300', '^': '\u0302', '"': '\u0308', '~': '\u0303', '=': '\u0304', '.': '\u0307', u: '\u0306', v: '\u030c', H: '\u030b', c: '\u0327', k: '\u0328', r: '\u030a',
  d: '\u0323', b: '\u0331',
};

const letters: Record<string, string> = {
  ss: 'ß', ae: 'æ', AE: 'Æ', oe: 'œ', OE: 'Œ', o: 'ø', O: 'Ø', aa: 'å', AA: 'Å', l: 'ł', L: 'Ł', i: 'ı', j: 'ȷ', dh: 'ð', th: 'þ', TH: 'Þ', S: '§', P: '¶', pounds: '£', copyright: '©',
  textcopyright: '©', textregistered: '®', texttrademark: '™', dag: '†', ddag: '‡', ldots: '…', dots: '…', textellipsis: '…', textendash: '–', textemdash: '—', textbackslash: '\\',
  textasciitilde: '~', textasciicircum: '^', textbar: '|', textless: '<', textgreater: '>', textquotedblleft: '“', textquotedblright: '”', textquoteleft: '‘', textquoteright: '’',
  textdegree: '°', degree: '°', textmu: 'µ', texteuro: '€', euro: '€', textbullet: '•', textperiodcentered: '·', guillemotleft: '«', guillemotright: '»', textunderscore: '_',
  LaTeX: 'LaTeX', TeX: 'TeX', LaTeXe: 'LaTeX2e', BibTeX: 'BibTeX', quad: ' ', qquad: ' ', enspace: ' ', thinspace: ' ', space: ' ', textsection: '§', slash: '/', newline: '\n', linebreak: '\n',
  checkmark: '✓', textrightarrow: '→', textonehalf: '½', textpm: '±', texttimes: '×', textdollar: '$', lq: '‘', rq: '’', nobreakspace: '\u00a0',
};

/** What a command of letters stands for; undefined where it stands for none. */
export function characterOf(command: string): string | undefined {
  return Object.hasOwn(letters, command) ? letters[command] : undefined;
}

/** Whether a command puts an accent on what follows it. */
export function isAccent(command: string): boolean {
  return Object.hasOwn(combining, command);
}

/** A letter with its accent, as one character where there is one. */
export function accented(command: string, letter: string): string {
  const base = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter;
  const [first = '', ...rest] = [...base];
  return first === '' ? '' : (first + (combining[command] ?? '')).normalize('NFC') + rest.join('');
}
