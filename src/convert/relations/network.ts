/** Runs the relation network on the nodes of a page. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { VisionLoader, VisionModel } from '../../engine/vision-port.js';
import { openingRelations, relationNetworkFile } from '../shipped-networks.js';
import { neighboursOf } from './neighbours.js';
import { FEATURES, GEOMETRY, TEXT } from './nodes.js';
import type { PageNodes } from './nodes.js';
import { NetworkScores, neighbourSlots, outputWidth } from './scores.js';
import type { RelationScores } from './scores.js';

/** Scores the nodes of a page. */
export type RelationFinder = (nodes: PageNodes, signal: AbortSignal) => Promise<RelationScores>;

/** Nodes of one run; a page of more is cut into runs of consecutive nodes from the top, and only geometry says what belongs together over a cut. */
export const mostNodesOfRun = 4000;

/** Null if the network is not in `directory`. */
export function shippedRelations(engine: () => VisionLoader, directory: string): RelationFinder | null {
  const file = join(directory, relationNetworkFile);
  return existsSync(file) ? relationFinder(engine, file) : null;
}

/** The finder of the network in `file`, which the first page opens, and again after its engine was closed. Rejects as opening and running do. */
export function relationFinder(engine: () => VisionLoader, file: string): RelationFinder {
  let model: Promise<VisionModel> | null = null;
  let opener: VisionLoader | null = null;
  return async (page, signal) => {
    const current = engine();
    if (opener !== current) model = null;
    opener = current;
    model ??= current.openVision(openingRelations(file));
    const opened = await model.catch((thrown: unknown) => {
      // The next page may have enough memory.
      model = null;
      throw thrown;
    });
    return scoresOf(page, opened, signal);
  };
}

async function scoresOf(page: PageNodes, model: VisionModel, signal: AbortSignal): Promise<RelationScores> {
  const count = page.nodes.length;
  const output = new Float32Array(count * outputWidth);
  const neighbours = new Int32Array(count * neighbourSlots).fill(-1);
  for (const run of runsOf(page)) {
    const own = run.length === count ? page.neighbours : neighboursOf(run.map((node) => page.nodes[node]!.box));
    const features = Float32Array.from(run.flatMap((node) => [...rowOf(page.features, node, FEATURES), ...rowOf(page.geometry, node, GEOMETRY), ...rowOf(page.text, node, TEXT)]));
    const { classes } = await model.classifyLines({ features, neighbours: own, pairs: new Int32Array(0), pairFeatures: new Float32Array(0) }, { signal });
    for (const [at, node] of run.entries()) {
      output.set(classes.subarray(at * outputWidth, (at + 1) * outputWidth), node * outputWidth);
      for (let slot = 0; slot < neighbourSlots; slot++) {
        const other = own[at * neighbourSlots + slot]!;
        if (other >= 0) neighbours[node * neighbourSlots + slot] = run[other]!;
      }
    }
  }
  return new NetworkScores(output, neighbours);
}

function runsOf({ nodes }: PageNodes): number[][] {
  const all = [...nodes.keys()];
  if (nodes.length <= mostNodesOfRun) return all.length === 0 ? [] : [all];
  const fromTop = all.sort((a, b) => nodes[a]!.box.top - nodes[b]!.box.top || a - b);
  return Array.from({ length: Math.ceil(fromTop.length / mostNodesOfRun) }, (_, run) => fromTop.slice(run * mostNodesOfRun, (run + 1) * mostNodesOfRun));
}

function rowOf(values: Float32Array | Int32Array, node: number, width: number): Float32Array | Int32Array {
  return values.subarray(node * width, (node + 1) * width);
}
