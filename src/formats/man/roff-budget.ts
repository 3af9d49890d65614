/** How much the macros and strings of one manual page may make: a few lines that call each other would otherwise be read for hours. */

/** Lines of the page and of its macros that are read, whether they make something or not. The longest pages that people wrote have 60,000. */
const mostLines = 1_000_000;
/** Characters that macros and strings put in place. */
const mostCharacters = 4_000_000;
/** Characters that each use of a macro or string counts for besides its own, because empty ones take time as well. */
const useCharacters = 10;

/** One for the whole page. */
export class RoffBudget {
  #lines = 0;
  #characters = 0;
  /** Conditions within conditions were left out. */
  tooDeep = false;

  /** False once the page has had its lines. */
  takeLines(count: number): boolean {
    this.#lines += count;
    return this.isLeft;
  }

  /** False where the text of a macro or string is too much, which then is left out. */
  takeText(length: number): boolean {
    this.#characters += length + useCharacters;
    return this.isLeft;
  }

  get isLeft(): boolean {
    return this.#lines <= mostLines && this.#characters <= mostCharacters;
  }

  get losses(): string[] {
    return [
      ...(this.isLeft ? [] : [`The macros and strings of the page make more than ${mostLines} lines or ${mostCharacters} characters; the rest is left out.`]),
      ...(this.tooDeep ? ['Conditions of the page that stand too deep in each other are left out.'] : []),
    ];
  }
}
