/** Decides whether groups of marks inside others are part of them, or tables by themselves in a frame. */
import { containsBox, widthOf } from '../../../geometry/box.js';
import type { Box } from '../../../pdf/pdf-page.js';
import type { MarkGroup } from './table-area.js';

const MAX_HOSTS = 300;
/** A ruling with at least this distance from a frame's side does not touch it. */
const INSET = 5;

/** Fills and single lines inside a larger group are part of it; frames inside it are not. */
export function absorb(groups: MarkGroup[]): MarkGroup[] {
  const loose = groups.filter(({ horizontals, verticals }) => horizontals.length === 0 || verticals.length === 0);
  const hosts = groups.filter(({ horizontals, verticals, shades }) => horizontals.length + verticals.length + shades.length >= 2).slice(0, MAX_HOSTS);
  const gone = new Set<MarkGroup>();
  for (const group of loose) {
    const host = hosts.find((other) => other !== group && !gone.has(other) && isWithin(group.box, other.box) && !isInline(group, other));
    if (host === undefined) continue;
    if (isFramed(group, host)) {
      gone.add(host);
      continue;
    }
    host.horizontals.push(...group.horizontals);
    host.verticals.push(...group.verticals);
    host.shades.push(...group.shades);
    gone.add(group);
  }
  return groups.filter((group) => !gone.has(group));
}

/** Whether it is a fill in a cell of a ruled grid, such as the background of code: the grid's own lines have more weight. */
function isInline(group: MarkGroup, host: MarkGroup): boolean {
  const onlyShades = group.horizontals.length === 0 && group.verticals.length === 0;
  return onlyShades && host.verticals.length >= 2 && host.horizontals.length >= 2 && widthOf(group.box) < 0.5 * widthOf(host.box);
}

/** Whether the rulings touch the sides of a plain frame nowhere: they then form a table, and the frame, such as a panel of a poster, may also contain text. */
function isFramed({ horizontals, box }: MarkGroup, { box: { left, right, top, bottom }, verticals, horizontals: across }: MarkGroup): boolean {
  const isMere = verticals.every(({ at }) => at - left < 3 || right - at < 3) && across.every(({ at }) => at - top < 3 || bottom - at < 3);
  return isMere && verticals.length >= 2 && horizontals.length >= 2 && box.left - left > INSET && right - box.right > INSET;
}

function isWithin(inner: Box, outer: Box): boolean {
  return containsBox(outer, inner, 3);
}
