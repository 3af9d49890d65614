/** Arrays of which more than the count of items is to be known: that none stands twice (`uniqueItems`), how many are of one kind (`contains`). */
import { choice, empty, type Expression, nothing, optional, sequence } from '../grammar/expression.js';
import { alternativesOf } from './compose.js';
import { literalsTogether, spell, typesTogether } from './facets.js';
import { countOf, keywordsOf } from './keywords.js';
import { notOf } from './negation.js';
import type { SchemaNode, Together } from './nodes.js';
import type { SchemaContext } from './schema-context.js';
import { accepts } from './validate.js';

export interface ArrayRoom {
  least: number;
  most: number;
  /** Items that have places of their own. */
  longest: number;
  partsAt: (index: number) => SchemaNode[];
  itemAt: (index: number) => Expression;
}

interface Contained {
  of: SchemaNode;
  schema: unknown;
  least: number;
  most: number;
}

/** Sets of items, each a rule of the grammar: all of eight values, or any three of thirteen. */
const mostSets = 512;
/** Places of an array, times the counts of what it contains. */
const mostPlaces = 512;

/** Null where nothing of that kind is said, or what is said is left out. */
export function countedArray(context: SchemaContext, together: Together, room: ArrayRoom): Expression | null {
  const { nodes } = context;
  const unique = together.find((node) => ![undefined, false].includes(keywordsOf(node)['uniqueItems'] as undefined));
  const contained = nodes.isSimple ? [] : together.flatMap((node) => containedBy(context, node));
  const mustDiffer = unique !== undefined && room.most > 1;
  if (!mustDiffer && contained.length === 0) return null;
  const sets = mustDiffer && !nodes.isSimple ? setsOfItems(context, room, contained) : null;
  if (sets !== null) return sets;
  if (mustDiffer) nodes.leaveOut(unique, 'uniqueItems', `is only supported for items of which there are a few: at most ${mostSets} sets of them`);
  const [only, another] = contained;
  if (another !== undefined || (only !== undefined && room.longest > 0)) {
    nodes.leaveOut((another ?? only as Contained).of, 'contains', 'is only supported once, and for arrays whose items are all of one kind');
    return null;
  }
  return only === undefined ? null : containing(context, room, only);
}

function containedBy({ nodes }: SchemaContext, node: SchemaNode): Contained[] {
  const schema = keywordsOf(node)['contains'];
  if (schema === undefined) return [];
  const [least, most] = [countOf(nodes, node, 'minContains') ?? 1, countOf(nodes, node, 'maxContains') ?? Infinity];
  return least === 0 && most === Infinity ? [] : [{ of: node, schema, least, most }];
}

/** All values that an item may have, where they are few. */
function valuesOf({ nodes }: SchemaContext, parts: Together): unknown[] | null {
  const found = new Map<string, unknown>();
  for (const alternative of alternativesOf(nodes, parts)) {
    const types = typesTogether(nodes, alternative);
    const few = [...types].every((type) => type === 'boolean' || type === 'null') ? [...types].flatMap((type) => (type === 'null' ? [null] : [true, false])) : undefined;
    const values = literalsTogether(nodes, alternative) ?? few;
    if (values === undefined || values.length > mostSets) return null;
    nodes.spend(values.length);
    for (const value of values) if (alternative.every((node) => accepts(nodes, node, value))) found.set(spell(value), value);
  }
  return [...found.values()];
}

/** The sets of at most `most` of `count` items, counted up to the first number beyond `mostSets`. */
function setsOf(count: number, most: number): number {
  let sets = 1;
  let ofSize = 1;
  for (let size = 1; size <= Math.min(count, most) && sets <= mostSets; size += 1) {
    ofSize = ofSize * (count - size + 1) / size;
    sets += ofSize;
  }
  return sets;
}

