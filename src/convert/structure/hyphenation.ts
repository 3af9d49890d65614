/** Joins the lines of one paragraph to running text: joins words that line ends split, and keeps doubtful hyphens. */
import type { Span, TextLine } from '../page/text-line.js';
import type { Vocabulary } from '../page/vocabulary.js';

const hyphenAtEnd = /([\p{L}\p{M}]+(?:[-\u2010\u2011][\p{L}\p{M}]+)*)([-\u2010]{1,2})$/u;
const wordAtStart = /^([\p{L}\p{M}]+)/u;

/** First parts of compounds that keep their hyphen. */
const compoundHeads = new Set((
  'self well non anti co ex quasi semi multi cross high low long short full half part real open time two three four five six seven eight ' +
  'nine ten first second third one all post pre pro mid vice north south east west large small fine hard soft free state user data ' +
  'object problem decision cost risk end single double triple left right top bottom so in on off out up down re then by to land sea ' +
  'best worst better still much ever never newly widely fast slow early late old new good bad human machine computer domain task ' +
  'vis state-of the-art out-of up-to on-the so-called e').split(' '));

/** Whole words made of two words, which the document's vocabulary may lack: their halves do not show that the hyphen belongs to the word. */
const closedCompounds = new Set((
  'something someone somewhere sometimes somehow anything anyone anybody anywhere everything everyone everybody everywhere nothing ' +
  'nobody without within into onto upon throughout understand understanding understood however whatever whenever wherever whoever ' +
  'whether therefore thereby therein moreover furthermore nevertheless nonetheless otherwise likewise another together altogether ' +
  'always already although almost also instead because before become became becoming between below behind beside besides beyond ' +
  'outside inside himself herself itself myself yourself themselves ourselves today tomorrow meanwhile workshop framework network ' +
  'background underlying overall overview output input outcome outline online offline database baseline website downstream upstream ' +
  'throughput forward toward towards afterwards backwards notwithstanding inasmuch hereafter important foreign information').split(' '));

/** Parts that French attaches to verbs and words with a hyphen: `êtes-vous`, `eux-mêmes`. */
const enclitics = /^(?:vous|nous|elles?|ils?|moi|toi|lui|leur|là|mêmes?)$/u;

function isFrench(vocabulary: Vocabulary): boolean {
  return ['les', 'des', 'dans', 'est', 'que', 'qui', 'une', 'pas'].filter((word) => vocabulary.has(word)).length >= 3;
}

/**
 * Whether the hyphen between `head` and `tail` belongs to the word (`time-symmetric`) or only to the line (`tem-perature`).
 * Other occurrences in the document decide. In doubt the hyphen is kept: it can still be read, but a lost one cannot be restored.
 */
function keepsHyphen(head: string, tail: string, vocabulary: Vocabulary): boolean {
  if (!/^\p{Ll}/u.test(tail)) return true;
  const lowHead = head.toLowerCase();
  const lowTail = tail.toLowerCase();
  const joined = lowHead + lowTail;
  const hyphened = vocabulary.get(`${lowHead}-${lowTail}`) ?? 0;
  const whole = vocabulary.get(joined) ?? 0;
  if (whole !== hyphened) return hyphened > whole;
  if (closedCompounds.has(joined)) return false;
  if (enclitics.test(lowTail) && lowHead.length > 1 && isFrench(vocabulary)) return true;
  // A hyphen inside the head: `state-of-the-` continues in the same way.
  if (/[-\u2010\u2011]/.test(head)) return true;
  if (lowTail.length <= 2 || lowHead.length === 1) return lowHead.length === 1;
  if (/^\p{Lu}{2,}$/u.test(head)) return true;
  const tailIsWord = (vocabulary.get(lowTail) ?? 0) > 0;
  const headIsWord = (vocabulary.get(lowHead) ?? 0) > 0;
  if (compoundHeads.has(lowHead)) return tailIsWord || lowTail.length > 4 && lowHead.length > 3;
  return headIsWord && tailIsWord && lowHead.length > 3 && lowTail.length > 3;
}

