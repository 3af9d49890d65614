/** The table in one area of a page: boundaries, cells, score and headers. */
import { evidenceOf, scoreTable, type Evidence, type Surroundings } from '../decide/table-score.js';
import type { FoundTable, TableCell } from '../page/found-table.js';
import { isFigureOrListingCaption, isTableCaption } from '../wording/captions.js';
import { hasLeader } from '../wording/cell-text.js';
import { findBoundaries } from './evidence/boundaries.js';
import type { Frame } from './evidence/frame.js';
import { fillGrid, type Grid } from './evidence/grid.js';
import { findHeaders, type Headers } from './evidence/headers.js';
import { widenSpans } from './evidence/spans.js';
import type { TableArea } from './evidence/table-area.js';
import type { Scene } from './scene.js';

/** Null if the area scores below `scene.least`; otherwise its chunks are marked as used. `bands`: the rows of blocks by which the area was found, 0 if it was found by its lines. */
export function tableInArea(scene: Scene, area: TableArea, bands = 0): FoundTable | null {
  if (area.rows.length === 0) return null;
  const boundaries = findBoundaries(area);
  if (boundaries === null) return null;
  const grid = fillGrid(area, boundaries);
  const evidence = evidenceOf(area, grid);
  const confidence = scoreTable(area, grid, evidence, surroundingsOf(scene, area, bands));
  if (confidence < scene.least) return null;
  for (const { chunks } of area.rows) for (const chunk of chunks) scene.used.add(chunk);
  const headers = findHeaders(area, grid);
  widenSpans(grid, boundaries.columns, headers.rows);
  return assemble(scene.frame, area, grid, headers, evidence, confidence);
}

function surroundingsOf(scene: Scene, area: TableArea, bands: number): Surroundings {
  const members = area.rows.flatMap((row) => row.chunks);
  return {
    captioned: isBeside(scene, area, 5, isTableCaption), figure: isBeside(scene, area, 4, isFigureOrListingCaption), leaders: isBeside(scene, area, 2, hasLeader),
    running: bands > 0 ? 0 : members.filter((chunk) => scene.running.has(chunk)).length / members.length, bands,
  };
}

/** Whether a chunk right above or below the area, at most `reach` times its size away, passes the test. */
function isBeside(scene: Scene, { box }: TableArea, reach: number, test: (text: string) => boolean): boolean {
  return scene.chunks.some((chunk) => {
    if (chunk.right < box.left - 20 || chunk.left > box.right + 20) return false;
    const gap = Math.max(box.top - chunk.bottom, chunk.top - box.bottom);
    return gap < reach * chunk.size && gap > -chunk.size && test(chunk.text);
  });
}

function assemble(frame: Frame, area: TableArea, grid: Grid, headers: Headers, evidence: Evidence, confidence: number): FoundTable {
  const cells = grid.cells.map((cell): TableCell => {
    const [left, right] = [grid.x[cell.column]?.at ?? 0, grid.x[cell.column + cell.columnSpan]?.at ?? 0];
    const [top, bottom] = [grid.y[cell.row]?.at ?? 0, grid.y[cell.row + cell.rowSpan]?.at ?? 0];
    const columnHeader = cell.row < headers.rows;
    return {
      row: cell.row,
      column: cell.column,
      rowSpan: cell.rowSpan,
      columnSpan: cell.columnSpan,
      columnHeader,
      rowHeader: !columnHeader && headers.firstColumn && cell.column === 0,
      words: cell.chunks.flatMap((chunk) => chunk.pieces.map((piece) => piece.word)),
      box: frame.toPage({ left, top, right, bottom }),
    };
  });
  const outer = {
    left: grid.x[0]?.at ?? area.box.left,
    top: grid.y[0]?.at ?? area.box.top,
    right: grid.x.at(-1)?.at ?? area.box.right,
    bottom: grid.y.at(-1)?.at ?? area.box.bottom,
  };
  return { box: frame.toPage(outer), rowCount: grid.rowCount, columnCount: grid.columnCount, cells, evidence, confidence };
}
