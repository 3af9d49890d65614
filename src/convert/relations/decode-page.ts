/**
 * Decodes the scores of a page to blocks in reading order. Whatever the scores are: every node with words is in exactly one block, every node of a table in exactly one
 * cell, grids are valid, the order is a permutation, and equal scores give equal blocks. The cost grows with the number of nodes times the neighbours of each.
 */
import { nodeClasses } from './classes.js';
import type { NodeClass } from './classes.js';
import { clusterMembers, correlationClusters } from './clusters.js';
import type { WeightedEdge } from './clusters.js';
import { attachCaptions } from './decode-captions.js';
import type { DecodedBlock } from './decoded.js';
import { decodeTable } from './decode-table.js';
import { neighbourPairs } from './neighbour-pairs.js';
import { orderBlocks, orderNodes } from './order-blocks.js';
import { PageEvidence } from './page-evidence.js';
import type { NodePage, PageNode } from './nodes.js';
import type { RelationScores } from './scores.js';

const cellClasses: readonly NodeClass[] = ['cell', 'column-header', 'row-header'];
/** Classes that are part of a block of another class. */
const partOf: Partial<Record<NodeClass, NodeClass>> = { 'list-marker': 'list-item', 'column-header': 'cell', 'row-header': 'cell' };
/** How much a disagreement of the classes of two nodes counts against one block, at most (in logits). */
const mostDisagreement = 4;
const half = 0.5;

/** For each class the one whose blocks it is part of. */
const wholeClass = nodeClasses.map((name) => nodeClasses.indexOf(partOf[name] ?? name));
const isPictureClass = nodeClasses.map((name) => name === 'picture' || name === 'decoration');

/** The blocks of a page in reading order; pictures that are decoration are left out. */
export function decodePage(page: NodePage, nodes: readonly PageNode[], em: number, scores: RelationScores): DecodedBlock[] {
  const evidence = new PageEvidence(page, nodes, em);
  const odds = nodes.map((_, node) => blockClassOdds(scores.classes(node), evidence.isPicture(node)));
  const inTable = [...nodes.keys()].map((node) => Math.exp(odds[node]![cellIndex]!) > half);
  const blocks = [...tablesOf(inTable, scores, evidence, odds), ...textAndPictures(inTable, scores, evidence, odds)];
  const placed = orderBlocks(blocks, scores, evidence);
  attachCaptions(placed, scores, evidence);
  return placed;
}

const cellIndex = nodeClasses.indexOf('cell');
const decorationIndex = nodeClasses.indexOf('decoration');

/** Logarithms of the probabilities that the node belongs to a block of each class: of classes of pictures for pictures, and of the others for text. */
function blockClassOdds(classes: Float32Array, isPicture: boolean): Float64Array {
  const sums = new Float64Array(nodeClasses.length);
  let total = 0;
  for (const [index, odds] of classes.entries()) {
    if (isPictureClass[index] !== isPicture) continue;
    const probability = Math.exp(odds);
    sums[wholeClass[index]!]! += probability;
    total += probability;
  }
  return sums.map((probability) => Math.log(Math.max(probability / Math.max(total, Number.MIN_VALUE), leastProbability)));
}

/** Below it probabilities are alike. */
const leastProbability = 1e-6;

/** Logarithm of the probability that two nodes belong to blocks of one class. */
function agreement(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (const [index, value] of one.entries()) sum += Math.exp(value + other[index]!);
  return Math.max(-mostDisagreement, Math.log(Math.max(sum, leastProbability)));
}

