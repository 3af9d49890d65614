/** Segments fitted to a number of tokens: large ones parted at their items and then in their text, small neighbours joined. */
import { splitText } from './split-text.js';
import type { CountTokens, Part, Segment } from './types.js';

/** A segment that fits, with the tokens of its parts; headings not counted. */
interface Fitted extends Segment {
  tokens: number;
}

class Fitter {
  readonly #maxTokens: number;
  readonly #count: CountTokens;
  readonly #headingTokens = new Map<string[], number>();

  constructor(maxTokens: number, count: CountTokens) {
    this.#maxTokens = maxTokens;
    this.#count = count;
  }

  fit(segment: Segment): Fitted[] {
    const headings = this.#fittingHeadings(segment.headings);
    const room = Math.max(1, this.#maxTokens - this.#tokensOf(headings));
    const fitted: Fitted[] = [];
    let open: Fitted | null = null;
    for (const part of segment.parts.flatMap((one) => this.#partsThatFit(one, room))) {
      if (open !== null && open.tokens + part.tokens <= room) {
        open.parts.push(part);
        open.tokens += part.tokens;
      } else {
        open = { headings, captions: segment.captions, parts: [part], tokens: part.tokens };
        fitted.push(open);
      }
    }
    return fitted;
  }

  /** Joins neighbours under the same headings as long as they fit. Both must be without captions, which belong to one thing. */
  merge(chunks: Fitted[]): Fitted[] {
    const merged: Fitted[] = [];
    for (const chunk of chunks) {
      const last = merged.at(-1);
      const room = this.#maxTokens - this.#tokensOf(chunk.headings);
      if (last !== undefined && last.headings === chunk.headings && last.tokens + chunk.tokens <= room && last.captions.length + chunk.captions.length === 0) {
        for (const part of chunk.parts) last.parts.push(part);
        last.tokens += chunk.tokens;
      } else {
        merged.push({ ...chunk, parts: [...chunk.parts] });
      }
    }
    return merged;
  }

  readonly #shortened = new Map<string[], string[]>();

  /** Headings that leave half the chunk to its text: the outermost go first. */
  #fittingHeadings(headings: string[]): string[] {
    const known = this.#shortened.get(headings);
    if (known !== undefined) return known;
    let kept = headings;
    while (kept.length > 0 && this.#tokensOf(kept) > this.#maxTokens / 2) kept = kept.slice(1);
    this.#shortened.set(headings, kept);
    return kept;
  }

  #tokensOf(headings: string[]): number {
    const known = this.#headingTokens.get(headings) ?? headings.reduce((sum, heading) => sum + this.#count(heading), 0);
    this.#headingTokens.set(headings, known);
    return known;
  }

  #partsThatFit(part: Part, room: number): (Part & { tokens: number })[] {
    const tokens = this.#count(part.text);
    if (tokens <= room) return [{ ...part, tokens }];
    const lines = part.text.split('\n');
    const head = part.headLines > 0 ? `${lines.slice(0, part.headLines).join('\n')}\n` : '';
    const headTokens = head === '' ? 0 : this.#count(head);
    // A head that leaves no room for rows is text like any other.
    if (head === '' || headTokens > room / 2) return splitText(part.text, room, this.#count).map((text) => ({ ...part, text, headLines: 0, tokens: this.#count(text) }));
    const pieces = splitText(lines.slice(part.headLines).join('\n'), room - headTokens, this.#count);
    return pieces.map((text) => ({ ...part, text: head + text, tokens: headTokens + this.#count(text) }));
  }
}

/** Chunks of at most `maxTokens`, headings included. Takes time by the text's length, however large the number is. */
export function fitSegments(segments: Segment[], maxTokens: number, mergePeers: boolean, count: CountTokens): Segment[] {
  const fitter = new Fitter(maxTokens, count);
  const fitted = segments.flatMap((segment) => fitter.fit(segment));
  return mergePeers ? fitter.merge(fitted) : fitted;
}
