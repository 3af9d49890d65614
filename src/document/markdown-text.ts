/** How text is written in markdown: what is escaped, emphasis, links, code, formulas. Rules of the contract, section 8. */
import { spaceBeforeKey } from './model.js';
import type { DocumentNode, Formatting, TextItem } from './model.js';
import { isScript } from './safe-addresses.js';
import { scriptCharacters } from './script-characters.js';
import type { Script } from './script-characters.js';

// A line at a time and by position, because a pattern with two lazy stars takes quadratic time on a line full of `![`.
function escapeUnderscores(line: string): string {
  let result = '';
  let done = 0;
  for (;;) {
    const open = line.indexOf('![', done);
    const middle = open < 0 ? -1 : line.indexOf('](', open + 2);
    const close = middle < 0 ? -1 : line.indexOf(')', middle + 2);
    const until = close < 0 ? line.length : open;
    result += line.slice(done, until).replace(/(?<!\\)_/g, '\\_');
    if (close < 0) return result;
    result += line.slice(open, close + 1);
    done = close + 1;
  }
}

/** Stars that stand at a word on either side, which may open or close emphasis. */
const flankingStars = /\*+(?=[^\s*])|(?<=[^\s*])\*+/g;

/** Marks in pairs that a renderer would take away: stars, backticks and double tildes at words. Single ones stay as they are. */
function escapePairs(text: string): string {
  let escaped = text;
  if (escaped.includes('*') && (escaped.match(flankingStars)?.length ?? 0) > 1) escaped = escaped.replace(flankingStars, (stars) => stars.replace(/\*/g, '\\*'));
  if (escaped.includes('`') && (escaped.match(/`+/g)?.length ?? 0) > 1) escaped = escaped.replace(/`/g, '\\`');
  return escaped.includes('~~') && (escaped.match(/~~+/g)?.length ?? 0) > 1 ? escaped.replace(/~~+/g, (tildes) => tildes.replace(/~/g, '\\~')) : escaped;
}

/** Marks that a renderer would take for its own. Brackets that lead to an address stay: the words and the address are there all the same. */
function escapeMarks(text: string, marked: boolean): string {
  const literal = text.includes('\\') ? text.replace(/\\(?=[!-/:-@[-^`{-~])/g, '\\\\') : text;
  const paired = marked ? literal.replace(/[*`]|~(?=~)|(?<=~)~/g, '\\$&') : escapePairs(literal);
  return paired.includes('](') ? paired.replace(/(?<!!)\[(?=[^[\]\n]{1,500}\]\((?!https?:|mailto:|ftp:)[^()\s]{1,500}\))/g, '\\[') : paired;
}

/**
 * `_`, `&`, `<` and `>` always, but no underscore inside an image; other marks only where a renderer would take them for its own. A
 * text with marks of its own around or beside it (`marked`) has all its stars, backticks and double tildes escaped: they would pair with
 * those. `keepsHtml`: what HTML takes for its own stays.
 */
export function escapeText(text: string, marked = false, keepsHtml = false): string {
  const paired = /[\\*`~\]]/.test(text) ? escapeMarks(text, marked) : text;
  const escaped = paired.includes('_') ? paired.split('\n').map(escapeUnderscores).join('\n') : paired;
  return keepsHtml ? escaped : escaped.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** A paragraph whose lines begin as headings, rules or fences do, with these marks escaped: they are characters of its text. */
export function escapeLineStarts(markdown: string): string {
  return markdown.replace(/^(?=[*+]$|#{1,6}(?:\s|$)|(?:-[ \t]*){3,}$|=+[ \t]*$|~{3})/gm, '\\').replace(/^(\*)(?=[ \t]*\*[ \t]*\*[* \t]*$)/gm, '\\$1').replace(/(?<=\n)(?=-+[ \t]*$)/gm, '\\');
}

/** The characters right before and after a text in its line; empty at the line's ends. */
export interface Neighbours {
  before: string;
  after: string;
}

const alone: Neighbours = { before: '', after: '' };

/** The mark of each style, and the HTML element that says the same where CommonMark does not take the mark for one. */
const emphasis = { bold: ['**', '<strong>', '</strong>'], italic: ['*', '<em>', '</em>'], both: ['***', '<strong><em>', '</em></strong>'], strikethrough: ['~~', '<del>', '</del>'] } as const;

const isWordCharacter = (character: string): boolean => /[^\s\p{P}\p{S}]/u.test(character);
const isPunctuation = (character: string): boolean => /[\p{P}\p{S}]/u.test(character);

/**
 * CommonMark's flanking rules: a mark between a letter outside and a punctuation character inside opens or closes nothing, and neither
 * does one beside another of its kind.
 */
function takesMark(core: string, mark: string, { before, after }: Neighbours): boolean {
  if (before === mark[0] || after === mark[0]) return false;
  return !(isWordCharacter(before) && isPunctuation(core[0] ?? '')) && !(isWordCharacter(after) && isPunctuation(core.at(-1) ?? ''));
}

function wrapped(text: string, [mark, opening, closing]: readonly [mark: string, opening: string, closing: string], around: Neighbours): string {
  // Marks beside a space are no emphasis in markdown: the space stays outside.
  const core = text.trim();
  if (core === '') return text;
  const start = text.length - text.trimStart().length;
  const [lead, rest] = [text.slice(0, start), text.slice(start + core.length)];
  const beside = { before: lead === '' ? around.before : ' ', after: rest === '' ? around.after : ' ' };
  return takesMark(core, mark, beside) ? `${lead}${mark}${core}${mark}${rest}` : `${lead}${opening}${core}${closing}${rest}`;
}

function balanced(address: string): boolean {
  let depth = 0;
  for (const char of address) {
    if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return false;
  }
  return depth === 0;
}

function linkTarget(address: string): string {
  const spaced = address.replace(/\s/g, '%20');
  return balanced(spaced) ? spaced : spaced.replace(/\(/g, '%28').replace(/\)/g, '%29');
}

/** Escaped characters, which are no brackets, and brackets. */
const labelTokens = /\\[^]|[[\]]/g;

/** Words of a link: brackets that do not pair would end it, or begin another. */
function linkLabel(text: string): string {
  let depth = 0;
  for (const [bracket] of text.matchAll(labelTokens)) {
    if (bracket.length > 1) continue;
    depth += bracket === '[' ? 1 : -1;
    if (depth < 0) break;
  }
  return depth === 0 ? text : text.replace(labelTokens, (token) => (token.length > 1 ? token : `\\${token}`));
}

const scriptElements = { sub: 'sub', super: 'sup' } as const;

/**
 * Emphasis, script and link around text that is escaped already. Underline has no mark. A script is written in Unicode's script characters where all of its characters have one (`10⁶`, `H₂O`), so that plain readers and
 * searches have its letters too; else it is GFM's `<sup>` or `<sub>`.
 */
export function decorate(text: string, formatting: Formatting | null, hyperlink: string | null, around: Neighbours = alone): string {
  const isScripted = formatting !== null && formatting.script !== 'baseline' && text.trim() !== '';
  const signs = isScripted ? scriptCharacters(text, formatting.script as Script) : null;
  let result = signs ?? text;
  const script = isScripted && signs === null ? scriptElements[formatting.script as Script] : null;
  const beside = script !== null || hyperlink !== null ? alone : around;
  const { bold = false, italic = false, strikethrough = false } = formatting ?? {};
  if (bold || italic) result = wrapped(result, bold && italic ? emphasis.both : bold ? emphasis.bold : emphasis.italic, strikethrough ? alone : beside);
  if (strikethrough) result = wrapped(result, emphasis.strikethrough, beside);
  if (script !== null) result = `<${script}>${result}</${script}>`;
  return hyperlink === null || hyperlink === '' || isScript(hyperlink) || result === '' ? result : `[${linkLabel(result)}](${linkTarget(hyperlink)})`;
}

function longestTickRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}

/** What renderers call the languages whose schema name is not it. */
const fenceNames: Record<string, string> = { unknown: '', 'C++': 'cpp', 'C#': 'csharp', ObjectiveC: 'objectivec', VisualBasic: 'vb' };

/** A block of code with the schema's name of its language; the fence is longer than any in the code. */
export function fenced(code: string, language = 'unknown'): string {
  const fence = '`'.repeat(Math.max(3, longestTickRun(code) + 1));
  return `${fence}${fenceNames[language] ?? language.toLowerCase()}\n${code}\n${fence}`;
}

/** A script for readers that render no HTML: in Unicode's script characters, or as it is where one of its characters has none. */
export function plainScript(text: string, script: Formatting['script'] | undefined): string {
  return script !== 'sub' && script !== 'super' ? text : scriptCharacters(text, script) ?? text;
}

/** Code within a line. */
export function ticked(code: string): string {
  const longest = longestTickRun(code);
  if (longest === 0) return `\`${code}\``;
  const ticks = '`'.repeat(longest + 1);
  return `${ticks} ${code} ${ticks}`;
}

/** What stands before a list item's text. `position` counts from 1; `counted` says that the list's first item is enumerated. */
export function listMarker(marker: string, counted: boolean, position: number): string {
  if (/^([-*+]|\d+\.)$/.test(marker)) return marker;
  if (marker === '' && counted) return `${position}.`;
  return /[a-zA-Z0-9]/.test(marker) ? `- ${marker}` : '-';
}

function isWords(node: DocumentNode | undefined): node is TextItem {
  return node?.label === 'text' && node.children.length === 0;
}

function sameMarks(one: TextItem, other: TextItem): boolean {
  const [a, b] = [one.formatting, other.formatting];
  return one.hyperlink === other.hyperlink && one.content_layer === other.content_layer && (a?.script ?? 'baseline') === (b?.script ?? 'baseline')
    && (['bold', 'italic', 'strikethrough'] as const).every((key) => (a?.[key] ?? false) === (b?.[key] ?? false));
}

/** Runs of which neighbours that markdown marks alike are one: underlined words within struck ones have no mark of their own. */
export function joinedAlike(nodes: DocumentNode[]): DocumentNode[] {
  const joined: DocumentNode[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (!isWords(last) || !isWords(node) || !sameMarks(last, node)) joined.push(node);
    else joined[joined.length - 1] = { ...last, text: `${last.text}${node.meta?.[spaceBeforeKey] === false || /\s$/.test(last.text) || /^\s/.test(node.text) ? '' : ' '}${node.text}` };
  }
  return joined;
}

/** The characters beside each run: of a neighbour that is marked itself a punctuation character, since its mark stands there. */
export function neighbourCharacters(nodes: DocumentNode[], at: number): Neighbours {
  const beside = (node: DocumentNode | undefined, isBefore: boolean, glued: boolean): string => {
    if (node === undefined || !glued) return '';
    if (!isWords(node) || node.hyperlink !== null) return '`';
    const { script = 'baseline' } = node.formatting ?? {};
    const signs = script === 'baseline' ? node.text : scriptCharacters(node.text, script);
    if (signs === null) return '`';
    const { bold = false, italic = false, strikethrough = false } = node.formatting ?? {};
    if (strikethrough) return '~';
    return bold || italic ? '*' : (isBefore ? Array.from(signs).at(-1) : Array.from(signs)[0]) ?? '';
  };
  const [node, next] = [nodes[at], nodes[at + 1]];
  return { before: beside(nodes[at - 1], true, node?.meta?.[spaceBeforeKey] === false), after: beside(next, false, next?.meta?.[spaceBeforeKey] === false) };
}
