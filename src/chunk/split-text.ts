/** A text that is too long for one chunk, cut where a reader would pause: at a line's end, a sentence's, a word's. */
import type { CountTokens } from './types.js';

/** A word with the white space before it; longer than any limit when it is no word but data. */
function fitting(word: string, limit: number, count: CountTokens): { text: string; tokens: number }[] {
  const tokens = count(word);
  if (tokens <= limit || word.length < 2) return [{ text: word, tokens }];
  const size = Math.min(Math.ceil(word.length / 2), Math.max(1, limit));
  const slices: { text: string; tokens: number }[] = [];
  for (let at = 0; at < word.length;) {
    // Never between the halves of one character.
    let end = Math.min(word.length, at + size);
    if (end < word.length && (word.charCodeAt(end) & 0xfc00) === 0xdc00) end++;
    slices.push(...fitting(word.slice(at, end), limit, count));
    at = end;
  }
  return slices;
}

/** How well a text may end behind this word: 2 before a new line, 1 behind a sentence. */
function pauseBehind(word: string, next: string): number {
  if (/^\s*\n/.test(next)) return 2;
  return /[.!?\u3002\uff01\uff1f]["')\]]*$/.test(word) ? 1 : 0;
}

/** Pieces of at most `limit` tokens (from 1), in order; together they are the text. Takes time by the text's length, whatever the limit. */
export function splitText(text: string, limit: number, count: CountTokens): string[] {
  const words = (text.match(/\s*\S+/g) ?? []).flatMap((word) => fitting(word, limit, count));
  const pieces: string[] = [];
  let from = 0;
  while (from < words.length) {
    let tokens = 0;
    let end = from;
    let pause = { at: 0, rank: 0 };
    for (; end < words.length && tokens + (words[end]?.tokens ?? 0) <= limit || end === from; end++) {
      tokens += words[end]?.tokens ?? 0;
      const rank = pauseBehind(words[end]?.text ?? '', words[end + 1]?.text ?? '');
      // A pause early in the piece would leave it half empty.
      if (rank > 0 && rank >= pause.rank && tokens >= limit / 2) pause = { at: end + 1, rank };
    }
    const cut = end < words.length && pause.at > from ? pause.at : end;
    pieces.push(words.slice(from, cut).map((word) => word.text).join('').trim());
    from = cut;
  }
  return pieces.filter((piece) => piece !== '');
}
