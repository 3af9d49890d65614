/** Numbers by their bounds. */
import { choice, type Expression, nothing, sequence, text } from '../grammar/expression.js';
import type { SchemaNodes, Together } from './nodes.js';
import { decimalsBetween, type Magnitude, magnitudeOf, wholeBetween } from './decimals.js';
import { formatBounds } from './formats.js';
import { keywordsOf, numberOf } from './keywords.js';
import { boundIn, commonStep, largest, multiples } from './multiples.js';
import { exclusionOf } from './negation.js';
import { keptOrLeftOut } from './pattern-automaton.js';
import type { SchemaContext } from './schema-context.js';

interface Bound {
  value: number;
  isOpen: boolean;
}

/** In all, where every number has to stay on its side of a bound that lies outside: so many survive the way through a double. */
const mostExactDigits = 15;
const mostPlaces = 22;

export function numberExpression(context: SchemaContext, together: Together, isInteger: boolean): Expression {
  const { nodes, json } = context;
  const bounds = { least: [] as Bound[], most: [] as Bound[] };
  for (const node of together) {
    for (const [keyword, side, isOpen] of [['minimum', 'least', false], ['exclusiveMinimum', 'least', true], ['maximum', 'most', false], ['exclusiveMaximum', 'most', true]] as const) {
      const value = numberOf(nodes, node, keyword);
      if (value !== undefined) bounds[side].push({ value, isOpen });
    }
    const [least, most] = formatBounds(keywordsOf(node)['format']) ?? [];
    if (least !== undefined && most !== undefined) {
      bounds.least.push({ value: least, isOpen: false });
      bounds.most.push({ value: most, isOpen: false });
    }
  }
  const steps = stepsOf(nodes, together);
  const whole = isInteger || steps.includes(1);
  const spans = spansBeside(excludedNumbers(together), tightest(bounds.least, 1), tightest(bounds.most, -1));
  const finer = steps.filter((step) => step !== 1);
  const node = together.find((one) => keywordsOf(one)['multipleOf'] !== undefined);
  if (node !== undefined && finer.length > 0) {
    const held = keptOrLeftOut(nodes, node, 'multipleOf', () => multiplesBetween(context, whole ? [1, ...finer] : finer, spans));
    if (held !== null) return held;
  }
  return choice(...spans.map(({ least, most }) => {
    if (least === null && most === null) return whole ? json.integer : json.number;
    return whole ? integers(least, most) : decimals(least, most);
  }));
}

interface Span {
  least: Bound | null;
  most: Bound | null;
}

function stepsOf(nodes: SchemaNodes, together: Together): number[] {
  return together.flatMap((node) => {
    const step = numberOf(nodes, node, 'multipleOf');
    if (step === undefined) return [];
    if (step <= 0) nodes.refuse(node, 'multipleOf', 'must be a number above zero');
    if (step === 1 || !nodes.isSimple) return [step];
    nodes.leaveOut(node, 'multipleOf', 'makes the grammar too large');
    return [];
  });
}

/** Numbers that a `not` names, ascending. */
function excludedNumbers(together: Together): number[] {
  const named = together.flatMap((node) => exclusionOf(node)?.enum ?? []).filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  return [...new Set(named)].sort((a, b) => a - b);
}

/** What lies between the bounds and beside the excluded numbers. */
function spansBeside(excluded: readonly number[], least: Bound | null, most: Bound | null): Span[] {
  const open = (value: number): Bound => ({ value, isOpen: true });
  const edges = [least, ...excluded.flatMap((value) => [open(value), open(value)]), most];
  const spans: Span[] = [];
  for (let index = 0; index < edges.length; index += 2) {
    const [from, to] = [tightest([edges[index] ?? [], least ?? []].flat(), 1), tightest([edges[index + 1] ?? [], most ?? []].flat(), -1)];
    if (from === null || to === null || from.value < to.value || (from.value === to.value && !from.isOpen && !to.isOpen)) spans.push({ least: from, most: to });
  }
  return spans;
}

function multiplesBetween({ json }: SchemaContext, steps: readonly number[], spans: readonly Span[]): Expression {
  const step = commonStep(steps);
  return multiples(json.grammar, step, spans.map(({ least, most }) => ({
    least: least === null ? -largest : boundIn(step.places, least.value, least.isOpen, 1),
    most: most === null ? largest : boundIn(step.places, most.value, most.isOpen, -1),
  })));
}

/** The one that leaves the least; `sign` 1 for lower bounds. */
function tightest(bounds: Bound[], sign: 1 | -1): Bound | null {
  return bounds.reduce<Bound | null>((best, bound) => {
    if (best === null || (bound.value - best.value) * sign > 0) return bound;
    return bound.value === best.value && bound.isOpen ? bound : best;
  }, null);
}

function integers(least: Bound | null, most: Bound | null): Expression {
  const from = least === null ? null : BigInt(Math.ceil(least.value)) + (least.isOpen && Number.isInteger(least.value) ? 1n : 0n);
  const to = most === null ? null : BigInt(Math.floor(most.value)) - (most.isOpen && Number.isInteger(most.value) ? 1n : 0n);
  if (from !== null && to !== null && from > to) return nothing;
  const options: Expression[] = [];
  if (to === null || to >= 0n) options.push(wholeBetween(from !== null && from > 0n ? from : 0n, to));
  if (from === null || from < 0n) options.push(sequence(text('-'), wholeBetween(to !== null && to < 0n ? -to : 1n, from === null ? null : -from)));
  return choice(...options);
}

function decimals(least: Bound | null, most: Bound | null): Expression {
  if (least !== null && most !== null && (least.value > most.value || (least.value === most.value && (least.isOpen || most.isOpen)))) return nothing;
  const hasOpen = least?.isOpen === true || most?.isOpen === true;
  const places = (digits: number): number => (hasOpen ? Math.max(0, mostExactDigits - digits) : mostPlaces);
  const zero: Magnitude = { whole: 0n, fraction: '', isOpen: false };
  const of = (bound: Bound | null): Magnitude | null => (bound === null ? null : magnitudeOf(bound.value, bound.isOpen));
  const options: Expression[] = [];
  // Zero is written without a sign, and with one where negative numbers are allowed beside it.
  if (most === null || most.value > 0 || (most.value === 0 && !most.isOpen)) options.push(decimalsBetween(least !== null && least.value >= 0 ? of(least) ?? zero : zero, of(most), places));
  if (least === null || least.value < 0) {
    const nearest = most !== null && most.value <= 0 ? of(most) ?? zero : zero;
    options.push(sequence(text('-'), decimalsBetween(nearest, of(least), places)));
  }
  return choice(...options);
}
