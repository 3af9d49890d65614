/** Control tokens give no text in an answer; those that structure it are put back where they were written. */
import type { LanguageModel, TokenBurst } from '../../engine/port.js';

/** `markers`: id -> text. Without any, bursts pass as they are. */
export class ControlMarkers {
  readonly #model: LanguageModel;
  readonly #markers: ReadonlyMap<number, string>;
  readonly #ids: number[] = [];
  #text = '';
  /** Markers whose place in the text has not been reached: bytes of text before each. */
  readonly #due: { bytes: number; marker: string }[] = [];
  #shown = 0;

  constructor(model: LanguageModel, markers: ReadonlyMap<number, string>) {
    this.#model = model;
    this.#markers = markers;
  }

  push({ text, ids }: TokenBurst): string {
    if (this.#markers.size === 0) return text;
    this.#text += text;
    if (this.#due.length === 0 && !ids.some((id) => this.#markers.has(id))) {
      for (const id of ids) this.#ids.push(id);
      this.#shown = this.#text.length;
      return text;
    }
    for (const id of ids) {
      const marker = this.#markers.get(id);
      if (marker !== undefined) this.#due.push({ bytes: this.#bytesSoFar(), marker });
      this.#ids.push(id);
    }
    return this.#take();
  }

  /** Bytes of text that all tokens before stand for: asked for once a marker, so that plain answers cost nothing here. */
  #bytesSoFar(): number {
    return this.#ids.reduce((sum, id) => (this.#markers.has(id) ? sum : sum + this.#model.tokenBytes(id).length), 0);
  }

  #take(): string {
    let made = '';
    for (let next = this.#due[0]; next !== undefined; next = this.#due[0]) {
      const whole = Buffer.from(this.#text);
      if (whole.length < next.bytes) break;
      const before = whole.subarray(0, next.bytes).toString().length;
      made += this.#text.slice(this.#shown, Math.max(this.#shown, before)) + next.marker;
      this.#shown = Math.max(this.#shown, before);
      this.#due.shift();
    }
    if (this.#due.length === 0) {
      made += this.#text.slice(this.#shown);
      this.#shown = this.#text.length;
    }
    return made;
  }

  /** The rest, where the text ended before a marker's place. */
  end(): string {
    const rest = this.#text.slice(this.#shown) + this.#due.map(({ marker }) => marker).join('');
    this.#shown = this.#text.length;
    this.#due.length = 0;
    return rest;
  }
}
