/** The state of the search for tables in one reading direction of a page: chunks, rulings, running text, and the chunks that are already in tables. */
import type { Box } from '../../geometry/box.js';
import { blockLeading } from './evidence/blocks.js';
import { makeChunks, makeRows, splitFinely, type Chunk } from './evidence/chunks.js';
import type { Frame } from './evidence/frame.js';
import { withoutPageFrames } from './evidence/page-frame.js';
import { findFlows, type Flow } from './evidence/running-text.js';
import { readLineWork, type LineWork } from './evidence/segments.js';
import { makeStrips, type Strip } from './evidence/spread.js';
import type { MarkGroup, TableArea } from './evidence/table-area.js';
import { findWalls, markWalls, panelWalls, type Wall } from './evidence/walls.js';

export interface Scene {
  frame: Frame;
  lines: LineWork;
  chunks: Chunk[];
  flows: Flow[];
  /** Edges of fills and panels, which no table crosses. */
  panels: Wall[];
  walls: Wall[];
  /** Line distance of the page's text, with a little slack, in ems. */
  leading: number;
  /** Chunks of running text. */
  running: Set<Chunk>;
  /** Chunks that are in a table. */
  used: Set<Chunk>;
  /** The least score of a table, 0..1. */
  least: number;
}

export function sceneOf(frame: Frame, least: number): Scene {
  const lines = withoutPageFrames(readLineWork(frame), frame);
  const coarse = makeChunks(frame.pieces, lines.vertical);
  const flows = findFlows(makeRows(coarse));
  const running = new Set(flows.flatMap((flow) => flow.chunks));
  const chunks = coarse.flatMap((chunk) => (running.has(chunk) ? [chunk] : splitFinely(chunk)));
  const panels = [...panelWalls(frame), ...markWalls(frame, chunks)];
  return { frame, lines, chunks, flows, leading: blockLeading(flows), panels, walls: findWalls(flows, lines.vertical, chunks, panels), running, used: new Set(), least };
}

/** The chunks outside all tables found so far, and their rows. */
export interface Material {
  chunks: Chunk[];
  strips: Strip[];
}

export function freeMaterial(scene: Scene): Material {
  const chunks = scene.chunks.filter((chunk) => !scene.used.has(chunk));
  return { chunks, strips: makeStrips(makeRows(chunks), scene.walls, (chunk) => !scene.running.has(chunk)) };
}

/** An area of the page with some rows in it, and the rulings and fills of `group`. */
export function areaOf(scene: Scene, box: Box, rows: TableArea['rows'], group: Omit<MarkGroup, 'box'>): TableArea {
  const joints = scene.lines.joints.filter((joint) => joint.x >= box.left - 1 && joint.x <= box.right + 1 && joint.top >= box.top - 2 && joint.bottom <= box.bottom + 2);
  return { box, rows, horizontals: group.horizontals, verticals: group.verticals, shades: group.shades, joints, leading: scene.leading };
}
