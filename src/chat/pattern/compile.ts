/** Patterns as automata of the whole texts in which they are found. */
import { type Automaton, both, determine, type Network, without } from './automaton.js';
import type { Effort } from './effort.js';
import { type Pattern, parsePattern, PatternRefusal } from './parse.js';
import { everything } from './ranges.js';

const mostSteps = 20_000;

/** Texts in which the pattern is found anywhere, as JSON schema wants it. Throws PatternRefusal for what is no regular language or too large. */
export function compilePattern(effort: Effort, source: string): Automaton {
  const pattern = parsePattern(source);
  const builder = new Builder(effort);
  const end = builder.state();
  // Behind the pattern anything may follow, and before it too, but where it insists on the beginning.
  const rest = builder.anything(end);
  const atBegin = builder.build(pattern, rest, { atBegin: true, inLoop: false }, end);
  const later = builder.build(pattern, rest, { atBegin: false, inLoop: false }, end);
  const start = builder.state();
  const before = builder.state();
  builder.link(start, atBegin, before);
  builder.edge(before, everything, before);
  builder.link(before, later);
  return determine(builder, start, end);
}

/** `least` to `most` characters. */
export function compileLength(effort: Effort, least: number, most: number): Automaton {
  const builder = new Builder(effort);
  const end = builder.state();
  return determine(builder, builder.build({ kind: 'repeat', item: { kind: 'set', ranges: everything }, least, most }, end, { atBegin: true, inLoop: false }, end), end);
}

/** Just these texts. */
export function compileTexts(effort: Effort, texts: readonly string[]): Automaton {
  const builder = new Builder(effort);
  const end = builder.state();
  const sets = (text: string): Pattern[] => [...text].map((point) => ({ kind: 'set', ranges: [[point.codePointAt(0) ?? 0, point.codePointAt(0) ?? 0]] }));
  const start = builder.build({ kind: 'choice', options: texts.map((text) => ({ kind: 'sequence', items: sets(text) })) }, end, { atBegin: true, inLoop: false }, end);
  return determine(builder, start, end);
}

export function anyText(): Automaton {
  return [{ accepts: true, edges: everything.map(([first, last]) => ({ first, last, to: 0 })) }];
}

interface Place {
  /** Nothing stands before: `^` holds. */
  atBegin: boolean;
  /** What follows is not known yet. */
  inLoop: boolean;
}

/** Built from the end: each step knows the state that what follows it begins with. */
class Builder implements Network {
  readonly free: number[][] = [];
  readonly edges: Network['edges'] = [];

  constructor(readonly effort: Effort) {}

  state(): number {
    if (this.free.length >= mostSteps) throw new PatternRefusal(`needs more than ${mostSteps} steps`);
    this.edges.push([]);
    return this.free.push([]) - 1;
  }

  link(from: number, ...to: number[]): void {
    this.free[from]?.push(...to);
  }

  edge(from: number, ranges: Network['edges'][number][number]['ranges'], to: number): void {
    this.edges[from]?.push({ ranges, to });
  }

  anything(next: number): number {
    const state = this.state();
    this.edge(state, everything, state);
    this.link(state, next);
    return state;
  }

  build(pattern: Pattern, next: number, place: Place, end: number): number {
    // Counts also what makes no state, as an empty group that is repeated a billion times.
    this.effort.spend(1);
    switch (pattern.kind) {
      case 'set': {
        const state = this.state();
        this.edge(state, pattern.ranges, next);
        return state;
      }
      case 'choice': {
        const state = this.state();
        for (const option of pattern.options) this.link(state, this.build(option, next, place, end));
        return state;
      }
      case 'sequence': {
        const firstThatTakes = pattern.items.findIndex((item) => !takesNothing(item));
        return pattern.items.reduceRight((following, item, index) => {
          if (firstThatTakes >= 0 && index > firstThatTakes && insists(item)) throw new PatternRefusal('has a ^ that is not at its beginning');
          return this.build(item, following, place, end);
        }, next);
      }
      case 'repeat': return this.#repeat(pattern, next, place, end);
      case 'begin': return place.atBegin ? next : this.state();
      case 'end': return this.#end(next, place, end);
      case 'ahead': return this.#ahead(pattern, next, place, end);
    }
  }

  #repeat({ item, least, most }: Pattern & { kind: 'repeat' }, next: number, place: Place, end: number): number {
    if (insists(item)) throw new PatternRefusal('repeats a ^');
    let state = next;
    if (most === Infinity) {
      state = this.state();
      this.link(state, this.build(item, state, { ...place, inLoop: true }, end), next);
    } else {
      for (let count = least; count < most; count += 1) {
        const optional = this.state();
        this.link(optional, this.build(item, state, place, end), next);
        state = optional;
      }
    }
    for (let count = 0; count < least; count += 1) state = this.build(item, state, place, end);
    return state;
  }

  #end(next: number, { inLoop }: Place, end: number): number {
    if (inLoop) throw new PatternRefusal('repeats a $');
    const reached = new Set<number>();
    const waiting = [next];
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      if (reached.has(state)) continue;
      reached.add(state);
      waiting.push(...this.free[state] ?? []);
    }
    this.effort.spend(reached.size);
    return reached.has(end) ? end : this.state();
  }

  /** What follows, cut down to what the look ahead finds. */
  #ahead({ item, negative }: Pattern & { kind: 'ahead' }, next: number, place: Place, end: number): number {
    if (place.inLoop) throw new PatternRefusal('repeats a look ahead');
    const found = determine(this, this.build(item, this.anything(end), place, end), end);
    const rest = determine(this, next, end);
    return this.#embed(negative ? without(this.effort, rest, found) : both(this.effort, rest, found), end);
  }

  #embed(automaton: Automaton, end: number): number {
    const states = automaton.map(() => this.state());
    for (const [number, { accepts, edges }] of automaton.entries()) {
      const from = states[number] ?? 0;
      if (accepts) this.link(from, end);
      for (const { first, last, to } of edges) this.edge(from, [[first, last]], states[to] ?? 0);
    }
    return states[0] ?? this.state();
  }
}

function takesNothing(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case 'set': return false;
    case 'sequence': return pattern.items.every(takesNothing);
    case 'choice': return pattern.options.every(takesNothing);
    case 'repeat': return takesNothing(pattern.item);
    default: return true;
  }
}

/** Whether a `^` stands in it. */
function insists(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case 'begin': return true;
    case 'sequence': return pattern.items.some(insists);
    case 'choice': return pattern.options.some(insists);
    case 'repeat': case 'ahead': return insists(pattern.item);
    default: return false;
  }
}
