/** The work that the patterns of one schema may cause, whatever part of the compiler does it. */
import { PatternRefusal } from './parse.js';

/** Visits of states, edges and ranges, some half a microsecond each. Of the known formats none takes more than a fiftieth of it. */
const mostSteps = 2_000_000;

export class Effort {
  #left = mostSteps;

  /** Throws PatternRefusal where that was the last. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new PatternRefusal('takes too many steps to work out');
  }
}
