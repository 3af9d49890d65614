/** Deterministic automata over code points: made of sets of states, cut with each other, freed of states that lead nowhere. */
import type { Ranges } from '../grammar/expression.js';
import type { Effort } from './effort.js';
import { PatternRefusal } from './parse.js';

export interface State {
  accepts: boolean;
  /** Ascending and apart from each other. */
  edges: { first: number; last: number; to: number }[];
}

/** The first state is where it begins; none: it accepts nothing. Every state leads to an accepting one. */
export type Automaton = readonly State[];

/** The largest of published formats (IPv6 addresses) has some 200. */
const mostStates = 6000;

interface Edge<T> {
  first: number;
  last: number;
  to: T;
}

/** From a start and what leads on from each; `keyOf` tells states apart. Throws PatternRefusal for too many. */
function explore<T>(effort: Effort, start: T, keyOf: (state: T) => string, accepts: (state: T) => boolean, edgesOf: (state: T) => Edge<T>[]): Automaton {
  const numbers = new Map([[keyOf(start), 0]]);
  const found = [start];
  const states: State[] = [];
  for (let at = 0; at < found.length; at += 1) {
    const state = found[at] as T;
    const leaving = edgesOf(state);
    effort.spend(1 + leaving.length);
    const edges = leaving.map(({ first, last, to }) => {
      const key = keyOf(to);
      const number = numbers.get(key) ?? found.push(to) - 1;
      if (found.length > mostStates) throw new PatternRefusal(`needs more than ${mostStates} states`);
      numbers.set(key, number);
      return { first, last, to: number };
    });
    states.push({ accepts: accepts(state), edges: merged(edges) });
  }
  return trimmed(states);
}

function merged(edges: State['edges']): State['edges'] {
  const made: State['edges'] = [];
  for (const edge of edges) {
    const before = made.at(-1);
    if (before !== undefined && before.to === edge.to && before.last + 1 === edge.first) before.last = edge.last;
    else made.push({ ...edge });
  }
  return made;
}

/** Without the states from which no accepting one is reached. */
export function trimmed(states: readonly State[]): Automaton {
  const before = states.map((): number[] => []);
  for (const [from, { edges }] of states.entries()) for (const { to } of edges) before[to]?.push(from);
  const useful = new Set<number>();
  const waiting = states.flatMap(({ accepts }, number) => (accepts ? [number] : []));
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (useful.has(number)) continue;
    useful.add(number);
    waiting.push(...before[number] ?? []);
  }
  if (!useful.has(0)) return [];
  const renamed = new Map([...useful].sort((a, b) => a - b).map((number, index) => [number, index]));
  return [...renamed.keys()].map((number) => {
    const { accepts, edges } = states[number] as State;
    return { accepts, edges: edges.flatMap(({ first, last, to }) => (renamed.has(to) ? [{ first, last, to: renamed.get(to) ?? 0 }] : [])) };
  });
}

/** States that may hold at once, with what leads on from each without and with a character. */
export interface Network {
  free: number[][];
  edges: { ranges: Ranges; to: number }[][];
  effort: Effort;
}

/** `accepting`: the one state in which a text may end. Throws PatternRefusal where it gets too large or takes too long. */
export function determine({ free, edges, effort }: Network, start: number, accepting: number): Automaton {
  const closure = (from: Iterable<number>): number[] => {
    const reached = new Set<number>();
    const waiting = [...from];
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      if (reached.has(state)) continue;
      reached.add(state);
      waiting.push(...free[state] ?? []);
    }
    effort.spend(reached.size);
    return [...reached].sort((a, b) => a - b);
  };
  const edgesOf = (states: number[]): Edge<number[]>[] => {
    const leaving = states.flatMap((state) => (edges[state] ?? []).flatMap(({ ranges, to }) => ranges.map(([first, last]) => ({ first, last, to }))));
    return overlay(effort, leaving).map(({ first, last, to }) => ({ first, last, to: closure(new Set(to)) }));
  };
  return explore(effort, closure([start]), (states) => states.join(), (states) => states.includes(accepting), edgesOf);
}

/** Ranges that cross each other, cut where they do. */
function overlay<T>(effort: Effort, leaving: Edge<T>[]): Edge<T[]>[] {
  effort.spend(leaving.length);
  const cuts = [...new Set(leaving.flatMap(({ first, last }) => [first, last + 1]))].sort((a, b) => a - b);
  const starts = [...leaving].sort((a, b) => a.first - b.first);
  const made: Edge<T[]>[] = [];
  let open: Edge<T>[] = [];
  let next = 0;
  for (const [index, cut] of cuts.entries()) {
    open = open.filter(({ last }) => last >= cut);
    for (let edge = starts[next]; edge !== undefined && edge.first <= cut; edge = starts[next += 1]) open.push(edge);
    const end = (cuts[index + 1] ?? cut + 1) - 1;
    effort.spend(1 + open.length);
    if (open.length > 0) made.push({ first: cut, last: end, to: open.map(({ to }) => to) });
  }
  return made;
}

/** Texts of both. */
export function both(effort: Effort, left: Automaton, right: Automaton): Automaton {
  return product(effort, left, right, (a, b) => a && b, false);
}

/** Texts of `left` that are none of `right`. */
export function without(effort: Effort, left: Automaton, right: Automaton): Automaton {
  return product(effort, left, right, (a, b) => a && !b, true);
}

function product(effort: Effort, left: Automaton, right: Automaton, accepts: (left: boolean, right: boolean) => boolean, goesOnAlone: boolean): Automaton {
  if (left.length === 0 || (right.length === 0 && !goesOnAlone)) return [];
  type Pair = readonly [number, number];
  const edgesOf = ([a, b]: Pair): Edge<Pair>[] => {
    const ours = (left[a]?.edges ?? []).map(({ first, last, to }) => ({ first, last, to: { ours: to, theirs: -1 } }));
    const theirs = (right[b]?.edges ?? []).map(({ first, last, to }) => ({ first, last, to: { ours: -1, theirs: to } }));
    return overlay(effort, [...ours, ...theirs]).flatMap(({ first, last, to }) => {
      const pair: Pair = [Math.max(...to.map((one) => one.ours)), Math.max(...to.map((one) => one.theirs))];
      return pair[0] < 0 || (pair[1] < 0 && !goesOnAlone) ? [] : [{ first, last, to: pair }];
    });
  };
  return explore<Pair>(effort, [0, right.length === 0 ? -1 : 0], (pair) => pair.join(), ([a, b]) => accepts(left[a]?.accepts ?? false, right[b]?.accepts ?? false), edgesOf);
}

export function accepts(automaton: Automaton, text: string): boolean {
  let state = automaton[0];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const edge = state?.edges.find(({ first, last }) => first <= point && point <= last);
    if (edge === undefined) return false;
    state = automaton[edge.to];
  }
  return state?.accepts ?? false;
}
