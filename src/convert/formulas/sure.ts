/** Whether the tree of a formula is right, as far as the tree itself shows. */
import { horizontalOverlap, widthOf } from '../../geometry/box.js';
import type { Node } from './nodes.js';

/** The share of the narrower symbol from which two symbols of one line stand on each other: then one of them belongs to another line. Kerning and italic letters overlap by at most a third. */
const mostOverlap = 0.5;
const unknown = /[\ufffd\ue000-\uf8ff]/u;

function partsOf(node: Node): Node[][] {
  switch (node.kind) {
    case 'atom': return [];
    case 'fraction': return [node.over, node.under];
    case 'root': return [node.degree, node.body];
    case 'line': return [node.body];
    case 'scripts': return [node.base === null ? [] : [node.base], node.sub, node.sup];
    case 'limits': return [[node.base], node.below, node.above];
    case 'delimited': return [node.body];
    case 'grid': return node.rows.flat();
    case 'rows': return node.rows;
  }
}

/** False if a sign has no meaning, a script has no base, or symbols of one line stand on each other. */
export function isSure(nodes: Node[]): boolean {
  const clash = nodes.some((node, at) => {
    const next = nodes[at + 1];
    return next !== undefined && node.kind !== 'limits' && next.kind !== 'limits' && horizontalOverlap(node.box, next.box) > mostOverlap * Math.min(widthOf(node.box), widthOf(next.box));
  });
  return !clash && nodes.every((node) => !(node.kind === 'atom' && unknown.test(node.text)) && partsOf(node).every(isSure));
}
