/** Numbers by their bounds. */
import { choice, type Expression, nothing, sequence, text } from '../grammar/expression.js';
import type { Together } from './nodes.js';
import { decimalsBetween, type Magnitude, magnitudeOf, wholeBetween } from './decimals.js';
import { formatBounds } from './formats.js';
import { keywordsOf, numberOf } from './keywords.js';
import type { SchemaContext } from './schema-context.js';

interface Bound {
  value: number;
  isOpen: boolean;
}

/** In all, where every number has to stay on its side of a bound that lies outside: so many survive the way through a double. */
const mostExactDigits = 15;
const mostPlaces = 22;

export function numberExpression({ nodes, json }: SchemaContext, together: Together, isInteger: boolean): Expression {
  const bounds = { least: [] as Bound[], most: [] as Bound[] };
  let whole = isInteger;
  for (const node of together) {
    const step = numberOf(nodes, node, 'multipleOf');
    if (step === 1) whole = true;
    else if (step !== undefined) nodes.leaveOut(node, 'multipleOf', 'is only supported as 1');
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
  const least = tightest(bounds.least, 1);
  const most = tightest(bounds.most, -1);
  if (least === null && most === null) return whole ? json.integer : json.number;
  return whole ? integers(least, most) : decimals(least, most);
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
