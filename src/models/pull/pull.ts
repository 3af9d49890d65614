/** A model from a registry into a directory, laid out as an Ollama store: what `lectern models pull` does. */
import { mkdir, rename, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LecternError } from '../../errors.js';
import { describeBytes } from '../fit.js';
import { displayName, type ModelName } from '../model-name.js';
import { downloadBlob, type DownloadOptions } from './download.js';
import { type Fetch, type Layer, Registry } from './registry.js';

export interface PullProgress {
  /** Of all blobs together. */
  totalBytes: number;
  doneBytes: number;
  phase: 'downloading' | 'writing';
}

export interface PullOptions extends Partial<Pick<DownloadOptions, 'parallel' | 'partBytes' | 'pause'>> {
  name: ModelName;
  /** A model directory; the store's `manifests` and `blobs` are made in it. */
  directory: string;
  /** http instead of https, for a registry on the own network. */
  insecure?: boolean;
  signal: AbortSignal;
  onProgress: (progress: PullProgress) => void;
  fetch?: Fetch;
}

/**
 * Fetches what is missing, then writes the manifest as the registry sent it: the model exists from then on. Interrupted, it goes on
 * where it stopped. Throws `model_not_found`, `invalid_model`, `out_of_memory` when the disk is too small, `cancelled`, `timeout`.
 */
export async function pullModel(options: PullOptions): Promise<void> {
  const { name, directory, signal, onProgress } = options;
  const fetch = options.fetch ?? globalThis.fetch;
  const registry = new Registry(`${options.insecure ? 'http' : 'https'}://${name.host}`, fetch);
  const manifest = await asCancelled(registry.manifest(name, signal), signal);
  const blobsDirectory = join(directory, 'blobs');
  await mkdir(blobsDirectory, { recursive: true });
  const missing = await missingBlobs(blobsDirectory, manifest.blobs);
  await requireSpace(directory, displayName(name), missing.reduce((sum, { size }) => sum + size, 0));
  const progress: PullProgress = { totalBytes: missing.reduce((sum, { size }) => sum + size, 0), doneBytes: 0, phase: 'downloading' };
  onProgress({ ...progress });
  for (const { digest, size } of missing) {
    const onBytes = (count: number): void => {
      progress.doneBytes += count;
      onProgress({ ...progress });
    };
    const { parallel, partBytes, pause } = options;
    const tuning = Object.fromEntries(Object.entries({ parallel, partBytes, pause }).filter(([, value]) => value !== undefined));
    const path = join(blobsDirectory, blobFile(digest));
    await asCancelled(downloadBlob({ path, digest, size, place: () => registry.blobPlace(name, digest, signal), fetch, signal, onBytes, ...tuning }), signal);
  }
  onProgress({ ...progress, phase: 'writing' });
  const path = join(directory, 'manifests', name.host, name.namespace, name.model, name.tag);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.lectern-partial`, manifest.bytes);
  await rename(`${path}.lectern-partial`, path);
}

/** A dash instead of the colon, as on every Ollama host. */
function blobFile(digest: string): string {
  return digest.replace(':', '-');
}

async function missingBlobs(directory: string, blobs: Layer[]): Promise<Layer[]> {
  const sizes = await Promise.all(blobs.map(({ digest }) => stat(join(directory, blobFile(digest))).then(({ size }) => size, () => -1)));
  return blobs.filter(({ size }, index) => sizes[index] !== size);
}

/** Throws `out_of_memory` where the disk of `directory` has no room for so many bytes of a model. */
export async function requireSpace(directory: string, name: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bytes > bavail * bsize) throw new LecternError('out_of_memory', `${name} needs ${describeBytes(bytes)} on the disk of ${directory}, which has ${describeBytes(bavail * bsize)} left.`);
}

async function asCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return work.catch((thrown: unknown) => {
    if (signal.aborted) throw new LecternError('cancelled', 'The download was interrupted; it goes on where it stopped.', { cause: thrown });
    if (thrown instanceof TypeError) throw new LecternError('not_found', `The registry cannot be reached: ${causeOf(thrown)}`, { cause: thrown });
    throw thrown;
  });
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
