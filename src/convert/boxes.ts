/** How boxes lie to each other. */
import type { Box } from '../pdf/page.js';

/** Share of `inner` that lies in `outer`, 0..1. */
export function shareWithin(inner: Box, outer: Box): number {
  const wide = Math.min(inner.right, outer.right) - Math.max(inner.left, outer.left);
  const high = Math.min(inner.bottom, outer.bottom) - Math.max(inner.top, outer.top);
  const area = (inner.right - inner.left) * (inner.bottom - inner.top);
  return wide <= 0 || high <= 0 || area <= 0 ? 0 : (wide * high) / area;
}
