/** Decimal numbers that are multiples of a step, as an automaton over their digits. */
import type { Expression } from '../grammar/expression.js';
import type { Grammar } from '../grammar/grammar.js';
import { textExpression } from '../pattern/expression.js';
import { PatternRefusal } from '../pattern/parse.js';
import { type State, trimmed } from '../pattern/automaton.js';
import { magnitudeOf } from './decimals.js';

/** Numbers as whole counts of `10 ** -places`. */
export interface Step {
  size: bigint;
  places: number;
}

/** From `least` to `most`, both included, in the same counts. */
export interface Interval {
  least: bigint;
  most: bigint;
}

/** Digits before and behind the point together: so many survive the way through a double. */
const mostDigits = 15;
const mostPlaces = 6;
/** Of one number. Steps of 7 with 15 digits take 110, of 37 some 560; a grammar of 600 takes the engine a few milliseconds to read. */
const mostStates = 600;

/** A number of which each of `steps` divides, none of them zero. Throws PatternRefusal for steps that are too fine. */
export function commonStep(steps: readonly number[]): Step {
  const magnitudes = steps.map((step) => magnitudeOf(step, false));
  const places = Math.max(0, ...magnitudes.map(({ fraction }) => fraction.length));
  if (places > mostPlaces) throw new PatternRefusal(`is only supported with up to ${mostPlaces} decimal places`);
  const sizes = magnitudes.map(({ whole, fraction }) => BigInt(`${whole}${fraction.padEnd(places, '0')}`));
  return { places, size: sizes.reduce((left, right) => left / divisorOf(left, right) * right, 1n) };
}

function divisorOf(left: bigint, right: bigint): bigint {
  return right === 0n ? left : divisorOf(right, left % right);
}

/** Whether `value` is a multiple of `step` as decimal numbers, not as doubles: 19.99 is one of 0.01. */
export function isMultiple(value: number, step: number): boolean {
  if (step <= 0 || !Number.isFinite(value) || !Number.isFinite(step)) return false;
  const [ours, theirs] = [magnitudeOf(value, false), magnitudeOf(step, false)];
  const places = Math.max(ours.fraction.length, theirs.fraction.length);
  const scaled = ({ whole, fraction }: typeof ours): bigint => BigInt(`${whole}${fraction.padEnd(places, '0')}`);
  return scaled(ours) % scaled(theirs) === 0n;
}

