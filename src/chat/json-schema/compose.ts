/** Parts of a schema that hold together (`allOf`, `$ref`, siblings) and the alternatives (`anyOf`, `oneOf`) in which they do. */
import { groupsOf, intricateKeyword } from './groups.js';
import { keywordsOf, listOf } from './keywords.js';
import { exclusionOf } from './negation.js';
import type { SchemaNode, SchemaNodes, Together } from './nodes.js';

/** Of one place in the schema. */
const mostAlternatives = 512;
/** Beyond as many, what can be left out of a loose schema is. */
const mostIntricate = 128;
const composing = new Set(['allOf', 'anyOf', 'oneOf', '$ref', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies']);

interface Gathered {
  /** Part -> the parts whose `$ref`, `allOf` or alternative led to it. */
  nodes: Map<SchemaNode, ReadonlySet<SchemaNode>>;
  impossible: boolean;
}

/**
 * All alternatives of what holds where all of `together` hold; those that allow nothing are left out. Throws `invalid_request` for a part that is made of itself,
 * for `oneOf` whose members are not seen to exclude each other, and for too many alternatives.
 */
export function alternativesOf(nodes: SchemaNodes, together: Together): Together[] {
  const start: Gathered = { nodes: new Map(), impossible: false };
  for (const node of together) gather(nodes, start, node, new Set());
  const found: Together[] = [];
  const waiting = [start];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    nodes.spend(one.nodes.size);
    if (one.impossible) continue;
    const group = openGroup(nodes, one);
    if (group === null) {
      found.push(withConstraints([...one.nodes.keys()]));
      if (found.length + waiting.length > mostIntricate && flatten(nodes, one.nodes.keys())) return alternativesOf(nodes, together);
      if (found.length > mostAlternatives) nodes.fail(`has more than ${mostAlternatives} alternatives`, together[0]?.pointer ?? '#');
      continue;
    }
    // The last is taken first: the order stays that of the schema.
    for (const member of [...group.members].reverse()) {
      const next: Gathered = { nodes: new Map(one.nodes), impossible: false };
      gather(nodes, next, member, new Set([...one.nodes.get(group.of) ?? [], group.of]));
      waiting.push(next);
    }
  }
  return found;
}

function gather(nodes: SchemaNodes, into: Gathered, node: SchemaNode, from: ReadonlySet<SchemaNode>): void {
  if (from.has(node)) nodes.fail('is made of itself', node.pointer);
  if (into.nodes.has(node)) return;
  if (node.schema === false) {
    into.impossible = true;
    return;
  }
  into.nodes.set(node, from);
  const further = new Set([...from, node]);
  if (node.schema['$ref'] !== undefined) gather(nodes, into, nodes.resolve(node, node.schema['$ref']), further);
  for (const [index, member] of (listOf(nodes, node, 'allOf') ?? []).entries()) gather(nodes, into, nodes.child(node, member, 'allOf', index), further);
}

/** Leaves out what made too many alternatives, where the schema is loose; false where there is nothing of that kind. */
function flatten(nodes: SchemaNodes, gathered: Iterable<SchemaNode>): boolean {
  let any = false;
  for (const node of gathered) {
    const keyword = nodes.flattened.has(node) ? undefined : intricateKeyword(node);
    if (keyword === undefined) continue;
    nodes.leaveOut(node, keyword, `has more than ${mostIntricate} alternatives, together with what stands beside it`);
    nodes.flattened.add(node);
    any = true;
  }
  return any;
}

/** The first group of which no member holds yet. */
function openGroup(nodes: SchemaNodes, { nodes: gathered }: Gathered): { of: SchemaNode; members: readonly SchemaNode[] } | null {
  for (const node of gathered.keys()) {
    for (const members of groupsOf(nodes, node, alternativesOf)) if (!members.some((member) => gathered.has(member))) return { of: node, members };
  }
  return null;
}

/** Parts that only compose or describe are the same as their members. */
function withConstraints(together: Together): Together {
  return together.filter((node) => exclusionOf(node) !== undefined || Object.keys(keywordsOf(node)).some((keyword) => !composing.has(keyword) && !describing.has(keyword))).sort((a, b) => a.id - b.id);
}

const describing = new Set(['title', 'description', 'default', 'examples', '$schema', '$id', '$comment', '$defs', 'definitions', '$anchor']);
