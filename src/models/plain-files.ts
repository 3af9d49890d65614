/** GGUF files that lie in a directory by themselves: which file or files make a model, and what it is called. Models in another form are reported, too. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { type FileState, filesBelow, invalid, stateOf } from './files.js';

export interface PlainModel {
  name: string;
  /** Of the only file or the first part. */
  path: string;
  /** All of them, unless something is wrong. */
  parts: string[];
  wrong: string | null;
}

const partForm = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;
const otherForm = /^(.*?)(?:-\d{5}-of-\d{5})?\.safetensors$/i;
const mostParts = 1000;
const deepest = 4;

/**
 * Every `.gguf` file up to four directories deep, by path. Throws what opening `root` throws, and `too_large`. A model is called by its
 * file, without `.gguf` and without `-00001-of-00003`; what a name may not hold becomes a dash: `Llama 3 (8B).gguf` is `Llama-3-8B`.
 */
export async function plainModelsOf(root: string): Promise<PlainModel[]> {
  const ofStore = new Set(['blobs', 'manifests']);
  const files = (await filesBelow(root, { depth: deepest, enters: (below) => !ofStore.has(below) }));
  const ours = files.filter((file) => /\.gguf$/i.test(file));
  const known = new Set(ours);
  const models = ours.flatMap((file) => {
    const part = partForm.exec(file);
    const path = join(root, file);
    if (part === null) return [{ name: nameOf(basename(file).slice(0, -'.gguf'.length)), path, parts: [path], wrong: null }];
    const [stem, number, count] = [part[1] as string, Number(part[2]), Number(part[3])];
    const nth = (index: number): string => `${stem}-${String(index).padStart(5, '0')}-of-${part[3]}.gguf`;
    const model = { name: nameOf(basename(stem)), path };
    if (count > mostParts || number < 1 || number > count) return [{ ...model, parts: [], wrong: `there can be no part ${number} of ${count}` }];
    // One entry for all parts: at the first that is there.
    for (let index = 1; index < number; index++) if (known.has(nth(index))) return [];
    const parts = Array.from({ length: count }, (_, index) => nth(index + 1));
    const missing = parts.find((one) => !known.has(one));
    return [{ ...model, parts: parts.map((one) => join(root, one)), wrong: missing === undefined ? null : `its part ${basename(missing)} is missing` }];
  });
  return [...models, ...inAnotherForm(root, files, new Set(ours.map((file) => placeOf(file, basename(file).slice(0, -'.gguf'.length)))))];
}

/** A model's own directory; many lie in the outermost one, each by its name. */
function placeOf(file: string, stem: string): string {
  return dirname(file) === '.' ? stem : dirname(file);
}

/** What most models are published as: a user who puts one here reads why it does not appear. One entry a place, none where it was converted. */
function inAnotherForm(root: string, files: string[], converted: Set<string>): PlainModel[] {
  const first = new Map<string, PlainModel>();
  for (const file of files) {
    const stem = otherForm.exec(basename(file))?.[1];
    const place = placeOf(file, stem ?? '');
    if (stem === undefined || first.has(place) || converted.has(place)) continue;
    const name = nameOf(basename(place));
    first.set(place, { name, path: join(root, file), parts: [], wrong: 'only GGUF files are read; convert_hf_to_gguf.py of llama.cpp makes one of such a model' });
  }
  return [...first.values()];
}

function nameOf(stem: string): string {
  return stem.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[-.]+|-+$/g, '');
}

/** Throws `invalid_model` with what is wrong. */
export async function statesOf({ name, wrong, parts }: PlainModel): Promise<FileState[]> {
  if (name === '') throw invalid('its name has no letters or digits');
  if (wrong !== null) throw invalid(wrong);
  return Promise.all(parts.map(async (part) => {
    const state = await stateOf(part);
    if (state === null) throw invalid(`${part} is no file that can be read`);
    return state;
  }));
}

/** sha256 of what tells it from others without reading it: 64 hex digits. */
export function plainDigest(name: string, states: FileState[]): string {
  return createHash('sha256').update(JSON.stringify([name, states.map(({ sizeBytes, modifiedAt }) => [sizeBytes, modifiedAt.getTime()])])).digest('hex');
}