/** The bound in counts of `10 ** -places`: the first that is inside, from below (`side` 1) or from above (-1). */
export function boundIn(places: number, value: number, isOpen: boolean, side: 1 | -1): bigint {
  const { whole, fraction } = magnitudeOf(value, false);
  const kept = BigInt(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`);
  const isExact = fraction.length <= places;
  const sign = value < 0 ? -1n : 1n;
  // Towards zero so far; what was cut off lies away from it.
  const inwards = isExact ? (isOpen ? BigInt(side) : 0n) : (side === 1) === (value > 0) ? BigInt(side) : 0n;
  return sign * kept + inwards;
}

/** The largest count that is written; its negative is the least. */
export const largest = 10n ** BigInt(mostDigits) - 1n;

/** Numbers of the intervals that `step` divides. Throws PatternRefusal where they take too many states, `invalid_request` where the grammar gets too large. */
export function multiples(grammar: Grammar, { size, places }: Step, intervals: readonly Interval[]): Expression {
  if (intervals.some(({ least, most }) => least > largest || most < -largest)) throw new PatternRefusal(`is only supported for numbers of up to ${mostDigits} digits`);
  const digits = new Digits(size, places);
  const inside = (least: bigint, most: bigint): Interval[] => (least > most ? [] : [{ least, most }]);
  const upper = (value: bigint): bigint => (value < largest ? value : largest);
  const zero = 0n;
  const positive = intervals.flatMap(({ least, most }) => inside(least > zero ? least : zero, upper(most)));
  const negative = intervals.flatMap(({ least, most }) => inside(most < zero ? -most : 1n, upper(-least)));
  return textExpression(grammar, trimmed(digits.automaton(positive, negative)), 'multiple');
}

interface Place {
  /** Digits that are still to come, those behind the point among them. */
  left: number;
  /** What was written, as a number. */
  prefix: bigint;
  /** Bounds that the digits to come can still miss. */
  least: bigint | null;
  most: bigint | null;
  isBehindPoint: boolean;
}

class Digits {
  readonly #states: State[] = [];
  readonly #known = new Map<string, number>();

  constructor(private readonly size: bigint, private readonly places: number) {}

  /** May branch in the same character: a grammar follows all branches. */
  automaton(positive: readonly Interval[], negative: readonly Interval[]): State[] {
    const start = this.#add();
    const edges = this.#starts(negative);
    if (edges.length > 0) {
      const minus = this.#add();
      minus.state.edges.push(...edges);
      start.state.edges.push({ first: 0x2d, last: 0x2d, to: minus.number });
    }
    start.state.edges.push(...this.#starts(positive));
    return this.#states;
  }

  #add(): { state: State; number: number } {
    if (this.#states.length >= mostStates) throw new PatternRefusal(`needs more than ${mostStates} states for its digits`);
    const state: State = { accepts: false, edges: [] };
    return { state, number: this.#states.push(state) - 1 };
  }

  #starts(intervals: readonly Interval[]): State['edges'] {
    return intervals.flatMap(({ least, most }) => {
      const edges: State['edges'] = [];
      for (let length = this.places + 1; length <= Math.max(this.places + 1, most.toString().length); length += 1) {
        // A number begins with a zero only where that is all before the point.
        for (let digit = length === this.places + 1 ? 0 : 1; digit <= 9; digit += 1) edges.push(...this.#edge(digit, { left: length, prefix: 0n, least, most, isBehindPoint: false }));
      }
      return edges;
    });
  }

  #edge(digit: number, { left, prefix, least, most, isBehindPoint }: Place): State['edges'] {
    const rest = 10n ** BigInt(left - 1);
    const next = prefix * 10n + BigInt(digit);
    const [lowest, highest] = [next * rest, (next + 1n) * rest - 1n];
    if ((least !== null && highest < least) || (most !== null && lowest > most)) return [];
    const to = this.#state({ left: left - 1, prefix: next, least: least !== null && least > lowest ? least : null, most: most !== null && most < highest ? most : null, isBehindPoint });
    return to === null ? [] : [{ first: 0x30 + digit, last: 0x30 + digit, to }];
  }

  /** Null where no multiple can follow. */
  #state(place: Place): number | null {
    const { left, prefix, least, most, isBehindPoint } = place;
    const power = 10n ** BigInt(left);
    const missing = (this.size - prefix * power % this.size) % this.size;
    const isFree = least === null && most === null;
    if (isFree && missing >= power) return null;
    const beforePoint = left === this.places && this.places > 0 && !isBehindPoint;
    const key = isFree ? `${left} ${missing} ${isBehindPoint || beforePoint}` : `${left} ${prefix} ${least} ${most} ${isBehindPoint}`;
    const full = beforePoint ? `${key} .` : key;
    const known = this.#known.get(full);
    if (known !== undefined) return known;
    const { state, number } = this.#add();
    this.#known.set(full, number);
    // Behind the point zeros need not be written; the point itself wants a digit.
    const isPoint = isBehindPoint && left === this.places;
    state.accepts = left <= this.places && !isPoint && missing === 0n && (least === null || prefix * power >= least);
    if (beforePoint) {
      const to = this.#state({ ...place, isBehindPoint: true });
      if (to !== null) state.edges.push({ first: 0x2e, last: 0x2e, to });
    } else if (left > 0) {
      for (let digit = 0; digit <= 9; digit += 1) state.edges.push(...this.#edge(digit, place));
    }
    return number;
  }
}
