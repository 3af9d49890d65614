/** Control tokens give no text in an answer; those that structure it are put back where they were written. */
import type { LanguageModel, TokenChunk } from '../../engine/port.js';

/** `markers`: id -> text. Without any, bursts pass as they are. */
export class ControlMarkers {
  readonly #model: LanguageModel;
  readonly #markers: ReadonlyMap<number, string>;
  /** Tokens whose bytes were not asked for yet, and the bytes of text that all before them stand for. */
  #uncounted: number[] = [];
  #countedBytes = 0;
  /** Text that is not shown yet; bytes of what is. */
  #text = '';
  #shownBytes = 0;
  /** Markers whose place in the text has not been reached: bytes of text before each. */
  readonly #due: { bytes: number; marker: string }[] = [];

  constructor(model: LanguageModel, markers: ReadonlyMap<number, string>) {
    this.#model = model;
    this.#markers = markers;
  }

  push({ text, ids }: TokenChunk): string {
    if (this.#markers.size === 0) return text;
    this.#text += text;
    for (const id of ids) {
      const marker = this.#markers.get(id);
      if (marker === undefined) this.#uncounted.push(id);
      else this.#due.push({ bytes: this.#bytesSoFar(), marker });
    }
    return this.#take();
  }

  /** Bytes of text that all tokens before stand for. Each is asked for once, and only where a marker comes: plain answers cost nothing here. */
  #bytesSoFar(): number {
    for (const id of this.#uncounted) this.#countedBytes += this.#model.tokenBytes(id).length;
    this.#uncounted = [];
    return this.#countedBytes;
  }

  #take(): string {
    let made = '';
    for (let next = this.#due[0]; next !== undefined; next = this.#due[0]) {
      const waiting = Buffer.from(this.#text);
      const before = Math.max(0, next.bytes - this.#shownBytes);
      if (waiting.length < before) return made;
      made += this.#show(waiting.subarray(0, before).toString().length) + next.marker;
      this.#due.shift();
    }
    return made + this.#show(this.#text.length);
  }

  #show(length: number): string {
    const shown = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#shownBytes += Buffer.byteLength(shown);
    return shown;
  }

  /** The rest, where the text ended before a marker's place. */
  end(): string {
    const rest = this.#show(this.#text.length) + this.#due.map(({ marker }) => marker).join('');
    this.#due.length = 0;
    return rest;
  }
}
