/** How text is written in markdown: what is escaped, emphasis, links, code, formulas. Rules of the contract, section 8. */
import type { Formatting } from './model.js';
import { isScript } from './safe-addresses.js';

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

/** `_`, `&`, `<` and `>`; nothing else, and no underscore inside an image. */
export function escapeText(text: string): string {
  const escaped = text.includes('_') ? text.split('\n').map(escapeUnderscores).join('\n') : text;
  return escaped.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function wrapped(text: string, mark: string): string {
  // Marks beside a space are no emphasis in markdown: the space stays outside.
  const core = text.trim();
  if (core === '') return text;
  const start = text.length - text.trimStart().length;
  return `${text.slice(0, start)}${mark}${core}${mark}${text.slice(start + core.length)}`;
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

/** Emphasis and link around text that is escaped already. Underline and scripts have no mark. */
export function decorate(text: string, formatting: Formatting | null, hyperlink: string | null): string {
  let result = text;
  if (formatting?.bold === true) result = wrapped(result, '**');
  if (formatting?.italic === true) result = wrapped(result, '*');
  if (formatting?.strikethrough === true) result = wrapped(result, '~~');
  return hyperlink === null || hyperlink === '' || isScript(hyperlink) || result === '' ? result : `[${result}](${linkTarget(hyperlink)})`;
}

function longestTickRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}

/** A block of code; the fence is longer than any in the code. */
export function fenced(code: string): string {
  const fence = '`'.repeat(Math.max(3, longestTickRun(code) + 1));
  return `${fence}\n${code}\n${fence}`;
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
