/** The layout network that ships with the program. The first page that needs it opens it, and again after its engine was closed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { VisionLoader, VisionModel } from '../../engine/vision-port.js';
import { layoutNetwork, openingLayout } from '../shipped-networks.js';
import { itemsOf } from './items.js';
import type { LayoutPage } from './items.js';
import { noOutput, rowsOf, outputOf } from './regions.js';
import type { NetworkOutput } from './regions.js';

/** Predicts the classes of a page's lines and drawings. */
export type LayoutFinder = (page: LayoutPage, signal: AbortSignal) => Promise<NetworkOutput>;

/** Every item is compared with every other, so that a page of maps or of hidden text would take minutes. */
export const mostItems = 3000;

/**
 * Null if the network is not in `directory`. For a page without lines and drawings, or with more than `mostItems`, the prediction is empty. Rejects with `cancelled`
 * or a defect.
 */
export function shippedLayoutFinder(engine: () => VisionLoader, directory: string): LayoutFinder | null {
  const file = join(directory, layoutNetwork.file);
  if (!existsSync(file)) return null;
  let model: Promise<VisionModel> | null = null;
  let opener: VisionLoader | null = null;
  return async (page, signal) => {
    const count = page.lines.length + page.drawn.length;
    if (count === 0 || count > mostItems) return noOutput;
    const current = engine();
    if (opener !== current) model = null;
    opener = current;
    model ??= current.openVision(openingLayout(file));
    const opened = await model.catch((thrown: unknown) => {
      // The next page may have enough memory.
      model = null;
      throw thrown;
    });
    const items = itemsOf(page);
    return items.boxes.length === 0 ? noOutput : outputOf(items, await opened.classifyLines(rowsOf(items), { signal }));
  };
}
