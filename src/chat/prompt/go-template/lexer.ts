/** Go's template syntax, cut into text and the words of its actions. */
import { LecternError } from '../../../errors.js';

export type Word =
  | { kind: 'field' | 'variable' | 'name' | 'sign'; text: string; spaced: boolean }
  | { kind: 'constant'; value: string | number; spaced: boolean };

export type Token = { kind: 'text'; text: string } | { kind: 'action'; words: Word[] };

const longestSource = 1 << 19;
const wordPattern = /([ \t\r\n]+)|\.([\p{L}_][\p{L}\p{N}_]*)|\$([\p{L}\p{N}_]*)|([\p{L}_][\p{L}\p{N}_]*)|("(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)+')|([+-]?(?:0[xX][\dA-Fa-f_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?))|(:=|[=|(),.])/uy;

/** Throws `invalid_model`, with what is not understood. */
export function tokenizeGo(source: string): Token[] {
  if (source.length > longestSource) throw goRefusal(`it has ${source.length} characters; at most ${longestSource} are read`);
  const tokens: Token[] = [];
  let at = 0;
  let trims = false;
  for (;;) {
    const open = source.indexOf('{{', at);
    const text = source.slice(at, open < 0 ? undefined : open);
    const left = open >= 0 && /^-[ \t\r\n]/.test(source.slice(open + 2, open + 4));
    const shown = trimmed(text, trims, left);
    if (shown !== '') tokens.push({ kind: 'text', text: shown });
    if (open < 0) return tokens;
    const begin = open + (left ? 4 : 2);
    const comment = source.startsWith('/*', begin);
    const action = comment ? skipComment(source, begin) : readWords(source, begin);
    if (action.words !== null) tokens.push({ kind: 'action', words: action.words });
    trims = action.trims;
    at = action.end;
  }
}

export function goRefusal(what: string): LecternError {
  return new LecternError('invalid_model', `The model's Go template is not understood: ${what}.`);
}

interface Action {
  words: Word[] | null;
  trims: boolean;
  end: number;
}

function trimmed(text: string, left: boolean, right: boolean): string {
  const behind = left ? text.replace(/^[ \t\r\n]+/, '') : text;
  if (!right) return behind;
  let end = behind.length;
  while (end > 0 && ' \t\r\n'.includes(behind.charAt(end - 1))) end -= 1;
  return behind.slice(0, end);
}

function skipComment(source: string, begin: number): Action {
  const close = source.indexOf('*/', begin + 2);
  const end = close < 0 ? null : /^(?:[ \t\r\n]-)?\}\}/.exec(source.slice(close + 2, close + 6));
  if (end === null) throw goRefusal('a comment does not end');
  return { words: null, trims: end[0].length > 2, end: close + 2 + end[0].length };
}

function readWords(source: string, begin: number): Action {
  const words: Word[] = [];
  let spaced = false;
  for (let at = begin; at < source.length;) {
    if (source.startsWith('}}', at)) return { words, trims: false, end: at + 2 };
    if (spaced && source.startsWith('-}}', at)) return { words, trims: true, end: at + 3 };
    wordPattern.lastIndex = at;
    const match: RegExpExecArray | null = wordPattern.exec(source);
    if (match === null) throw goRefusal(`'${source.slice(at, at + 12)}' in an action`);
    const word: Word | null = match[1] === undefined ? wordOf(match, spaced) : null;
    if (word !== null) words.push(word);
    spaced = word === null;
    at += match[0].length;
  }
  throw goRefusal('an action does not end');
}

function wordOf(match: RegExpExecArray, spaced: boolean): Word {
  const [, , field, variable, name, quoted, number, sign] = match;
  if (field !== undefined) return { kind: 'field', text: field, spaced };
  if (variable !== undefined) return { kind: 'variable', text: variable, spaced };
  if (name !== undefined) return { kind: 'name', text: name, spaced };
  if (quoted !== undefined) return { kind: 'constant', value: unquote(quoted), spaced };
  if (number !== undefined) return { kind: 'constant', value: Number(number.replaceAll('_', '')), spaced };
  return { kind: 'sign', text: sign ?? '', spaced };
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v', '\\': '\\', '"': '"', '\'': '\'' };

function unquote(quoted: string): string | number {
  const inside = quoted.slice(1, -1);
  if (quoted.startsWith('`')) return inside.replaceAll('\r', '');
  const text = inside.replace(/\\(u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|x[\dA-Fa-f]{2}|[0-7]{3}|.)/gs, (_, escape: string) => {
    const plain = escapes[escape];
    if (plain !== undefined) return plain;
    const code = /^[uUx]/.test(escape) ? parseInt(escape.slice(1), 16) : /^[0-7]{3}$/.test(escape) ? parseInt(escape, 8) : NaN;
    if (!(code <= 0x10ffff)) throw goRefusal(`the escape \\${escape}`);
    return String.fromCodePoint(code);
  });
  return quoted.startsWith('\'') ? text.codePointAt(0) ?? 0 : text;
}
