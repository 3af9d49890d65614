/** The networks that conversion workers open themselves: their files, and what their runs may hold. What they count in the memory of models is worked out from here. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenVisionOptions } from '../engine/vision-port.js';

export interface ShippedNetwork {
  file: string;
  /** That runs may hold beside the weights: as measured at its largest picture, doubled for what was not measured. */
  workBytes: number;
}

/** A line of 16,384 columns takes 18 MiB. */
export const recogniserNetwork: ShippedNetwork = { file: 'lectern-recogniser.onnx', workBytes: 32 * 2 ** 20 };
/** A table of 1,600 by 1,600 pixels takes 92 MiB. */
export const tableNetwork: ShippedNetwork = { file: 'lectern-tables.onnx', workBytes: 112 * 2 ** 20 };

/** Lines are cut to 448 columns, and native/vision/line_orientation bounds it itself. */
export const orientationNetwork: ShippedNetwork = { file: 'lectern-orientation.onnx', workBytes: 16 * 2 ** 20 };

/** Pages are cut to pieces of 1,024 by 1,344 pixels, and native/vision/page_detector bounds it itself. */
export const detectorNetwork: ShippedNetwork = { file: 'lectern-detector.onnx', workBytes: 48 * 2 ** 20 };

/** A page of 3,000 lines and drawings takes some 40 MiB. */
export const layoutNetwork: ShippedNetwork = { file: 'lectern-layout.onnx', workBytes: 64 * 2 ** 20 };

export const shippedNetworks = { recogniser: recogniserNetwork, orientation: orientationNetwork, detector: detectorNetwork, table: tableNetwork, layout: layoutNetwork };

/** One thread: documents are converted side by side, each in a process of its own. */
const onHost = { device: 'cpu', threads: 1 } as const;

/** How the table network in `file` is opened: it takes drawings of tables as they are (tables/picture). */
export function openingTables(file: string): OpenVisionOptions {
  const preparation = { fit: 'stretch' as const, bgr: false, mean: [0, 0, 0] as [number, number, number], std: [1, 1, 1] as [number, number, number] };
  return { kind: 'table', networks: { table: { answer: 'separators', file, precision: 'f32', preparation } }, ...onHost, workBytes: tableNetwork.workBytes };
}

/** How the layout network in `file` is opened. */
export function openingLayout(file: string): OpenVisionOptions {
  return { kind: 'lines', networks: { lines: { file } }, ...onHost, workBytes: layoutNetwork.workBytes };
}

/** The relation network, which is not shipped before it is better than the rules. */
export const relationNetworkFile = 'lectern-relations.onnx';
/** Bytes that a run of the relation network may hold beside the weights: 4,000 nodes with 24 neighbours each. */
const relationWorkBytes = 192 * 2 ** 20;

/** How the relation network in `file` is opened. */
export function openingRelations(file: string): OpenVisionOptions {
  return { kind: 'lines', networks: { lines: { file } }, ...onHost, workBytes: relationWorkBytes };
}

/** Of all that are in `directory`. */
export function sizeOfShipped(directory: string): { sizeBytes: number; workBytes: number } {
  const total = { sizeBytes: 0, workBytes: 0 };
  for (const { file, workBytes } of Object.values(shippedNetworks)) {
    const stat = statSync(join(directory, file), { throwIfNoEntry: false });
    if (stat === undefined) continue;
    total.sizeBytes += stat.size;
    total.workBytes += workBytes;
  }
  return total;
}
