/** `lectern models`: what there is and what is refused, one model at length, whether they run, and pulling one from a registry. */
import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { parseArgs } from 'node:util';
import { resolveSettings, type Settings } from '../settings/settings.js';
import { openEngine } from '../engine/engine.js';
import type { Engine } from '../engine/port.js';
import { LecternError } from '../errors.js';
import { openCatalogue } from '../program/language-half.js';
import { contextChooser, placeOf } from '../program/model-memory.js';
import { silentLog } from '../logging/lazy-log.js';
import { describeBytes } from '../models/fit.js';
import { displayName, parseModelName, requireModelName } from '../models/model-name.js';
import { pullModel } from '../models/pull/pull.js';
import type { Catalogue, CatalogueEntry } from '../models/types.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { type Checked, checkModel } from './check-model.js';
import { pullAdvice } from './missing-model.js';
import { progressBar } from './progress-bar.js';
import type { Command } from './run.js';
import { createVisionCatalogue, type VisionCatalogue, type VisionEntry } from '../models/vision-catalogue.js';
import { brokenOwn, checkOwn, describeOwn, isOwn, ownRows } from './own-networks.js';
import { checkVision, describeVision, isMissing, visionRows } from './vision-models.js';
import { modelsUsage as usage } from './usage.js';
import { wrongWords } from './wrong-words.js';

export const models: Command = async (args, environment) => {
  const { values: settings, rest } = resolveSettings(args, environment);
  const { words: [verb = 'list', name, ...more], into, insecure } = readWords(rest);
  const names = { list: [0, 0], show: [1, 1], check: [0, 1], pull: [1, 1] } as Record<string, [least: number, most: number]>;
  const [least, most] = Object.hasOwn(names, verb) ? names[verb] as [number, number] : [1, 0];
  const count = (name === undefined ? 0 : 1) + more.length;
  if (count < least || count > most) throw new LecternError('invalid_request', usage);
  const engine = openEngine();
  try {
    const catalogue = openCatalogue(settings, engine, silentLog);
    const vision = createVisionCatalogue({ directories: settings.models });
    if (verb === 'list') return await list(catalogue, vision, settings.models);
    if (verb === 'show') return await show(catalogue, vision, engine, settings, name as string);
    if (verb === 'check') return await check(catalogue, vision, engine, settings, name);
    return await pull(catalogue, name as string, into ?? pullDirectory(settings.models), insecure);
  } finally {
    await engine.close();
  }
};

function readWords(args: string[]): { words: string[]; into: string | undefined; insecure: boolean } {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { into: { type: 'string' }, insecure: { type: 'boolean' } } });
    return { words: positionals, into: values.into, insecure: values.insecure ?? false };
  } catch (cause) {
    throw wrongWords(cause, 'models');
  }
}

