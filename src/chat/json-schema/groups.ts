/** Keywords that say "one of these": each as the parts of which one must hold. */
import { disjoint } from './disjoint.js';
import { keywordsOf, listOf, objectOf } from './keywords.js';
import { exclusionOf, negated } from './negation.js';
import type { SchemaNode, SchemaNodes, SchemaObject, Together } from './nodes.js';

type Alternatives = (nodes: SchemaNodes, together: Together) => Together[];

/** All groups of one part. Throws `invalid_request` for `oneOf` whose members are not seen to exclude each other, and for what has no group, unless the schema is loose. */
export function groupsOf(nodes: SchemaNodes, node: SchemaNode, alternativesOf: Alternatives): readonly (readonly SchemaNode[])[] {
  const made: (readonly SchemaNode[])[] = [];
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const list = listOf(nodes, node, keyword);
    if (list === undefined) continue;
    const members = list.map((member, index) => nodes.child(node, member, keyword, index));
    if (keyword === 'oneOf' && !nodes.exclusive.has(node)) {
      if (!disjoint(nodes, members, alternativesOf)) nodes.leaveOut(node, 'oneOf', 'has members that may hold at once; anyOf says that they may');
      nodes.exclusive.add(node);
    }
    made.push(members);
  }
  if (nodes.isSimple || nodes.flattened.has(node)) return made;
  const known = nodes.groups.get(node);
  if (known !== undefined) return [...made, ...known];
  const further = [...negation(nodes, node), ...condition(nodes, node), ...dependencies(nodes, node)];
  nodes.groups.set(node, further);
  return [...made, ...further];
}

/** A keyword of the part that can be left out to have fewer alternatives. */
export function intricateKeyword(node: SchemaNode): string | undefined {
  return node.isMade ? undefined : ['not', 'if', 'dependentRequired', 'dependentSchemas', 'dependencies'].find((keyword) => Object.hasOwn(keywordsOf(node), keyword));
}

function negation(nodes: SchemaNodes, node: SchemaNode): (readonly SchemaNode[])[] {
  const { not } = keywordsOf(node);
  if (not === undefined || exclusionOf(node) !== undefined) return [];
  const members = negated(nodes, nodes.child(node, not, 'not'));
  if (members !== null) return [members];
  nodes.leaveOut(node, 'not', 'has keywords whose opposite no grammar holds');
  return [];
}

function condition(nodes: SchemaNodes, node: SchemaNode): (readonly SchemaNode[])[] {
  const { if: test, then, else: other } = keywordsOf(node);
  if (test === undefined || (then === undefined && other === undefined)) return [];
  const otherwise = negated(nodes, nodes.child(node, test, 'if'));
  if (otherwise === null) {
    nodes.leaveOut(node, 'if', 'has keywords whose opposite no grammar holds');
    return [];
  }
  const both = (...parts: unknown[]): SchemaObject => ({ allOf: parts.filter((part) => part !== undefined) });
  return [[nodes.make(both(test, then), `${node.pointer}/then`), ...otherwise.map((part) => nodes.make(both(part.schema, other), `${node.pointer}/else`))]];
}

function dependencies(nodes: SchemaNodes, node: SchemaNode): (readonly SchemaNode[])[] {
  const made: (readonly SchemaNode[])[] = [];
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    for (const [name, wanted] of Object.entries(objectOf(nodes, node, keyword) ?? {})) {
      const isList = Array.isArray(wanted);
      if (keyword === 'dependentRequired' && !isList) nodes.refuse(node, keyword, 'must name lists of properties');
      if (isList && wanted.length === 0) continue;
      const pointer = `${node.pointer}/${keyword}`;
      const absent = { properties: { [name]: false } };
      const present = isList ? { required: [name, ...wanted as unknown[]] } : { required: [name], allOf: [wanted] };
      made.push([nodes.make(absent, pointer), nodes.make(present, pointer)]);
    }
  }
  return made;
}

