/** The table network that ships with the program. The first table that needs it opens it, and again after its engine was closed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { VisionLoader, VisionModel } from '../../../engine/vision-port.js';
import { openingTables, tableNetwork } from '../../shipped-networks.js';
import type { CellFinder } from './cell-finder.js';

/** Null if the network is not in `directory`. Rejects with `cancelled` or a defect. */
export function shippedCellFinder(engine: () => VisionLoader, directory: string): CellFinder | null {
  const file = join(directory, tableNetwork.file);
  if (!existsSync(file)) return null;
  let model: Promise<VisionModel> | null = null;
  let opener: VisionLoader | null = null;
  return async (picture, signal) => {
    const current = engine();
    if (opener !== current) model = null;
    opener = current;
    model ??= current.openVision(openingTables(file));
    const opened = await model.catch((thrown: unknown) => {
      // The next table may have enough memory.
      model = null;
      throw thrown;
    });
    return opened.findTableCells(picture, { signal });
  };
}