function print(lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line.trimEnd()}\n`).join(''));
}

function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '));
}

async function list(catalogue: Catalogue, vision: VisionCatalogue, directories: string[]): Promise<number> {
  const entries = await catalogue.list();
  const refused = [...await catalogue.refused(), ...await vision.refused(), ...await brokenOwn()];
  const missing = directories.filter((directory) => !existsSync(directory));
  const rows = entries.map(({ name, sizeBytes, details, description, capabilities, modifiedAt }) => [
    name, describeBytes(sizeBytes), details.family, details.parameterSize, details.quantizationLevel, String(description.context), capabilities.join(' '), modifiedAt.toISOString().slice(0, 10),
  ]);
  if (rows.length > 0) print(table([['NAME', 'SIZE', 'FAMILY', 'PARAMETERS', 'WEIGHTS', 'CONTEXT', 'CAN DO', 'MODIFIED'], ...rows]));
  else if (missing.length === 0) print(['There is no model yet; `lectern models pull NAME` fetches one.']);
  const seeing = [...visionRows(await fromElsewhere(vision)), ...await ownRows()];
  if (seeing.length > 0) print(['', ...table([['NAME', 'SIZE', 'CAN DO', 'KNOWS', 'MODIFIED'], ...seeing])]);
  for (const directory of missing) print([`The directory ${directory} does not exist yet.`]);
  if (refused.length > 0) print(['', 'Left out:', ...refused.flatMap(({ name, path, reason }) => [`  ${name}: ${reason}`, `      ${path}`])]);
  return 0;
}

/** Vision models but for those that ship: own-networks tells of them. */
async function fromElsewhere(vision: VisionCatalogue): Promise<VisionEntry[]> {
  return (await vision.list()).filter(({ name }) => !isOwn(name));
}

/** The catalogue's own sense of sameness: case does not count, nor whether what is usual is written. */
function fullName(name: string): string {
  const parsed = parseModelName(name);
  return (parsed === undefined ? name : displayName(parsed)).toLowerCase();
}

/** Throws `invalid_model` with the reason for one that is there and refused. */
async function found(catalogue: Catalogue, name: string): Promise<CatalogueEntry> {
  return catalogue.find(name).catch(async (thrown: unknown) => {
    const wanted = fullName(name);
    const refused = (await catalogue.refused()).find((one) => fullName(one.name) === wanted);
    if (refused === undefined) throw isMissing(thrown) ? new LecternError('model_not_found', `There is no model "${name}"${pullAdvice(name)}.`, { cause: thrown }) : thrown;
    throw new LecternError('invalid_model', `The model ${name} cannot be used: ${refused.reason} (${refused.path}).`, { cause: thrown });
  });
}

async function show(catalogue: Catalogue, vision: VisionCatalogue, engine: Engine, settings: Settings, name: string): Promise<number> {
  if (isOwn(name)) {
    print(table(await describeOwn(name)));
    return 0;
  }
  const { entry, seeing } = await foundEither(catalogue, vision, name);
  print(table(entry === undefined ? await describeVision(seeing) : await describe(entry, engine, settings)));
  return 0;
}

/** A language model goes before a vision model of its name. Throws what the language models' catalogue says where neither has it. */
async function foundEither(catalogue: Catalogue, vision: VisionCatalogue, name: string): Promise<{ entry: CatalogueEntry; seeing?: never } | { entry?: never; seeing: VisionEntry }> {
  try {
    return { entry: await found(catalogue, name) };
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    return { seeing: await vision.find(name).catch((other: unknown) => { throw isMissing(other) ? thrown : other; }) };
  }
}

async function describe(entry: CatalogueEntry, engine: Engine, settings: Settings): Promise<[string, string][]> {
  const { description, details } = entry;
  const slots = description.embeds ? 1 : settings.slots;
  const wanted = contextChooser(settings)(entry);
  const context = Math.min(wanted, description.context || wanted);
  const need = await engine.memoryNeed(entry.path, { device: placeOf(settings, engine.devices(settings.device)).kind, slots, context });
  return [
    ['name', entry.name], ['file', entry.path], ['size', describeBytes(entry.sizeBytes)], ['digest', entry.digest],
    ['architecture', details.family], ['parameters', details.parameterSize], ['weights', details.quantizationLevel],
    ['context', `${description.context} tokens`], ['embedding', `${description.embeddingLength} numbers`], ['can do', entry.capabilities.join(', ')],
    ['memory', `${describeBytes(need.weightBytes + need.kvBytes + need.workBytes)} with ${context} tokens in ${slots === 1 ? 'one slot' : `${slots} slots`}`],
    ['template', entry.goTemplate !== null ? 'of the store' : entry.chatTemplate !== null ? 'of the file' : 'none'],
    ...entry.licenses.map((license): [string, string] => ['license', license.split('\n').find((line) => line.trim() !== '')?.trim() ?? '']),
  ];
}

/** Exit code 1 when one is not whole or does not run; refused files are such. */
async function check(catalogue: Catalogue, vision: VisionCatalogue, engine: Engine, settings: Settings, name: string | undefined): Promise<number> {
  const place = placeOf(settings, engine.devices(settings.device));
  const refused = name === undefined ? [...await catalogue.refused(), ...await vision.refused()] : [];
  let failed = refused.length;
  const tell = (checked: Checked): void => {
    if (!checked.ok) failed++;
    print([`${checked.ok ? 'ok    ' : 'FAILED'}  ${checked.name}: ${checked.findings}`]);
  };
  if (name === undefined) {
    for (const entry of await catalogue.list()) tell(await checkModel(entry, engine, place));
    for (const seeing of await fromElsewhere(vision)) tell(await checkVision(seeing, engine, place));
    for (const own of await checkOwn(engine)) tell(own);
  } else if (isOwn(name)) {
    for (const own of await checkOwn(engine, name)) tell(own);
  } else {
    const { entry, seeing } = await foundEither(catalogue, vision, name);
    tell(entry === undefined ? await checkVision(seeing, engine, place) : await checkModel(entry, engine, place));
  }
  print(refused.map((one) => `FAILED  ${one.name}: ${one.reason}`));
  return failed === 0 ? 0 : 1;
}

/** What ships is replaced with the program, and Ollama's own stores are only read. */
function pullDirectory(directories: string[]): string {
  const fits = (directory: string): boolean => directory !== shippedModelsDirectory() && !directory.endsWith(`${sep}.ollama${sep}models`);
  const found = directories.find(fits);
  if (found === undefined) throw new LecternError('invalid_request', 'None of the model directories is Lectern\'s to write to; --into DIRECTORY names one.');
  return found;
}

async function pull(catalogue: Catalogue, text: string, directory: string, insecure: boolean): Promise<number> {
  const name = requireModelName(text);
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new LecternError('cancelled'));
  process.once('SIGINT', interrupt);
  const bar = progressBar(process.stderr, displayName(name));
  try {
    await pullModel({ name, directory, insecure: insecure || text.startsWith('http://'), signal: controller.signal, onProgress: bar.show });
  } finally {
    bar.end();
    process.off('SIGINT', interrupt);
  }
  const refused = (await catalogue.refused()).find((one) => one.name === displayName(name));
  if (refused !== undefined) throw new LecternError('invalid_model', `${displayName(name)} is there and cannot be used: ${refused.reason}.`);
  print([`${displayName(name)} is in ${directory}.`]);
  return 0;
}
