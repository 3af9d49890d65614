/** The pairs of nodes that the network compares. */
import { neighbourSlots } from './scores.js';

/** Pairs of neighbours within the nodes, each once, as indices into `nodes`. */
export function neighbourPairs(nodes: readonly number[], neighbours: Int32Array): [number, number][] {
  const indexOf = new Map(nodes.map((node, index) => [node, index]));
  const pairs: [number, number][] = [];
  for (const [index, node] of nodes.entries()) {
    for (let slot = 0; slot < neighbourSlots; slot++) {
      const neighbour = neighbours[node * neighbourSlots + slot]!;
      const other = neighbour < 0 ? undefined : indexOf.get(neighbour);
      if (other === undefined || other === index) continue;
      // The pair is known from the other side if that has it too and comes first.
      if (other < index && hasNeighbour(neighbours, neighbour, node)) continue;
      pairs.push([index, other]);
    }
  }
  return pairs;
}

function hasNeighbour(neighbours: Int32Array, node: number, other: number): boolean {
  for (let slot = 0; slot < neighbourSlots; slot++) if (neighbours[node * neighbourSlots + slot] === other) return true;
  return false;
}
