/** The grid of one table from the scores of its nodes: cells, rows and columns as clusters, spans from cells that belong to several of them. */
import { unionBox } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import { clusterMembers, correlationClusters } from './clusters.js';
import type { WeightedEdge } from './clusters.js';
import type { DecodedCell, DecodedGrid } from './decoded.js';
import { settleCells } from './grid-cells.js';
import type { GridCell } from './grid-cells.js';
import type { PageEvidence } from './page-evidence.js';
import type { RelationScores } from './scores.js';
import { TableAxes } from './table-axes.js';
import type { Axis, TableCell } from './table-axes.js';
import { neighbourPairs } from './neighbour-pairs.js';

/** The cells of a table whose nodes are given in ascending order; `isHeader` gives the class of a cell's nodes. */
export function decodeTable(nodes: readonly number[], scores: RelationScores, evidence: PageEvidence, isHeader: (nodes: readonly number[], axis: Axis) => boolean): DecodedGrid {
  const cells = cellsOf(nodes, scores, evidence);
  const axes = new TableAxes(cells, scores, evidence, evidence.isRightToLeft(nodes));
  const [rows, columns] = [axes.linesOf('row'), axes.linesOf('column')];
  for (const [index, cell] of cells.entries()) {
    [cell.row, cell.rowSpan] = axes.range(index, 'row', rows);
    [cell.column, cell.columnSpan] = axes.range(index, 'column', columns);
  }
  const grid = settleCells(cells, rows.length, columns.length, (one, other) => evidence.isRuledBetweenRows(boxOf(one, evidence), boxOf(other, evidence)), (one, other) => evidence.isRuledBetweenColumns(boxOf(one, evidence), boxOf(other, evidence)));
  return {
    ...grid,
    cells: grid.cells.map(({ row, column, rowSpan, columnSpan, nodes: own }): DecodedCell => ({
      row, column, rowSpan, columnSpan, columnHeader: isHeader(own, 'column'), rowHeader: isHeader(own, 'row'), nodes: evidence.inLines(own),
    })),
  };
}

function boxOf({ nodes }: GridCell, evidence: PageEvidence): Box {
  return unionBox(nodes.map((node) => evidence.box(node)));
}

function cellsOf(nodes: readonly number[], scores: RelationScores, evidence: PageEvidence): TableCell[] {
  const edges = neighbourPairs(nodes, scores.neighbours).map(([a, b]): WeightedEdge => {
    const [one, other] = [nodes[a]!, nodes[b]!];
    if (evidence.isRuledBetween(evidence.box(one), evidence.box(other))) return { a, b, weight: -Infinity };
    // All three must agree: parts of one cell that stay apart here meet again at their place in the grid, but cells that are joined stay so.
    return { a, b, weight: Math.min(scores.mutual('block', one, other), scores.mutual('row', one, other), scores.mutual('column', one, other)) };
  });
  return clusterMembers(correlationClusters(nodes.length, edges)).map((members): TableCell => {
    const own = members.map((index) => nodes[index]!);
    const sum = (flag: (node: number) => number): number => own.reduce((total, node) => total + flag(node), 0);
    return {
      nodes: own, box: unionBox(own.map((node) => evidence.box(node))), spans: { row: sum((node) => scores.rowSpan(node)) > 0, column: sum((node) => scores.columnSpan(node)) > 0 },
      row: 0, column: 0, rowSpan: 1, columnSpan: 1,
    };
  });
}
