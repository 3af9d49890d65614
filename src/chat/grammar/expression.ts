/** Grammars as values: expressions that are put together here and printed as GBNF for the engine. */

/** Code points, both ends included, ascending and apart from each other. */
export type Ranges = readonly (readonly [first: number, last: number])[];

export type Expression =
  | { kind: 'text'; text: string }
  | { kind: 'class'; ranges: Ranges }
  | { kind: 'sequence'; items: readonly Expression[] }
  /** Without options: nothing can be written. */
  | { kind: 'choice'; options: readonly Expression[] }
  | { kind: 'repeat'; item: Expression; least: number; most: number }
  | { kind: 'rule'; name: string };

export const empty: Expression = { kind: 'sequence', items: [] };
export const nothing: Expression = { kind: 'choice', options: [] };

export function text(literal: string): Expression {
  return literal === '' ? empty : { kind: 'text', text: literal };
}

export function characters(ranges: Ranges): Expression {
  return ranges.length === 0 ? nothing : { kind: 'class', ranges };
}

/** Neighbouring literals become one. */
export function sequence(...items: Expression[]): Expression {
  const flat: Expression[] = [];
  for (const item of items.flatMap((one) => (one.kind === 'sequence' ? one.items : [one]))) {
    const before = flat.at(-1);
    if (item.kind === 'text' && before?.kind === 'text') flat[flat.length - 1] = text(before.text + item.text);
    else flat.push(item);
  }
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind: 'sequence', items: flat };
}

export function choice(...options: Expression[]): Expression {
  const flat = options.flatMap((one) => (one.kind === 'choice' ? one.options : [one]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind: 'choice', options: flat };
}

export function repeat(item: Expression, least: number, most = Infinity): Expression {
  if (most === 0) return empty;
  return least === 1 && most === 1 ? item : { kind: 'repeat', item, least, most };
}

export function optional(item: Expression): Expression {
  return repeat(item, 0, 1);
}
