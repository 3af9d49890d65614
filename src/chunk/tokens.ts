/** A count of tokens without a model: how a WordPiece vocabulary of English (30,000 words) cuts text, by its rules and by rule of thumb. */

/** The name under which answers say what counted. */
export const approximateTokenizer = 'approximate-wordpiece';

/** Tokens of a chunk where the client names no number: what the contract's default tokenizer takes at once. */
export const defaultMaxTokens = 256;

const pieces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]/gu;

/**
 * Words of up to seven letters count one, longer ones one for every five letters; letters past ASCII count twice, digits by
 * threes, signs and signs of East Asia one each. On English prose this is at or above the real number more often than below it.
 */
export function approximateTokens(text: string): number {
  let count = 0;
  for (const [piece] of text.matchAll(pieces)) {
    if (/^\p{N}/u.test(piece)) count += Math.ceil(piece.length / 3);
    else if (piece.length <= 2) count += 1;
    else {
      const letters = piece.length + piece.replace(/[\u0000-\u007f]/g, '').length;
      count += letters <= 7 ? 1 : Math.ceil(letters / 5);
    }
  }
  return count;
}
