/** Whether no value that is written for one part of a schema can be valid for another: what `oneOf` wants of its members. */
import { accepts } from '../pattern/automaton.js';
import type { Together } from './nodes.js';
import { literalsTogether, type ObjectShape, shapeOf, spell, typesTogether } from './facets.js';
import { intersectTypes, typeNames } from './keywords.js';
import type { SchemaNode, SchemaNodes } from './nodes.js';

const deepestLook = 4;

/** The alternatives of parts that hold together. */
type Alternatives = (nodes: SchemaNodes, together: Together) => Together[];

/** False where that cannot be decided. */
export function disjoint(nodes: SchemaNodes, members: readonly SchemaNode[], alternativesOf: Alternatives): boolean {
  return members.every((left, index) => members.slice(0, index).every((right) => apart({ nodes, alternativesOf }, [left], [right], 0)));
}

interface Context {
  nodes: SchemaNodes;
  alternativesOf: Alternatives;
}

function apart(context: Context, left: Together, right: Together, depth: number): boolean {
  if (depth > deepestLook) return false;
  const [lefts, rights] = [context.alternativesOf(context.nodes, left), context.alternativesOf(context.nodes, right)];
  return lefts.every((one) => rights.every((other) => neverValid(context, one, other, depth) && neverValid(context, other, one, depth)));
}

/** What is written for `written` is never valid for `other`. */
function neverValid(context: Context, written: Together, other: Together, depth: number): boolean {
  const { nodes } = context;
  nodes.spend(written.length + other.length);
  const types = intersectTypes(typesTogether(nodes, written), declaredTypes(nodes, other));
  if (types.size === 0) return true;
  const [literals, allowed] = [literalsTogether(nodes, written), literalsTogether(nodes, other)];
  if (literals !== undefined && allowed !== undefined) {
    const spelled = new Set(allowed.map(spell));
    return !literals.some((value) => spelled.has(spell(value)));
  }
  if (literals !== undefined || allowed !== undefined || types.size > 1 || !types.has('object')) return false;
  return shapesApart(context, shapeOf(nodes, written), shapeOf(nodes, other), depth);
}

/** What is not declared is not forbidden: an implied type is only what gets written. */
function declaredTypes(nodes: SchemaNodes, together: Together): ReturnType<typeof typesTogether> {
  return together.some((node) => node.schema !== false && node.schema['type'] !== undefined) ? typesTogether(nodes, together) : new Set(typeNames);
}

function shapesApart(context: Context, written: ObjectShape, other: ObjectShape, depth: number): boolean {
  for (const [name, parts] of written.properties) {
    const theirs = other.properties.get(name);
    if (written.required.has(name) && theirs === undefined && other.isClosed && !other.patterned.some(({ names }) => accepts(names, name))) return true;
    if (!written.required.has(name) && !other.required.has(name)) continue;
    if (parts !== null && theirs !== null && theirs !== undefined && parts.length > 0 && theirs.length > 0 && apart(context, parts, theirs, depth + 1)) return true;
  }
  return written.additional === null && [...other.required].some((name) => !written.properties.has(name) && !written.patterned.some(({ names }) => accepts(names, name)));
}