/** Ideographs, kana, and their punctuation. */
const ideographic = '[\\p{Ideographic}\\u2e80-\\u30ff\\uff00-\\uffef]';
const ideographicAtEnd = new RegExp(`${ideographic}$`, 'u');
const ideographs = new RegExp(ideographic, 'gu');
const ideographicAtStart = new RegExp(`^${ideographic}`, 'u');
/** Punctuation without a space beside an ideograph, in any direction of writing. */
const tightAtEnd = /[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20“”‘’—…·]$/u;
const tightAtStart = /^[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20“”‘’—…·]/u;
/** Words and numbers of other scripts, and places where a space separates them from ideographs. */
const otherWord = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}]+/gu;
const spaced = /[\p{Ideographic}\u3040-\u30ff] [\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}]|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}] [\p{Ideographic}\u3040-\u30ff]/u;

/** The separator between an ideograph and another character at a line end: none, unless the lines contain spaces at such places, or only a few ideographs. */
function besideIdeograph(first: string, second: string): string {
  const both = `${first}\n${second}`;
  if ((both.match(ideographs)?.length ?? 0) < (both.match(otherWord)?.length ?? 0)) return ' ';
  if (tightAtEnd.test(first) || tightAtStart.test(second)) return '';
  return spaced.test(both) ? ' ' : '';
}

const hangulAtEnd = /(\p{Script=Hangul}+)$/u;
const hangulAtStart = /^(\p{Script=Hangul}+)/u;
/** Endings that are never separate words. */
const koreanEnding = /^(?:를|는|에서|에게|으로|까지|부터)$/u;

/** Spaces separate Korean words, but some programs break lines within them. The vocabulary then has the whole word, but not its rest. */
function breaksKoreanWord(head: string, tail: string, vocabulary: Vocabulary): boolean {
  return koreanEnding.test(tail) || (vocabulary.get(head + tail) ?? 0) > (vocabulary.get(tail) ?? 0);
}

/** The separator between two lines of one paragraph, and the number of characters that the first line loses at its end. */
export function seam(first: { text: string; softHyphen: boolean }, second: string, vocabulary: Vocabulary): { between: string; cut: number } {
  const { text } = first;
  if (text.endsWith('\u00ad')) return { between: '', cut: 1 };
  if (first.softHyphen) return { between: '', cut: /[-\u2010]{1,2}$/.exec(text)?.[0].length ?? 0 };
  const head = hyphenAtEnd.exec(text);
  const tail = wordAtStart.exec(second);
  if (head !== null && tail !== null) return { between: '', cut: keepsHyphen(head[1]!, tail[1]!, vocabulary) ? head[2]!.length - 1 : head[2]!.length };
  if (/[\p{L}\p{N}][-\u2010]$/u.test(text) && /^[\p{L}\p{N}]/u.test(second)) return { between: '', cut: 0 };
  // A range of numbers continues without a space after its dash.
  if (/[\d⁰¹²³⁴-⁹][\u2013\u2212⁻]$/u.test(text) && /^\d/.test(second)) return { between: '', cut: 0 };
  // Addresses continue without a space after a slash.
  if (/\b(https?:\/\/|www\.)\S*[/_=?&.-]$/.test(text) && /^[\w%]/.test(second)) return { between: '', cut: 0 };
  const korean = [hangulAtEnd.exec(text)?.[1], hangulAtStart.exec(second)?.[1]] as const;
  if (korean[0] !== undefined && korean[1] !== undefined) return { between: breaksKoreanWord(korean[0], korean[1], vocabulary) ? '' : ' ', cut: 0 };
  const [before, behind] = [ideographicAtEnd.test(text), ideographicAtStart.test(second)];
  if (before && behind) return { between: '', cut: 0 };
  if ((before || behind) && korean[0] === undefined && korean[1] === undefined) return { between: besideIdeograph(text, second), cut: 0 };
  return { between: ' ', cut: 0 };
}

export interface RunningText {
  text: string;
  /** With the hyphens at line ends and a line feed at each line's end. */
  orig: string;
  spans: Span[];
  /** Offset in `orig` at which each line begins. */
  starts: number[];
}

/** The lines as one text. */
export function joinLines(lines: Pick<TextLine, 'text' | 'softHyphen' | 'spans'>[], vocabulary: Vocabulary): RunningText {
  let text = '';
  let orig = '';
  const spans: Span[] = [];
  const starts: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      const { between, cut } = seam(lines[index - 1]!, line.text, vocabulary);
      text = (cut > 0 ? text.slice(0, -cut) : text) + between;
      orig += '\n';
    }
    starts.push(orig.length);
    const shift = text.length;
    for (const span of line.spans) spans.push({ ...span, start: span.start + shift, end: span.end + shift });
    text += line.text;
    orig += line.text;
  }
  return { text: text.replace(/\u00ad$/, ''), orig, spans, starts };
}
