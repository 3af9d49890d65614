/** Segments fitted to a number of tokens: large ones parted at their items and then in their text, small neighbours joined. */
import { splitText } from './split-text.js';
import { textOf, type CountTokens, type SegmentPart, type DocumentSegment } from './chunk-types.js';

interface MeasuredPart extends SegmentPart {
  tokens: number;
}

/** A segment that should fit: what its parts have, counted apart, with the line ends between them. Headings are not counted. */
interface FittedSegment extends DocumentSegment {
  parts: MeasuredPart[];
  tokens: number;
}

/** A segment with the number of tokens of its whole text, headings included. */
export type CountedSegment = DocumentSegment & { numTokens: number };

/** Texts that go into one count: each is a sign of life, too. */
const letterBatch = 1 << 18;

class Fitter {
  readonly #maxTokens: number;
  readonly #count: CountTokens;
  /** By the headings of the document: those that are kept, and the tokens they take. */
  readonly #headings = new Map<string[], { kept: string[]; tokens: number }>();
  #newline = 1;

  constructor(maxTokens: number, count: CountTokens) {
    this.#maxTokens = maxTokens;
    this.#count = count;
  }

  async run(segments: DocumentSegment[], mergePeers: boolean): Promise<CountedSegment[]> {
    [this.#newline = 1] = await this.#countAll(['\n']);
    await this.#shortenHeadings(segments);
    const counts = await this.#countAll(segments.flatMap(({ parts }) => parts.map(({ text }) => text)));
    let at = 0;
    const fitted: FittedSegment[] = [];
    for (const segment of segments) fitted.push(...await this.#fit(segment, segment.parts.map((part) => ({ ...part, tokens: counts[at++] ?? 0 }))));
    const chunks = mergePeers ? this.#merge(fitted) : fitted;
    const totals = await this.#countAll(chunks.map(textOf));
    const counted: CountedSegment[] = [];
    for (const [index, chunk] of chunks.entries()) counted.push(...await this.#mend(chunk, totals[index] ?? 0));
    return counted;
  }

  async #countAll(texts: string[]): Promise<number[]> {
    const counts: number[] = [];
    let [batch, letters]: [string[], number] = [[], 0];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) for (const tokens of Array.from(await this.#count(batch))) counts.push(tokens);
      [batch, letters] = [[], 0];
    };
    for (const text of texts) {
      batch.push(text);
      letters += text.length + 1;
      if (letters > letterBatch) await flush();
    }
    await flush();
    return counts;
  }

  /** Headings that leave half the chunk to its text: the outermost go first. */
  async #shortenHeadings(segments: DocumentSegment[]): Promise<void> {
    for (const { headings } of segments) {
      if (this.#headings.has(headings)) continue;
      const ways = Array.from({ length: headings.length }, (_, left) => headings.slice(left));
      const counts = await this.#countAll(ways.map((kept) => `${kept.join('\n')}\n`));
      const chosen = counts.findIndex((tokens) => tokens <= this.#maxTokens / 2);
      this.#headings.set(headings, chosen < 0 ? { kept: [], tokens: 0 } : { kept: ways[chosen] ?? [], tokens: counts[chosen] ?? 0 });
    }
  }

  async #fit(segment: DocumentSegment, parts: MeasuredPart[]): Promise<FittedSegment[]> {
    const { kept, tokens } = this.#headings.get(segment.headings) ?? { kept: [], tokens: 0 };
    const room = Math.max(1, this.#maxTokens - tokens);
    const fitted: FittedSegment[] = [];
    let open: FittedSegment | null = null;
    for (const whole of parts) {
      for (const part of whole.tokens <= room ? [whole] : await this.#split(whole, room)) {
        if (open !== null && open.tokens + this.#newline + part.tokens <= room) {
          open.parts.push(part);
          open.tokens += this.#newline + part.tokens;
        } else {
          open = { headings: kept, captions: segment.captions, parts: [part], tokens: part.tokens };
          fitted.push(open);
        }
      }
    }
    return fitted;
  }

  /** Joins neighbours under the same headings as long as they fit. Both must be without captions, which belong to one thing. */
  #merge(chunks: FittedSegment[]): FittedSegment[] {
    const taken = new Map([...this.#headings.values()].map(({ kept, tokens }) => [kept, tokens]));
    const merged: FittedSegment[] = [];
    for (const chunk of chunks) {
      const last = merged.at(-1);
      const room = this.#maxTokens - (taken.get(chunk.headings) ?? 0);
      const tokens = (last?.tokens ?? 0) + this.#newline + chunk.tokens;
      if (last !== undefined && last.headings === chunk.headings && tokens <= room && last.captions.length + chunk.captions.length === 0) {
        last.parts.push(...chunk.parts);
        last.tokens = tokens;
      } else {
        merged.push({ ...chunk, parts: [...chunk.parts] });
      }
    }
    return merged;
  }

  async #split(part: SegmentPart, room: number): Promise<MeasuredPart[]> {
    const lines = part.text.split('\n');
    const head = part.headLines > 0 ? `${lines.slice(0, part.headLines).join('\n')}\n` : '';
    const [headTokens = 0] = head === '' ? [0] : await this.#countAll([head]);
    // A header that leaves no room for rows is text like any other.
    const keepsHead = head !== '' && headTokens <= room / 2;
    const body = keepsHead ? lines.slice(part.headLines).join('\n') : part.text;
    const pieces = (await splitText(body, keepsHead ? room - headTokens : room, this.#count)).map((text) => (keepsHead ? head + text : text));
    const counts = await this.#countAll(pieces);
    return pieces.map((text, index) => ({ ...part, text, headLines: keepsHead ? part.headLines : 0, tokens: counts[index] ?? 0 }));
  }

  /** Joined, texts may have more tokens than apart: such a chunk is parted once more. */
  async #mend(chunk: FittedSegment, total: number): Promise<CountedSegment[]> {
    const over = total - this.#maxTokens;
    const [first] = chunk.parts;
    if (over <= 0 || first === undefined) return [{ ...chunk, numTokens: total }];
    const half = chunk.parts.length >> 1;
    let parted: MeasuredPart[][];
    if (half > 0) parted = [chunk.parts.slice(0, half), chunk.parts.slice(half)];
    else {
      const pieces = await this.#split(first, Math.max(1, first.tokens - over));
      // One character, or nothing that could be cut.
      if (pieces.length < 2) return [{ ...chunk, numTokens: total }];
      parted = pieces.map((piece) => [piece]);
    }
    const chunks = parted.map((parts) => ({ ...chunk, parts }));
    const totals = await this.#countAll(chunks.map(textOf));
    const mended: CountedSegment[] = [];
    for (const [index, one] of chunks.entries()) mended.push(...await this.#mend(one, totals[index] ?? 0));
    return mended;
  }
}

/**
 * Chunks of at most `maxTokens`, headings included; only what a single character takes may be more. Counts each text a few times at most, however
 * large or small the number is.
 */
export function fitSegments(segments: DocumentSegment[], maxTokens: number, mergePeers: boolean, count: CountTokens): Promise<CountedSegment[]> {
  return new Fitter(maxTokens, count).run(segments, mergePeers);
}