function tablesOf(inTable: readonly boolean[], scores: RelationScores, evidence: PageEvidence, odds: readonly Float64Array[]): DecodedBlock[] {
  const nodes = [...inTable.keys()].filter((node) => inTable[node]);
  const edges = neighbourPairs(nodes, scores.neighbours).map(([a, b]): WeightedEdge => ({ a, b, weight: scores.mutual('table', nodes[a]!, nodes[b]!) }));
  return clusterMembers(correlationClusters(nodes.length, edges)).map((members) => {
    const own = members.map((index) => nodes[index]!);
    const grid = decodeTable(own, scores, evidence, (cell, axis) => isHeader(cell, axis, scores));
    const confidence = meanOf(own.map((node) => Math.exp(odds[node]![cellIndex]!)));
    return { cls: 'cell' as const, nodes: grid.cells.flatMap((cell) => cell.nodes), grid, captionOf: -1, levels: null, confidence };
  });
}

function isHeader(nodes: readonly number[], axis: 'row' | 'column', scores: RelationScores): boolean {
  const index = nodeClasses.indexOf(axis === 'row' ? 'row-header' : 'column-header');
  return meanOf(nodes.map((node) => {
    const classes = scores.classes(node);
    const all = cellClasses.reduce((sum, name) => sum + Math.exp(classes[nodeClasses.indexOf(name)]!), 0);
    return Math.exp(classes[index]!) / Math.max(all, leastProbability);
  })) > half;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function textAndPictures(inTable: readonly boolean[], scores: RelationScores, evidence: PageEvidence, odds: readonly Float64Array[]): DecodedBlock[] {
  const nodes = [...inTable.keys()].filter((node) => !inTable[node]);
  const edges = neighbourPairs(nodes, scores.neighbours).map(([a, b]): WeightedEdge => {
    const [one, other] = [nodes[a]!, nodes[b]!];
    if (evidence.isPicture(one) !== evidence.isPicture(other)) return { a, b, weight: -Infinity };
    return { a, b, weight: scores.mutual('block', one, other) + agreement(odds[one]!, odds[other]!) };
  });
  return clusterMembers(correlationClusters(nodes.length, edges)).flatMap((members) => {
    const own = members.map((index) => nodes[index]!);
    const block = textBlockOf(own, scores, evidence, odds);
    return block.cls === 'decoration' ? [] : [block];
  });
}

function textBlockOf(nodes: number[], scores: RelationScores, evidence: PageEvidence, odds: readonly Float64Array[]): DecodedBlock {
  const isPicture = evidence.isPicture(nodes[0]!);
  const sums = new Float64Array(nodeClasses.length);
  let letters = 0;
  for (const node of nodes) {
    const weight = evidence.letters(node);
    letters += weight;
    for (const [index, value] of odds[node]!.entries()) sums[index]! += weight * value;
  }
  let best = isPicture ? decorationIndex : nodeClasses.indexOf('text');
  for (const [index, sum] of sums.entries()) if (index !== cellIndex && isPictureClass[index] === isPicture && sum > sums[best]!) best = index;
  const cls = nodeClasses[best]!;
  const hasLevels = cls === 'title' || cls === 'heading' || cls === 'list-item';
  return {
    cls, nodes: orderNodes(nodes, scores, evidence), grid: null, captionOf: -1, levels: hasLevels ? sumOfLevels(nodes, scores) : null, confidence: Math.exp(sums[best]! / letters) * unity(nodes, scores),
  };
}

/** The least sure of the joints that hold the nodes together, as a probability; 1 for a single node. */
function unity(nodes: readonly number[], scores: RelationScores): number {
  const best = new Float64Array(nodes.length).fill(-Infinity);
  for (const [a, b] of neighbourPairs(nodes, scores.neighbours)) {
    const logit = scores.mutual('block', nodes[a]!, nodes[b]!);
    best[a] = Math.max(best[a]!, logit);
    best[b] = Math.max(best[b]!, logit);
  }
  const least = best.reduce((low, logit) => (logit === -Infinity ? low : Math.min(low, logit)), Infinity);
  return least === Infinity ? 1 : 1 / (1 + Math.exp(-least));
}

function sumOfLevels(nodes: readonly number[], scores: RelationScores): Float32Array {
  const [first, ...others] = nodes.map((node) => scores.levels(node));
  for (const levels of others) for (const [index, value] of levels.entries()) first![index]! += value;
  return first!;
}
