/** Finds the JSON objects of calls in a text that comes in pieces; what stands between them is punctuation of the model's dialect. */

export class CallScanner {
  #text = '';
  /** Of the object that is being read; -1 between objects. */
  #begin = -1;
  #at = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The objects that became complete, as they were written. Takes time in proportion to `piece`. */
  push(piece: string): string[] {
    this.#text += piece;
    const found: string[] = [];
    for (; this.#at < this.#text.length; this.#at += 1) if (this.#step(this.#text.charAt(this.#at))) found.push(this.#cut());
    if (this.#begin < 0) this.#forget(this.#at);
    return found;
  }

  /** What was begun and is no whole object yet. */
  get unfinished(): string {
    return this.#begin < 0 ? '' : this.#text.slice(this.#begin);
  }

  /** True when an object ends with this character. */
  #step(character: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = false;
      return false;
    }
    if (character === '{' || (character === '[' && this.#begin >= 0)) {
      if (this.#begin < 0) this.#begin = this.#at;
      this.#depth += 1;
      return false;
    }
    if (this.#begin < 0) return false;
    if (character === '"') this.#inString = true;
    if (character !== '}' && character !== ']') return false;
    this.#depth -= 1;
    return this.#depth === 0;
  }

  #cut(): string {
    const source = this.#text.slice(this.#begin, this.#at + 1);
    this.#begin = -1;
    this.#forget(this.#at);
    return source;
  }

  #forget(length: number): void {
    this.#text = this.#text.slice(length);
    this.#at -= length;
  }
}
