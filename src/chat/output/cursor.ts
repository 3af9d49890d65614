/** A place in a text that may still grow. */

/** Thrown where the text ends before it is decided what it is. */
export const unfinished = new Error('the text ends here');
/** Thrown where the text is something else. */
export const mismatch = new Error('the text is something else');

const space = /\s*/y;

export class Cursor {
  at = 0;

  /** `isWhole`: nothing follows the text; otherwise its end decides nothing. */
  constructor(readonly text: string, readonly isWhole: boolean) {}

  /** Throws `unfinished` where more may come. */
  get isAtEnd(): boolean {
    if (this.at < this.text.length) return false;
    if (!this.isWhole) throw unfinished;
    return true;
  }

  space(): void {
    space.lastIndex = this.at;
    space.exec(this.text);
    this.at = space.lastIndex;
  }

  /** Whether `literal` stands here; moves behind it. Throws `unfinished` where the text ends within it. */
  take(literal: string): boolean {
    if (this.text.startsWith(literal, this.at)) {
      this.at += literal.length;
      return true;
    }
    if (!this.isWhole && this.text.length - this.at < literal.length && literal.startsWith(this.text.slice(this.at))) throw unfinished;
    return false;
  }

  expect(literal: string): void {
    if (!this.take(literal)) throw mismatch;
  }

  /** The character here; empty at the end of a whole text. */
  peek(): string {
    return this.isAtEnd ? '' : this.text.charAt(this.at);
  }

  /**
   * What the sticky expression finds here, which may be empty. Where it reaches the end of a text that may grow, throws `unfinished` if `mayGrow`
   * accepts it as a beginning, `mismatch` otherwise.
   */
  match(expression: RegExp, mayGrow: (begun: string) => boolean = () => true): string {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0] ?? '';
    if (this.at + found.length === this.text.length && !this.isWhole) throw mayGrow(found) ? unfinished : mismatch;
    this.at += found.length;
    return found;
  }
}
