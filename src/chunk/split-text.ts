/** A text that is too long for one chunk, cut where a reader would pause: at a line's end, a sentence's, a word's. */
import type { CountTokens } from './chunk-types.js';

/** A piece with this share of the tokens that fit is full enough: each further try is a count. */
const fullShare = 0.9;
/** Counts that are made for one piece. */
const mostTries = 8;

/** The next place at or behind `at` that lies between two characters. */
function betweenCharacters(text: string, at: number): number {
  return at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at;
}

function skipSpace(text: string, from: number): number {
  const space = /\s*/y;
  space.lastIndex = from;
  return from + (space.exec(text)?.[0].length ?? 0);
}

/** Where to end a piece that may go from `from` to `end`: at a pause in its second half, which would leave it half empty else, or behind a word. */
function pauseBefore(text: string, from: number, end: number): number {
  const piece = text.slice(from, end);
  const half = piece.length / 2;
  const line = piece.lastIndexOf('\n');
  if (line >= half) return from + line;
  let sentence = 0;
  for (const match of piece.matchAll(/[.!?]["')\]]*(?=\s)|[\u3002\uff01\uff1f]["'\u300d\u300f)\]]*/g)) sentence = match.index + match[0].length;
  if (sentence >= half) return from + sentence;
  if (/^\s/.test(text.slice(end))) return end;
  const word = piece.search(/\s\S*$/);
  // A word longer than the piece is no word but data.
  return word > 0 ? from + word : end;
}

/**
 * Pieces of at most `limit` tokens (from 1), in order; together they are the text but for white space around them. A single character may have
 * more tokens than that, and a piece whose end was moved to a pause is not counted again. The counted text grows with the text, whatever the limit.
 */
export async function splitText(text: string, limit: number, count: CountTokens): Promise<string[]> {
  const tokensOf = async (piece: string): Promise<number> => Number((await count([piece]))[0] ?? 0);
  const whole = await tokensOf(text);
  if (whole <= limit) return text.trim() === '' ? [] : [text.trim()];
  let lettersPerToken = text.length / whole;

  /** As far as `limit` tokens reach, about: `fullShare` of them is enough. */
  async function reach(from: number): Promise<number> {
    let fits = from;
    let isTooFar = text.length + 1;
    let guess = from + Math.ceil(limit * lettersPerToken);
    for (let tries = 0; ; tries++) {
      const end = betweenCharacters(text, Math.min(Math.max(guess, fits + 1), text.length));
      const tokens = await tokensOf(text.slice(from, end).trim());
      if (tokens <= limit) {
        fits = end;
        lettersPerToken = (end - from) / Math.max(1, tokens);
        if (end === text.length || tokens >= fullShare * limit || tries >= mostTries) return end;
        guess = isTooFar <= text.length ? Math.floor((fits + isTooFar) / 2) : from + Math.ceil((end - from) * Math.min(2, limit / Math.max(1, tokens)));
      } else {
        isTooFar = Math.min(isTooFar, end);
        guess = fits > from ? Math.floor((fits + isTooFar) / 2) : from + Math.floor((end - from) * Math.min(fullShare, limit / tokens));
      }
      if (isTooFar <= betweenCharacters(text, fits + 1)) return fits > from ? fits : isTooFar;
      if (fits > from && tries >= mostTries) return fits;
    }
  }

  const pieces: string[] = [];
  for (let from = skipSpace(text, 0); from < text.length;) {
    const end = await reach(from);
    const cut = end === text.length ? end : pauseBefore(text, from, end);
    pieces.push(text.slice(from, cut).trim());
    from = skipSpace(text, cut);
  }
  return pieces;
}
