/** `lectern models add SOURCE`: GGUF files, or a directory of a vision model, into a directory of Lectern. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LecternError } from '../errors.js';
import { digestOf, downloadBlob } from '../models/pull/download.js';
import { requireSpace } from '../models/pull/pull.js';
import type { Catalogue } from '../models/types.js';
import { printLines } from './lines-and-tables.js';
import { bringFiles, interruptible, type FileMove } from './own-directory.js';
import { progressBar } from './progress-bar.js';
import { expandHome } from './sources.js';

export interface AddedModel {
  /** A file, a directory, or an http(s) address. */
  source: string;
  directory: string;
  name: string | undefined;
  links: boolean;
  /** 64 hex digits that the bytes of a single file must have. */
  sha256: string | undefined;
}

const partForm = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;
/** The card of a vision model. */
const cardFile = 'model.json';

export async function addModel(catalogue: Catalogue, added: AddedModel): Promise<number> {
  if (added.name !== undefined && !/^[A-Za-z0-9][\w.-]*$/.test(added.name)) throw new LecternError('invalid_request', `--name must be of letters, digits and . - _, not "${added.name}".`);
  const expected = added.sha256?.replace(/^sha256:/i, '').toLowerCase();
  if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected)) throw new LecternError('invalid_request', '--sha256 must be 64 hex digits.');
  const stop = interruptible();
  try {
    const models = /^https?:\/\//i.test(added.source) ? [await download(added, expected, stop.signal)] : await bring(added, expected, stop.signal);
    const refused = await catalogue.refused();
    const wrong: string[] = [];
    for (const { name, files } of models) {
      const reason = refused.find((one) => one.name === name && files.includes(one.path))?.reason;
      if (reason === undefined) {
        printLines([`${name} is in ${added.directory}; \`lectern models check ${name}\` runs it.`]);
        continue;
      }
      // What cannot be used would be complained of at every start.
      for (const file of files) await rm(file, { force: true });
      wrong.push(`${name} cannot be used, and was not added: ${reason}.`);
    }
    if (wrong.length > 0) throw new LecternError('invalid_model', wrong.join(' '));
    return 0;
  } finally {
    stop.end();
  }
}

interface Brought {
  name: string;
  /** Where its files lie now. */
  files: string[];
}

async function bring({ source, directory, name, links }: AddedModel, expected: string | undefined, signal: AbortSignal): Promise<Brought[]> {
  const path = expandHome(source);
  const state = await stat(path).catch((cause: Error) => { throw new LecternError('not_found', `${source} cannot be read: ${cause.message}.`, { cause }); });
  const models = state.isDirectory() ? await modelsOfDirectory(path) : [await modelOfFile(path)];
  if (models.length > 1 && name !== undefined) throw new LecternError('invalid_request', `${source} holds ${models.length} models, and --name is for one.`);
  if (expected !== undefined) await requireDigest(models, expected);
  const brought: Brought[] = [];
  for (const model of models) {
    const own = name ?? model.name;
    const moves: FileMove[] = model.files.map((file) => ({ from: join(model.directory, file), to: join(directory, model.isDirectory ? join(own, file) : file.replace(model.name, own)) }));
    await requireFree(moves);
    await bringFiles(own, moves, links, signal);
    brought.push({ name: own, files: moves.map(({ to }) => to) });
  }
  return brought;
}

interface FoundModel {
  name: string;
  directory: string;
  files: string[];
  /** A vision model keeps its own directory. */
  isDirectory: boolean;
}

