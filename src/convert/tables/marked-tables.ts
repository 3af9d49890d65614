/** Finds tables that rulings or fills show. */
import type { Box } from '../../geometry/box.js';
import type { FoundTable } from '../page/found-table.js';
import { wordCount } from '../wording/cell-text.js';
import { findColumns, rowsInside } from './evidence/boundaries.js';
import { makeRows, type Chunk } from './evidence/chunks.js';
import { firstRowAbove } from './evidence/first-row.js';
import { groupMarks } from './evidence/marks.js';
import { growDown, headAbove, type Strip } from './evidence/spread.js';
import type { MarkGroup, TableArea } from './evidence/table-area.js';
import { areaOf, freeMaterial, type Material, type Scene } from './scene.js';
import { tableInArea } from './table-in-area.js';

/** The most groups of lines that are tried on one page, the largest first. */
const MAX_GROUPS = 150;

/** Finds the tables and marks their chunks as used. Groups are tried from the largest one on. */
export function findMarked(scene: Scene): FoundTable[] {
  const groups = groupMarks(scene.lines, makeRows(scene.chunks), (chunk) => scene.running.has(chunk), scene.leading).filter(isPromising);
  groups.sort((a, b) => sizeOf(b.box) - sizeOf(a.box));
  const found: FoundTable[] = [];
  let material = freeMaterial(scene);
  for (const group of groups.slice(0, MAX_GROUPS)) {
    if (isPartial(group, material.strips, groups)) continue;
    const table = tableInArea(scene, areaOfGroup(scene, group, material));
    if (table === null) continue;
    found.push(table);
    material = freeMaterial(scene);
  }
  return found;
}

function sizeOf(box: Box): number {
  return (box.right - box.left) * (box.bottom - box.top);
}

function isPromising(group: MarkGroup): boolean {
  const { horizontals, verticals, shades, box } = group;
  if (box.right - box.left < 20) return false;
  if (horizontals.length >= 2 || shades.length >= 2 || (shades.length === 1 && horizontals.length === 1)) return true;
  const [rule] = horizontals;
  // A ruling that vertical ones stand on or cross away from its ends: below the header, beside the labels.
  return rule !== undefined && verticals.some((line) => line.at > rule.start + 8 && line.at < rule.end - 8);
}

/** The group's box with the rows above and below it that belong to it. */
function areaOfGroup(scene: Scene, group: MarkGroup, { chunks, strips }: Material): TableArea {
  const first = areaOf(scene, group.box, rowsInside(chunks, group.box), group);
  const found = findColumns(first);
  if (found === null) return first;
  const box = { ...group.box };
  const { columns, x } = found;
  const inside = strips.filter((strip) => strip.baseline > box.top && strip.baseline <= box.bottom + 1 && strip.left >= box.left - 4 && strip.right <= box.right + 4);
  const size = inside[0]?.size ?? 10;
  const head = headAbove(strips, columns, box.top, size, new Set(inside));
  const row = head.length > 0 ? null : firstRowAbove(group, strips, inside, columns);
  for (const strip of row === null ? head : [row]) box.top = Math.min(box.top, strip.top);
  const last = inside.at(-1);
  if (last !== undefined && isOpenBelow(group)) {
    const fixed = x.some((edge, index) => index > 0 && index + 1 < x.length && edge.kind !== 'white') ? columns : null;
    const seed = inside.filter((strip) => strip.core && strip !== last);
    const grown = growDown([...seed, { ...last, bottom: Math.max(last.bottom, box.bottom) }], strips, strips.indexOf(last) + 1, new Set(), fixed);
    for (const strip of grown.strips) box.bottom = Math.max(box.bottom, strip.bottom);
  }
  return areaOf(scene, box, rowsInside(chunks, box), group);
}

/** Longer text beside a table's rulings is not a cell of its rows but text of another column. */
const MOST_WORDS_BEYOND = 7;

/** Whether rulings stand under some columns only, as under sums: most rows extend beyond them without other lines, so that the rows define the table. */
function isPartial(group: MarkGroup, strips: Strip[], groups: MarkGroup[]): boolean {
  const { box, verticals, shades } = group;
  if (verticals.length > 0 || shades.length > 0) return false;
  const beside = groups.filter((other) => other !== group && other.box.top < box.bottom && other.box.bottom > box.top);
  const isOwn = (chunk: Chunk): boolean => beside.some((other) => other.box.left < chunk.right && other.box.right > chunk.left);
  const inside = strips.filter((strip) => strip.core && strip.baseline > box.top && strip.baseline < box.bottom + 2 && strip.right > box.left && strip.left < box.right);
  const beyond = inside.filter((strip) => strip.chunks.some((chunk) => (chunk.right < box.left - chunk.size || chunk.left > box.right + chunk.size) && wordCount(chunk.text) <= MOST_WORDS_BEYOND && !isOwn(chunk)));
  return inside.length > 0 && beyond.length > 0.6 * inside.length;
}

/** Whether no drawn line ends the group below: stripes, or only the rulings of a header. */
function isOpenBelow({ horizontals, verticals, shades, box }: MarkGroup): boolean {
  const closed = verticals.length >= 2 && verticals.some((line) => Math.abs(line.end - box.bottom) < 4);
  return !closed && (horizontals.length < 3 || shades.some((shade) => Math.abs(shade.box.bottom - box.bottom) < 2));
}