/** By the set of what was written: null where the items are too many. */
function setsOfItems(context: SchemaContext, { least, most, longest, partsAt }: ArrayRoom, contained: readonly Contained[]): Expression | null {
  const { nodes, json } = context;
  const known: { spelled: string; written: Expression; counts: boolean[] }[] = [];
  const numbers = new Map<string, number>();
  const placeValues = new Map<number, number[]>();
  const valuesAt = (index: number): number[] | null => {
    const place = Math.min(index, longest);
    const before = placeValues.get(place);
    if (before !== undefined) return before;
    const values = valuesOf(context, partsAt(place));
    if (values === null) return null;
    const made = values.map((value) => {
      const spelled = spell(value);
      const number = numbers.get(spelled) ?? known.push({
        spelled, written: json.grammar.define('item', json.literal(value)), counts: contained.map(({ of, schema }) => accepts(nodes, nodes.child(of, schema, 'contains'), value)),
      }) - 1;
      numbers.set(spelled, number);
      return number;
    });
    placeValues.set(place, made);
    return made;
  };
  if (valuesAt(0) === null || partsAt(longest).length === 0 && most > longest) return null;
  // Of items that are all of one kind the sets are counted before any is made.
  if (longest === 0 && setsOf(known.length, most) > mostSets) return null;
  const fits = (set: readonly number[]): boolean => set.length >= least && contained.every((one, index) => {
    const count = set.filter((number) => known[number]?.counts[index]).length;
    return count >= one.least && count <= one.most;
  });
  const made = new Map<string, Expression>();
  let isTooMany = false;
  const behind = (set: readonly number[]): Expression => {
    const key = set.join();
    const found = made.get(key);
    if (found !== undefined) return found;
    if (made.size >= mostSets) isTooMany = true;
    if (isTooMany) return nothing;
    const { rule, define } = json.grammar.declare('set');
    made.set(key, rule);
    const options = onward(set).map(([number, next]) => sequence(json.behindComma(known[number]?.written ?? nothing), behind(next)));
    define(choice(...(fits(set) ? [empty] : []), ...options));
    return rule;
  };
  const onward = (set: readonly number[]): [number, number[]][] => {
    const values = set.length < most ? valuesAt(set.length) : [];
    if (values === null) isTooMany = true;
    nodes.spend((values?.length ?? 0) * (set.length + 1));
    return (values ?? []).filter((number) => !set.includes(number)).map((number) => [number, [...set, number].sort((a, b) => a - b)]);
  };
  const filled = sequence(choice(...onward([]).map(([number, next]) => sequence(known[number]?.written ?? nothing, behind(next)))), json.space);
  if (isTooMany) return null;
  return json.inBrackets(fits([]) ? optional(filled) : filled);
}

/** By how many of the items written are what must be contained, and by how many there are where they are counted. */
function containing(context: SchemaContext, { least, most, partsAt }: ArrayRoom, contained: Contained): Expression | null {
  const { nodes, json } = context;
  const { of, schema } = contained;
  const parts = partsAt(0);
  const opposite = nodes.child(of, notOf(nodes, nodes.child(of, schema, 'contains'), schema), 'contains', 'not');
  const before = nodes.leftOut.size;
  const [hit, miss] = [context.valueOf([...parts, nodes.child(of, schema, 'contains')]), context.valueOf([...parts, opposite])];
  if (nodes.leftOut.size > before) return null;
  const hitsKnown = contained.most < Infinity ? contained.most : contained.least;
  const itemsKnown = most < Infinity ? most : least;
  if ((hitsKnown + 1) * (itemsKnown + 1) > mostPlaces) {
    nodes.leaveOut(of, 'contains', `takes more than ${mostPlaces} places to count`);
    return null;
  }
  const made = new Map<string, Expression>();
  const fits = (items: number, hits: number): boolean => items >= least && hits >= contained.least;
  const next = (items: number, hits: number): [Expression, number, number][] => {
    const count = Math.min(items + 1, itemsKnown);
    if (items >= most) return [];
    return [...(hits >= contained.most ? [] : [[hit, count, Math.min(hits + 1, hitsKnown)] as [Expression, number, number]]), [miss, count, hits]];
  };
  const behind = (items: number, hits: number): Expression => {
    const key = `${items} ${hits}`;
    const found = made.get(key);
    if (found !== undefined) return found;
    const { rule, define } = json.grammar.declare('items');
    made.set(key, rule);
    const options = next(items, hits).map(([item, count, counted]) => sequence(json.behindComma(item), behind(count, counted)));
    define(choice(...(fits(items, hits) ? [empty] : []), ...options));
    return rule;
  };
  const filled = sequence(choice(...next(0, 0).map(([item, count, counted]) => sequence(item, behind(count, counted)))), json.space);
  return json.inBrackets(fits(0, 0) ? optional(filled) : filled);
}
