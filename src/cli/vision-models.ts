/** The part of `lectern models` that is about vision models from elsewhere: how they are listed and shown, and what they see on a made page. */
import { basename } from 'node:path';
import type { Engine } from '../engine/engine-port.js';
import type { LayoutRegion, VisionModel } from '../engine/vision-port.js';
import { asLecternError, LecternError } from '../errors.js';
import { describePort } from '../models/card-fit.js';
import { describeBytes, visionBytes } from '../models/fit.js';
import { readOnnxHeader } from '../models/onnx-header.js';
import type { VisionEntry } from '../models/vision-entry.js';
import type { Checked, LoadPlace } from './check-model.js';
import { drawSamplePage, type SamplePage, describeReading } from './sample-page.js';

const verbs: Record<VisionEntry['kind'], string> = { text: 'reads text', layout: 'finds layouts', table: 'finds table cells' };

/** Rows under NAME, SIZE, CAN DO, KNOWS, MODIFIED. */
export function visionRows(entries: VisionEntry[]): string[][] {
  return entries.map(({ name, sizeBytes, kind, modifiedAt, ...entry }) => [name, describeBytes(sizeBytes), verbs[kind], knows({ kind, ...entry }), modifiedAt.toISOString().slice(0, 10)]);
}

function knows({ networks, languages }: Pick<VisionEntry, 'kind' | 'networks' | 'languages'>): string {
  if (networks.kind === 'layout') return `${networks.networks.layout.labels.length} labels`;
  return networks.kind === 'text' ? languages?.join(' ') ?? 'languages not said' : '';
}

/** Rejects with `invalid_model` where a file was broken meanwhile. */
export async function describeVision(entry: VisionEntry): Promise<[string, string][]> {
  const { networks } = entry;
  const files: [string, string][] = networks.kind === 'text'
    ? [['finds lines', networks.networks.detector.file], ['reads lines', networks.networks.reader.file], ['dictionary', networks.networks.reader.dictionary ?? 'in the file'], ...(networks.networks.angle === undefined ? [] : [['turns lines', networks.networks.angle.file] as [string, string]])]
    : networks.kind === 'layout' ? [['file', networks.networks.layout.file], ['labels', networks.networks.layout.labels.join(', ')]] : [['file', networks.networks.table.file], ...(networks.networks.table.answer === 'words' ? [['dictionary', networks.networks.table.dictionary] as [string, string]] : [])];
  const ports = await Promise.all(files.filter(([, path]) => path.toLowerCase().endsWith('.onnx')).map(async ([, path]): Promise<[string, string]> => {
    const { inputs, outputs, opset } = await readOnnxHeader(path);
    return [basename(path), `${inputs.map(describePort).join(', ')} -> ${outputs.map(describePort).join(', ')}, ONNX opset ${opset}`];
  }));
  return [
    ['name', entry.name], ...files, ...ports, ['size', describeBytes(entry.sizeBytes)], ['digest', entry.digest], ['can do', verbs[entry.kind]],
    ...(entry.kind === 'text' ? [['languages', entry.languages?.join(', ') ?? 'its card does not say'] as [string, string]] : []),
    ['memory', `${describeBytes(visionBytes(entry))}, of which ${describeBytes(entry.workBytes)} for runs`],
  ];
}

/** Resolves also for a broken model: its findings say what is wrong. */
export async function checkVision(entry: VisionEntry, engine: Engine, { kind, budgetBytes }: LoadPlace): Promise<Checked> {
  try {
    const need = visionBytes(entry);
    if (need > budgetBytes) return { name: entry.name, ok: true, findings: `not opened: it needs ${describeBytes(need)}, and ${describeBytes(budgetBytes)} can be had` };
    const sample = await drawSamplePage();
    const began = performance.now();
    const model = await engine.openVision({ ...entry.networks, device: kind, workBytes: entry.workBytes });
    try {
      const opened = performance.now();
      const found = await readSample(sample, model, entry.kind);
      return { name: entry.name, ok: true, findings: `opened in ${seconds(opened - began)}, on a made page ${found} in ${seconds(performance.now() - opened)}` };
    } finally {
      await model.close();
    }
  } catch (thrown) {
    return { name: entry.name, ok: false, findings: asLecternError(thrown).message };
  }
}

async function readSample({ page, dpi, table }: SamplePage, model: VisionModel, kind: VisionEntry['kind']): Promise<string> {
  if (kind === 'text') return describeReading(await model.readLines(page, { dpi }));
  if (kind === 'layout') return describeRegions(await model.findLayout(page));
  const { rows, columns, cells } = await model.findTableCells(table);
  return `it finds a table of ${rows} rows and ${columns} columns with ${cells.length} cells`;
}

function describeRegions(regions: LayoutRegion[]): string {
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