/** All parts of a file that is one of several. */
async function modelOfFile(path: string): Promise<FoundModel> {
  const [directory, file] = [dirname(path), basename(path)];
  if (!/\.gguf$/i.test(file)) throw new LecternError('unsupported_format', `${file} is no GGUF file. ${/\.safetensors$/i.test(file) ? 'convert_hf_to_gguf.py of llama.cpp makes one of such a model.' : 'Vision models are added by their directories.'}`);
  const part = partForm.exec(file);
  if (part === null) return { name: file.slice(0, -'.gguf'.length), directory, files: [file], isDirectory: false };
  const [, stem = '', , count = ''] = part;
  const files = Array.from({ length: Number(count) }, (_, index) => `${stem}-${String(index + 1).padStart(5, '0')}-of-${count}.gguf`);
  const there = new Set(await readdir(directory));
  const missing = files.find((one) => !there.has(one));
  if (missing !== undefined) throw new LecternError('not_found', `The model's part ${missing} is not beside ${file}.`);
  return { name: stem, directory, files, isDirectory: false };
}

async function modelsOfDirectory(directory: string): Promise<FoundModel[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name).sort();
  if (files.includes(cardFile)) return [{ name: basename(directory), directory, files, isDirectory: true }];
  const first = files.filter((file) => /\.gguf$/i.test(file) && (partForm.exec(file)?.[2] ?? '00001') === '00001');
  if (first.length === 0) throw new LecternError('not_found', `${directory} holds no GGUF file, and no ${cardFile} of a vision model.`);
  return Promise.all(first.map((file) => modelOfFile(join(directory, file))));
}

async function requireDigest(models: FoundModel[], expected: string): Promise<void> {
  const [model, ...others] = models;
  if (model === undefined || others.length > 0 || model.files.length !== 1) throw new LecternError('invalid_request', '--sha256 is for a model of one file.');
  const actual = await digestOf(join(model.directory, model.files[0] as string));
  if (actual !== `sha256:${expected}`) throw new LecternError('invalid_model', `The file has the digest ${actual}, not sha256:${expected}.`);
}

async function requireFree(moves: FileMove[]): Promise<void> {
  for (const { to } of moves) {
    if (await stat(to).catch(() => null) !== null) throw new LecternError('invalid_request', `${to} is there already: --name gives the new model another name.`);
  }
}

/** The file's name in the address: one part of a path, whatever escapes say. */
function nameOf(address: string): string {
  try {
    return basename(decodeURIComponent(basename(new URL(address).pathname)));
  } catch (cause) {
    throw new LecternError('invalid_request', `${address} is no address of a file.`, { cause });
  }
}

/** An interrupted download goes on where it stopped when the same command runs again. */
async function download({ source, directory, name, links }: AddedModel, expected: string | undefined, signal: AbortSignal): Promise<Brought> {
  if (links) throw new LecternError('invalid_request', 'Only files of this machine can be linked.');
  const file = nameOf(source);
  if (!/\.gguf$/i.test(file)) throw new LecternError('unsupported_format', `The address must be that of a GGUF file, not of ${file === '' ? 'a page' : file}.`);
  const own = name ?? file.slice(0, -'.gguf'.length);
  const path = join(directory, `${own}.gguf`);
  await requireFree([{ from: source, to: path }]);
  const head = await fetch(source, { method: 'HEAD', signal }).catch((cause: Error) => {
    signal.throwIfAborted();
    throw new LecternError('not_found', `${source} cannot be reached: ${cause.cause instanceof Error ? cause.cause.message : cause.message}.`, { cause });
  });
  const size = Number(head.headers.get('content-length'));
  if (!head.ok || !Number.isSafeInteger(size) || size <= 0) throw new LecternError('not_found', `${source}: its host answered ${head.status}${head.ok ? ' without a length' : ''}.`);
  await mkdir(directory, { recursive: true });
  await requireSpace(directory, own, size);
  const bar = progressBar(process.stderr, own);
  let doneBytes = 0;
  try {
    await downloadBlob({
      path, digest: expected === undefined ? null : `sha256:${expected}`, identity: `${source} ${head.headers.get('etag') ?? head.headers.get('last-modified') ?? ''}`, size,
      place: async () => ({ url: source, headers: {}, foreign: true }), fetch, signal,
      onBytes: (count) => {
        doneBytes += count;
        bar.show({ totalBytes: size, doneBytes, phase: 'downloading' });
      },
    });
  } finally {
    bar.end();
  }
  return { name: own, files: [path] };
}
