/**
 * Which stretches of a rendered prompt the template wrote and which stem from the conversation: control tokens are only taken from the former.
 *
 * The template is rendered twice: with the conversation as it is, which is the prompt, and with a shadow of it, in which
 * each character of the conversation is exchanged for one of its own from the private use area. Where both renderings are
 * alike but for exchanged characters, the template did the same with both, and the exchanged ones are the conversation's.
 * White space, quotes and backslashes stay in the shadow (templates trim and encode them); beside a character of the conversation they
 * count as its own. Where the renderings differ, because the template inspects the texts (`'</think>' in content`), the shadow is made
 * again with the sought literals left in it; these count as text wherever they occur, if the conversation has them. Where that differs
 * too, only what has the form of a control token, is spelled in the template and occurs in no text of the conversation is taken for one.
 */
import type { PromptPart } from '../../engine/port.js';

/** What a text of the conversation becomes before the template sees it. */
export type Mark = (text: string) => string;

export interface OriginQuestion {
  /** Calls the mark with every text of the conversation, and with nothing else, and renders what it gives. */
  render: (mark: Mark) => string;
  /** Template, begin and end texts: whatever else can be in the prompt. */
  trusted: readonly string[];
  /** Words that stay as they are when they are a whole text: the template knows them. None can be a control token. */
  words: ReadonlySet<string>;
  /** What the template searches inside of texts. Longest first. */
  sought: readonly string[];
}

const privateUse = { first: 0xe000, last: 0xf8ff };
const unchanged = Uint16Array.from({ length: 1 << 16 }, (_, unit) => unit);
/** By code unit: 1 for what templates trim and encode. */
const neutral = Uint8Array.from({ length: 1 << 16 }, (_, unit) => (/[\s"\\\p{Cc}\ufeff]/u.test(String.fromCharCode(unit)) ? 1 : 0));
const controlLike = /<[^<>\s]{1,64}>|\[\/?[A-Z][A-Z_]{1,30}\]/g;

/** The joined texts of the parts are what `render` gives unmarked. Throws what `render` throws then. */
export function partsByOrigin(question: OriginQuestion): PromptPart[] {
  const texts: string[] = [];
  const prompt = question.render((text) => {
    texts.push(text);
    return text;
  });
  return split(prompt, foreignCharacters(question, prompt, texts));
}

/** 1 for each character of `prompt` that is not the template's. */
function foreignCharacters(question: OriginQuestion, prompt: string, texts: string[]): Uint8Array {
  const exchange = exchangeFor([...question.trusted, ...texts], texts);
  const sought = question.sought.filter((literal) => texts.some((text) => text.includes(literal)));
  for (const kept of sought.length > 0 ? [[], sought] : [[]]) {
    const shadow = rendered(() => question.render((text) => (question.words.has(text) ? text : exchanged(text, exchange, kept))));
    const foreign = shadow === null ? null : compare(prompt, shadow, exchange);
    if (foreign === null) continue;
    for (const literal of kept) markAll(prompt, literal, foreign);
    return widened(prompt, foreign);
  }
  return allButControlTokens(prompt, question.trusted, texts);
}

interface Exchange {
  /** Code unit -> the one that stands for it, or itself. */
  to: Uint16Array;
  /** By code unit: 1 for those of the conversation for which none was left: never the template's. */
  left: Uint8Array;
}

/** In the order of the code units, so that a template that sorts sorts alike. */
function exchangeFor(everything: readonly string[], texts: readonly string[]): Exchange {
  const used = unitsOf(everything);
  const free: number[] = [];
  for (let unit = privateUse.first; unit <= privateUse.last; unit += 1) if (used[unit] === 0) free.push(unit);
  const asked = unitsOf(texts);
  const to = unchanged.slice();
  const left = new Uint8Array(1 << 16);
  let taken = 0;
  for (let unit = 0; unit < asked.length; unit += 1) {
    if (asked[unit] === 0 || neutral[unit] === 1) continue;
    const stand = free[taken];
    if (stand === undefined) {
      left[unit] = 1;
      continue;
    }
    to[unit] = stand;
    taken += 1;
  }
  return { to, left };
}

function unitsOf(texts: readonly string[]): Uint8Array {
  const used = new Uint8Array(1 << 16);
  for (const text of texts) for (let at = 0; at < text.length; at += 1) used[text.charCodeAt(at)] = 1;
  return used;
}

function exchanged(text: string, { to }: Exchange, kept: readonly string[]): string {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = to[text.charCodeAt(at)] ?? 0;
  for (const literal of kept) {
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length)) {
      for (let place = at; place < at + literal.length; place += 1) units[place] = text.charCodeAt(place);
    }
  }
  return Buffer.from(units.buffer).toString('utf16le');
}

function rendered(render: () => string): string | null {
  try {
    return render();
  } catch {
    return null;
  }
}

function compare(prompt: string, shadow: string, { to, left }: Exchange): Uint8Array | null {
  if (shadow.length !== prompt.length) return null;
  const foreign = new Uint8Array(prompt.length);
  for (let at = 0; at < prompt.length; at += 1) {
    const real = prompt.charCodeAt(at);
    const shade = shadow.charCodeAt(at);
    if (left[real] === 1) foreign[at] = 1;
    else if (shade !== real) {
      if (to[real] !== shade) return null;
      foreign[at] = 1;
    }
  }
  return foreign;
}

function markAll(prompt: string, literal: string, foreign: Uint8Array): void {
  for (let at = prompt.indexOf(literal); at >= 0; at = prompt.indexOf(literal, at + literal.length)) foreign.fill(1, at, at + literal.length);
}

/** Runs of neutral characters that touch the conversation's. */
function widened(prompt: string, foreign: Uint8Array): Uint8Array {
  for (let at = 1; at < foreign.length; at += 1) if (foreign[at - 1] === 1 && neutral[prompt.charCodeAt(at)] === 1) foreign[at] = 1;
  for (let at = foreign.length - 2; at >= 0; at -= 1) if (foreign[at + 1] === 1 && neutral[prompt.charCodeAt(at)] === 1) foreign[at] = 1;
  return foreign;
}

function allButControlTokens(prompt: string, trusted: readonly string[], texts: readonly string[]): Uint8Array {
  const foreign = new Uint8Array(prompt.length).fill(1);
  const known = new Map<string, boolean>();
  const isOurs = (token: string): boolean => trusted.some((text) => text.includes(token)) && !texts.some((text) => text.includes(token));
  for (const match of prompt.matchAll(controlLike)) {
    const [token] = match;
    const ours = known.get(token) ?? isOurs(token);
    known.set(token, ours);
    if (ours) foreign.fill(0, match.index, match.index + token.length);
  }
  return foreign;
}

function split(prompt: string, foreign: Uint8Array): PromptPart[] {
  const parts: PromptPart[] = [];
  for (let start = 0; start < prompt.length;) {
    let end = start + 1;
    while (end < prompt.length && foreign[end] === foreign[start]) end += 1;
    parts.push({ text: prompt.slice(start, end), special: foreign[start] === 0 });
    start = end;
  }
  return parts;
}
