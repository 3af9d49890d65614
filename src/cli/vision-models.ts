/** The part of `lectern models` that is about vision models: how they are listed and shown, and what they see on a made page. */
import { findOwnNetwork, sizeOfShipped } from '../convert/installed.js';
import type { Engine, ReadPage } from '../engine/port.js';
import type { LayoutRegion, VisionModel } from '../engine/vision-port.js';
import { asLecternError, LecternError } from '../errors.js';
import { describeBytes, visionBytes } from '../models/fit.js';
import { stateOf } from '../models/files.js';
import type { VisionEntry } from '../models/vision-catalogue.js';
import { shippedModelsDirectory } from '../package-files.js';
import type { Checked, Place } from './check-model.js';
import { drawSamplePage, sampleLines, type SamplePage } from './sample-page.js';

const ownName = 'lectern-recogniser';

const verbs: Record<VisionEntry['kind'], string> = { text: 'reads text', layout: 'finds layouts', table: 'finds table cells' };

/** Rows under NAME, SIZE, CAN DO, KNOWS, MODIFIED; what ships with the program is among them. */
export async function visionRows(entries: VisionEntry[]): Promise<string[][]> {
  const own = findOwnNetwork(shippedModelsDirectory());
  const state = own === null ? null : await stateOf(own.path);
  const rows = entries.map(({ name, sizeBytes, kind, modifiedAt, ...entry }) => [name, describeBytes(sizeBytes), verbs[kind], knows({ kind, ...entry }), modifiedAt.toISOString().slice(0, 10)]);
  if (own !== null && state !== null) rows.push([ownName, describeBytes(state.sizeBytes), verbs.text, own.languages.join(' '), state.modifiedAt.toISOString().slice(0, 10)]);
  return rows;
}

function knows({ networks, languages }: Pick<VisionEntry, 'kind' | 'networks' | 'languages'>): string {
  if (networks.kind === 'layout') return `${networks.networks.layout.labels.length} labels`;
  return networks.kind === 'text' ? languages?.join(' ') ?? 'languages not said' : '';
}

export function describeVision(entry: VisionEntry): [string, string][] {
  const { networks } = entry;
  const files: [string, string][] = networks.kind === 'text'
    ? [['finds lines', networks.networks.detector.file], ['reads lines', networks.networks.reader.file], ['dictionary', networks.networks.reader.dictionary ?? 'in the file'], ...(networks.networks.angle === undefined ? [] : [['turns lines', networks.networks.angle.file] as [string, string]])]
    : networks.kind === 'layout' ? [['file', networks.networks.layout.file], ['labels', networks.networks.layout.labels.join(', ')]] : [['file', networks.networks.table.file], ...(networks.networks.table.answer === 'words' ? [['dictionary', networks.networks.table.dictionary] as [string, string]] : [])];
  return [
    ['name', entry.name], ...files, ['size', describeBytes(entry.sizeBytes)], ['digest', entry.digest], ['can do', verbs[entry.kind]],
    ...(entry.kind === 'text' ? [['languages', entry.languages?.join(', ') ?? 'its card does not say'] as [string, string]] : []),
    ['memory', `${describeBytes(visionBytes(entry))}, of which ${describeBytes(entry.workBytes)} for runs`],
  ];
}

/** Never rejects for what is wrong with the model. */
export async function checkVision(entry: VisionEntry, engine: Engine, { kind, budgetBytes }: Place): Promise<Checked> {
  try {
    const need = visionBytes(entry);
    if (need > budgetBytes) return { name: entry.name, ok: true, findings: `not opened: it needs ${describeBytes(need)}, and ${describeBytes(budgetBytes)} can be had` };
    const sample = await drawSamplePage();
    const began = performance.now();
    const model = await engine.openVision({ ...entry.networks, device: kind, workBytes: entry.workBytes });
    try {
      const opened = performance.now();
      const found = await lookAt(sample, model, entry.kind);
      return { name: entry.name, ok: true, findings: `opened in ${seconds(opened - began)}, on a made page ${found} in ${seconds(performance.now() - opened)}` };
    } finally {
      await model.close();
    }
  } catch (thrown) {
    return { name: entry.name, ok: false, findings: asLecternError(thrown).message };
  }
}

/** By its name; the catalogue of vision models leaves it out, for it is read where the pages are. */
export function isOwnRecogniser(name: string): boolean {
  return name.toLowerCase() === ownName;
}

/** As describeVision(). Throws `model_not_found` where it is not there. */
export async function describeOwnRecogniser(): Promise<[string, string][]> {
  const own = findOwnNetwork(shippedModelsDirectory());
  const state = own === null ? null : await stateOf(own.path);
  if (own === null || state === null) throw new LecternError('model_not_found', `The model ${ownName} is not where it ships.`);
  return [
    ['name', ownName], ['reads lines', own.path], ['size', describeBytes(state.sizeBytes)], ['can do', verbs.text], ['languages', own.languages.join(', ')],
    ['memory', `a part of the ${describeBytes(visionBytes(sizeOfShipped(shippedModelsDirectory())))} that each conversion worker takes from --model-memory while it reads pages or tables`],
  ];
}

/** The recogniser that ships with the program, or null where it is not there. */
export async function checkOwnRecogniser(engine: Engine): Promise<Checked | null> {
  const own = findOwnNetwork(shippedModelsDirectory());
  if (own === null) return null;
  try {
    const { page, dpi } = await drawSamplePage();
    const began = performance.now();
    const read = await engine.recogniseText(page, { network: own.path, dpi });
    return { name: ownName, ok: true, findings: `on a made page ${whatItReads(read)} in ${seconds(performance.now() - began)}` };
  } catch (thrown) {
    return { name: ownName, ok: false, findings: asLecternError(thrown).message };
  }
}

async function lookAt({ page, dpi, table }: SamplePage, model: VisionModel, kind: VisionEntry['kind']): Promise<string> {
  if (kind === 'text') return whatItReads(await model.readLines(page, { dpi }));
  if (kind === 'layout') return whatItFinds(await model.findLayout(page));
  const { rows, columns, cells } = await model.findTableCells(table);
  return `it finds a table of ${rows} rows and ${columns} columns with ${cells.length} cells`;
}

/** The made page's text is known: so many of its words are there. */
function whatItReads({ lines }: ReadPage): string {
  const words = lines.flatMap((line) => line.words.map(({ text }) => text));
  const written = sampleLines.join(' ').split(' ');
  const right = written.filter((word) => words.includes(word)).length;
  return `it reads ${lines.length} lines, ${right} of the ${written.length} words of its text as they are written`;
}

function whatItFinds(regions: LayoutRegion[]): string {
  const counts = new Map<string, number>();
  for (const { label } of regions) counts.set(label, (counts.get(label) ?? 0) + 1);
  return `it finds ${regions.length} regions${counts.size === 0 ? '' : `: ${[...counts].map(([label, count]) => `${count} ${label}`).join(', ')}`}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function isMissing(thrown: unknown): boolean {
  return thrown instanceof LecternError && thrown.code === 'model_not_found';
}
