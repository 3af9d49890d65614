/** The networks that ship with the program, as `lectern models` lists, shows and checks them. Conversion workers open them by themselves (convert/shipped-networks). */
import { join } from 'node:path';
import { findOwnNetwork, openingLayout, openingTables, shippedNetworks, sizeOfShipped } from '../convert/installed.js';
import type { Engine } from '../engine/engine-port.js';
import { asLecternError, LecternError } from '../errors.js';
import { describePort } from '../models/card-fit.js';
import { stateOf } from '../models/files.js';
import { describeBytes, visionBytes } from '../models/fit.js';
import { readOnnxHeader } from '../models/onnx-header.js';
import type { RefusedModel } from '../models/types.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import type { Checked } from './check-model.js';
import { drawSamplePage, describeReading } from './sample-page.js';

interface OwnNetwork {
  file: string;
  /** In the list. */
  does: string;
  about: string;
  /** Below models/training. */
  madeBy: string;
}

const { recogniser, detector, orientation, layout, table } = shippedNetworks;
const all: Record<string, OwnNetwork> = {
  'lectern-recogniser': { file: recogniser.file, does: 'reads text', about: 'reads lines of text on scans and pictures', madeBy: 'text' },
  'lectern-detector': { file: detector.file, does: 'finds lines of text', about: 'finds lines of text on pages that are hard to read, beside geometry', madeBy: 'detector' },
  'lectern-orientation': { file: orientation.file, does: 'tells which way up', about: 'tells which way up lines of text stand, so that pages are turned before they are read', madeBy: 'orientation' },
  'lectern-layout': { file: layout.file, does: 'sees layouts', about: 'tells what lines of text and drawings of born-digital pages are, from where they stand', madeBy: 'layout' },
  'lectern-tables': { file: table.file, does: 'finds table cells', about: 'finds the cells of tables without full rules, from where their words stand', madeBy: 'tables' },
};

function ownOf(name: string): OwnNetwork | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(all, key) ? all[key] : undefined;
}

/** By name, letters of either case. */
export function isOwnNetwork(name: string): boolean {
  return ownOf(name) !== undefined;
}

const pathOf = ({ file }: OwnNetwork): string => join(shippedModelsDirectory(), file);

const languages = (): string[] => findOwnNetwork(shippedModelsDirectory())?.languages ?? [];

/** Rows under NAME, SIZE, CAN DO, KNOWS, MODIFIED of those that are there. */
export async function ownNetworkRows(): Promise<string[][]> {
  const rows = await Promise.all(Object.entries(all).map(async ([name, own]) => {
    const state = await stateOf(pathOf(own));
    return state === null ? [] : [[name, describeBytes(state.sizeBytes), own.does, own.file === recogniser.file ? languages().join(' ') : '', state.modifiedAt.toISOString().slice(0, 10)]];
  }));
  return rows.flat();
}

/** Those that are missing or no whole files. */
export async function brokenOwnNetworks(): Promise<RefusedModel[]> {
  const found = await Promise.all(Object.entries(all).map(async ([name, own]): Promise<RefusedModel | null> => {
    const reason = await readOnnxHeader(pathOf(own)).then(() => null, (thrown: unknown) => (thrown as Error).message);
    return reason === null ? null : { name, path: pathOf(own), reason: `${reason}; it ships with the program: copy that again` };
  }));
  return found.filter((one) => one !== null);
}

/** Throws `model_not_found` where it is not there, `invalid_model` where its file is broken. */
export async function describeOwnNetwork(name: string): Promise<[string, string][]> {
  const own = ownOf(name);
  const state = own === undefined ? null : await stateOf(pathOf(own));
  if (own === undefined || state === null) throw new LecternError('model_not_found', `The model ${name} is not where it ships.`);
  const { inputs, outputs, opset } = await readOnnxHeader(state.path).catch((thrown: unknown) => { throw new LecternError('invalid_model', `The model ${name} cannot be used: ${(thrown as Error).message} (${state.path}).`, { cause: thrown }); });
  return [
    ['name', name.toLowerCase()], ['what it is', own.about], ['file', state.path], ['size', describeBytes(state.sizeBytes)], ['can do', own.does],
    ...(own.file === recogniser.file ? [['languages', languages().join(', ')] as [string, string]] : []),
    ['inputs', inputs.map(describePort).join(', ')], ['outputs', outputs.map(describePort).join(', ')], ['written for', `ONNX opset ${opset}`],
    ['comes from', `models/training/${own.madeBy}; models/README.md has its recipe and what it was measured on`],
    ['memory', `a part of the ${describeBytes(visionBytes(sizeOfShipped(shippedModelsDirectory())))} that each conversion worker takes from --model-memory while it reads pages or tables`],
  ];
}

/** All that are there, or the one of this name. A broken one is reported, not thrown. */
export async function checkOwnNetworks(engine: Engine, name?: string): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [each, own] of Object.entries(all)) {
    if (name !== undefined && name.toLowerCase() !== each) continue;
    const began = performance.now();
    checked.push(await tryOut(own, engine).then(
      (findings) => ({ name: each, ok: true, findings: `${findings} in ${((performance.now() - began) / 1000).toFixed(1)} s` }),
      (thrown: unknown) => ({ name: each, ok: false, findings: asLecternError(thrown).message }),
    ));
  }
  return checked;
}

async function tryOut(own: OwnNetwork, engine: Engine): Promise<string> {
  const network = pathOf(own);
  const { page, dpi, table: picture } = await drawSamplePage();
  if (own.file === recogniser.file) return `on a made page ${describeReading(await engine.recogniseText(page, { network, dpi }))}`;
  if (own.file === detector.file) return `beside the recogniser, on a made page ${describeReading(await engine.recogniseText(page, { network: join(shippedModelsDirectory(), recogniser.file), dpi, detector: network }))}`;
  if (own.file === orientation.file) {
    const { lines, upright, turned, neither } = await engine.lineVotes(page, { network, dpi });
    return `on a made page that stands upright ${lines} lines were asked, and ${Math.round(100 * upright / Math.max(1e-9, upright + turned + neither))} % of their votes say so`;
  }
  const model = await engine.openVision(own.file === table.file ? openingTables(network) : openingLayout(network));
  try {
    if (own.file === layout.file) return 'opened';
    // It wants drawings of words (convert/tables/picture): that it runs is all that a picture of a table can show.
    await model.findTableCells(picture);
    return 'opened, runs on a picture';
  } finally {
    await model.close();
  }
}
