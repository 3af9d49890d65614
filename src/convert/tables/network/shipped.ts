/** The table network that ships with the program: opened by the first table that asks for it, and again when its engine was closed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { VisionLoader, VisionModel } from '../../../engine/vision-port.js';
import { openingTables, tableNetwork } from '../../shipped-networks.js';
import type { CellFinder } from './cell-finder.js';

/** Null where the network is not in `directory`. What it rejects with is `cancelled` or a defect. */
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
      // Memory may be there for the next table.
      model = null;
      throw thrown;
    });
    return opened.findTableCells(picture, { signal });
  };
}
