/** Ollama's own store, read in place and never written: manifests by name, blobs by digest. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type FileState, filesBelow, invalid, readWithin, requireWithin, stateOf } from './files.js';
import { displayName, parseModelName } from './model-name.js';

/** What a manifest says, and the texts of its layers. */
export interface StoredModel {
  /** sha256 of the manifest's bytes. */
  digest: string;
  /** Of all layers and the config. */
  sizeBytes: number;
  modelPath: string;
  modelBytes: number;
  parentModel: string;
  goTemplate: string | null;
  system: string | null;
  parameters: Record<string, unknown>;
  messages: { role: string; content: string }[];
  licenses: string[];
}

interface Layer {
  mediaType: string;
  digest: string;
  size: number;
  from: string;
}

const layerPrefix = 'application/vnd.ollama.image.';
const digestForm = /^sha256[:-]([0-9a-f]{64})$/;
const mostManifestBytes = 4 * 2 ** 20;
const mostLayerBytes = 4 * 2 ** 20;
const mostLayers = 1000;

/** Manifests of the store at `root` with the names they stand for, null for a place that is no name. Empty where there is no store. */
export async function manifestsOf(root: string): Promise<{ path: string; name: string | null }[]> {
  const manifests = join(root, 'manifests');
  const files = await filesBelow(manifests, { depth: 3, enters: () => true }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return [];
    throw thrown;
  });
  return files.filter((file) => !file.endsWith('.lectern-partial')).map((file) => {
    const [host, namespace, model, tag, ...more] = file.split('/');
    const name = tag === undefined || more.length > 0 ? undefined : parseModelName(`${host}/${namespace}/${model}:${tag}`);
    return { path: join(manifests, file), name: name === undefined ? null : displayName(name) };
  });
}

/** Throws `invalid_model` with the reason, for whatever is wrong with the manifest or its small layers. The model's own blob is only named. */
export async function readStored(root: string, manifestPath: string): Promise<StoredModel> {
  const bytes = await readWithin(root, manifestPath, mostManifestBytes);
  const { layers, config } = readManifest(bytes);
  const ofType = (type: string): Layer[] => layers.filter(({ mediaType }) => mediaType === layerPrefix + type);
  const [model, ...others] = ofType('model');
  if (model === undefined) throw invalid('it has no model layer: it lies elsewhere, or is not in GGUF');
  if (others.length > 0) throw invalid('it has several model layers');
  if (ofType('adapter').length > 0) throw invalid('it needs an adapter, which is not supported');
  const text = async (layer: Layer | undefined): Promise<string | null> =>
    (layer === undefined ? null : (await readWithin(root, blobPath(root, layer.digest), mostLayerBytes)).toString('utf8'));
  return {
    digest: createHash('sha256').update(bytes).digest('hex'),
    sizeBytes: layers.reduce((sum, { size }) => sum + size, config.size),
    modelPath: blobPath(root, model.digest),
    modelBytes: model.size,
    parentModel: model.from,
    goTemplate: await text(ofType('template')[0] ?? ofType('prompt')[0]),
    system: await text(ofType('system')[0]),
    parameters: readParameters(await text(ofType('params')[0])),
    messages: readMessages(await text(ofType('messages')[0])),
    licenses: await Promise.all(ofType('license').map(async (layer) => (await text(layer)) ?? '')),
  };
}

/** The files of all layers and the config of a manifest. Throws `invalid_model`. */
export async function blobFilesOf(root: string, manifestPath: string): Promise<string[]> {
  const { layers, config } = readManifest(await readWithin(root, manifestPath, mostManifestBytes));
  return [...new Set([...layers, config].map(({ digest }) => blobPath(root, digest)))];
}

/** The blob of the weights, whole. Throws `invalid_model` for one that is missing, half there, or elsewhere. */
export async function modelBlob(root: string, { modelPath, modelBytes }: StoredModel): Promise<FileState> {
  await requireWithin(root, modelPath);
  const state = await stateOf(modelPath);
  if (state === null) throw invalid(`${modelPath} is no file`);
  if (state.sizeBytes !== modelBytes) throw invalid(`${modelPath} has ${state.sizeBytes} of ${modelBytes} bytes`);
  return state;
}

/** A dash where JSON has a colon. */
function blobPath(root: string, digest: string): string {
  return join(root, 'blobs', `sha256-${(digestForm.exec(digest) as RegExpExecArray)[1]}`);
}

function parseJson(bytes: string, what: string): unknown {
  try {
    return JSON.parse(bytes) as unknown;
  } catch (cause) {
    throw invalid(`its ${what} is not JSON`, cause);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readManifest(bytes: Buffer): { layers: Layer[]; config: Layer } {
  const manifest = parseJson(bytes.toString('utf8'), 'manifest');
  if (!isRecord(manifest) || !Array.isArray(manifest['layers'])) throw invalid('its manifest has no list of layers');
  if (manifest['layers'].length > mostLayers) throw invalid(`its manifest has more than ${mostLayers} layers`);
  return { layers: manifest['layers'].map(readLayer), config: readLayer(manifest['config']) };
}

function readLayer(layer: unknown): Layer {
  if (!isRecord(layer)) throw invalid('a layer of its manifest is no object');
  const { mediaType, digest, size, from } = layer;
  if (typeof digest !== 'string' || !digestForm.test(digest)) throw invalid(`a layer of its manifest has the digest ${JSON.stringify(digest)?.slice(0, 100)}`);
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw invalid(`the layer ${digest.slice(0, 19)} has no size`);
  return { mediaType: String(mediaType), digest, size: size as number, from: typeof from === 'string' ? from : '' };
}

function readParameters(text: string | null): Record<string, unknown> {
  if (text === null) return {};
  const found = parseJson(text, 'layer of parameters');
  if (!isRecord(found)) throw invalid('its layer of parameters is no object');
  return found;
}

function readMessages(text: string | null): { role: string; content: string }[] {
  if (text === null) return [];
  const found = parseJson(text, 'layer of messages');
  const fits = (one: unknown): one is { role: string; content: string } => isRecord(one) && typeof one['role'] === 'string' && typeof one['content'] === 'string';
  if (!Array.isArray(found) || !found.every(fits)) throw invalid('its layer of messages is no list of roles and contents');
  return found.map(({ role, content }) => ({ role, content }));
}
