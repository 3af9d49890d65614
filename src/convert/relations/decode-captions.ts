/** Finds the table or picture of each caption. */
import { horizontalGap, unionBox, verticalGap } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import type { DecodedBlock } from './decoded.js';
import type { PageEvidence } from './page-evidence.js';
import type { RelationScores } from './scores.js';

/** Floats near a caption, and nodes of each, whose scores are compared. */
const mostCompared = { floats: 6, nodes: 6 } as const;
/** Ems: a float that is further away keeps its caption only if the scores say so. */
const nearby = 4;

/** Sets `captionOf` of the captions. */
export function attachCaptions(blocks: DecodedBlock[], scores: RelationScores, evidence: PageEvidence): void {
  const boxOf = (nodes: readonly number[]): Box => unionBox(nodes.map((node) => evidence.box(node)));
  const floats = blocks.flatMap((block, index) => (block.grid !== null || block.cls === 'picture' ? [{ index, box: boxOf(block.nodes), nodes: block.nodes }] : []));
  for (const caption of blocks) {
    if (caption.cls !== 'caption') continue;
    const box = boxOf(caption.nodes);
    const distance = (other: Box): number => Math.max(0, horizontalGap(box, other)) + Math.max(0, verticalGap(box, other));
    const near = floats.map((each) => ({ ...each, distance: distance(each.box) })).sort((a, b) => a.distance - b.distance || a.index - b.index).slice(0, mostCompared.floats);
    const rated = near.map(({ index, distance: away, nodes }) => ({ index, away, score: bestScore(caption.nodes, nearestNodes(nodes, box, evidence), scores) })).sort((a, b) => b.score - a.score || a.away - b.away);
    const [best] = rated;
    const fallback = near[0];
    if (best !== undefined && best.score > 0) caption.captionOf = best.index;
    else if (fallback !== undefined && fallback.distance <= nearby * evidence.em) caption.captionOf = fallback.index;
  }
}

function nearestNodes(nodes: readonly number[], box: Box, evidence: PageEvidence): number[] {
  const distance = (node: number): number => Math.max(0, horizontalGap(box, evidence.box(node))) + Math.max(0, verticalGap(box, evidence.box(node)));
  return nodes.map((node) => ({ node, away: distance(node) })).sort((a, b) => a.away - b.away || a.node - b.node).slice(0, mostCompared.nodes).map(({ node }) => node);
}

function bestScore(caption: readonly number[], nodes: readonly number[], scores: RelationScores): number {
  let best = -Infinity;
  for (const from of caption.slice(0, mostCompared.nodes)) for (const to of nodes) best = Math.max(best, scores.directed('caption', from, to));
  return best;
}
