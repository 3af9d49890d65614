/** Finds the JSON objects of calls in a text that comes in pieces; what stands between them is punctuation of the model's dialect. */

export class CallScanner {
  /** What came of the object that is being read; empty between objects. */
  #object = '';
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The objects that became complete, as they were written. Takes time in proportion to `piece`. */
  push(piece: string): string[] {
    const found: string[] = [];
    let begin = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < piece.length; at += 1) {
      const character = piece.charAt(at);
      if (begin < 0 && character !== '{') continue;
      if (begin < 0) begin = at;
      if (!this.#ends(character)) continue;
      found.push(this.#object + piece.slice(begin, at + 1));
      this.#object = '';
      begin = -1;
    }
    if (begin >= 0) this.#object += piece.slice(begin);
    return found;
  }

  /** What was begun and is no whole object yet. */
  get unfinished(): string {
    return this.#object;
  }

  /** True when an object ends with this character of it. */
  #ends(character: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = false;
      return false;
    }
    if (character === '"') this.#inString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
    return this.#depth === 0;
  }
}
