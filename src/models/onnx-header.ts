/** What an ONNX file says of itself: its inputs, outputs and metadata, found by walking over its fields without reading nodes and weights. Whether the network can run is for the engine to say. */
import { type FileHandle, open } from 'node:fs/promises';
import { invalid } from './files.js';

/** An input or an output. */
export interface NetworkPort {
  name: string;
  /** ONNX's number of the type of its elements, 1 for floats of 32 bits; 0 where it is not told. */
  element: number;
  /** -1: any; null: the file gives no shape. */
  sizes: number[] | null;
}

export interface NetworkHeader {
  /** Of ONNX's own operators. */
  opset: number;
  /** Those that a caller gives: initialisers are none. */
  inputs: NetworkPort[];
  outputs: NetworkPort[];
  /** The names of its entries. */
  metadata: Set<string>;
}

/** As native/onnx/reader. */
const [oldestOpset, latestOpset] = [6, 24];
/** Nodes and weights of a network; the largest that are published have some ten thousand. */
const mostFields = 1_000_000;
/** A name, a shape. */
const mostBytes = 2 ** 22;
const windowBytes = 2 ** 16;

/** Wire types of protobuf. */
const [number, eightBytes, bytes, fourBytes] = [0, 1, 2, 5];

interface Field {
  number: number;
  /** Of a field that is a number. */
  value: number;
  /** Of one that is bytes: where they lie in the file. */
  begin: number;
  end: number;
}

/** Bytes of a file by their place, read in pieces. */
class Places {
  #window: Buffer = Buffer.alloc(0);
  #begin = 0;
  fields = 0;

  constructor(readonly file: FileHandle, readonly sizeBytes: number) {}

  /** At least one byte from `at` on, where the file has any. */
  async from(at: number, least = 1): Promise<Buffer> {
    const within = at - this.#begin;
    if (within < 0 || within + least > this.#window.length) {
      const { buffer, bytesRead } = await this.file.read(Buffer.alloc(Math.max(least, windowBytes)), 0, null, at);
      this.#window = buffer.subarray(0, bytesRead);
      this.#begin = at;
    }
    return this.#window.subarray(at - this.#begin);
  }

  async all({ begin, end }: Field): Promise<Buffer> {
    if (end - begin > mostBytes) throw invalid(`it is broken: a name or a shape of ${end - begin} bytes`);
    const found = await this.from(begin, end - begin);
    if (found.length < end - begin) throw invalid('it is broken: it ends before its end');
    return found.subarray(0, end - begin);
  }

  /** A number of up to ten bytes at `at`, and where the next begins. Negative ones, and others beyond 2^53, come out rounded. */
  async varint(at: number, end: number): Promise<[value: number, next: number]> {
    const found = await this.from(at, Math.min(10, end - at));
    let value = 0;
    for (let index = 0; index < 10 && at + index < end && index < found.length; index++) {
      const byte = found[index] as number;
      value += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) return [value, at + index + 1];
    }
    throw invalid(`it is broken: damaged at byte ${at}`);
  }

  /** The fields of the message that lies there, one after the other; each lies within it. */
  async *fieldsOf({ begin, end }: Pick<Field, 'begin' | 'end'>): AsyncGenerator<Field> {
    for (let at = begin; at < end;) {
      if (++this.fields > mostFields) throw invalid(`it is broken: more than ${mostFields} fields`);
      const [tag, after] = await this.varint(at, end);
      const field: Field = { number: Math.floor(tag / 8), value: 0, begin: after, end: after };
      if (field.number === 0) throw invalid(`it is broken: damaged at byte ${at}`);
      const type = tag % 8;
      if (type === number) [field.value, field.end] = await this.varint(after, end);
      else if (type === bytes) {
        const [length, inner] = await this.varint(after, end);
        [field.begin, field.end] = [inner, inner + length];
      } else if (type === eightBytes || type === fourBytes) field.end = after + (type === eightBytes ? 8 : 4);
      else throw invalid(`it is broken: damaged at byte ${at}`);
      if (field.end > end) throw invalid(`it is broken: what begins at byte ${at} ends ${field.end - end} bytes behind the end`);
      yield field;
      at = field.end;
    }
  }

  async text(field: Field): Promise<string> {
    return (await this.all(field)).toString('utf8');
  }

  /** The first field of this number in the message, or null. */
  async find(message: Pick<Field, 'begin' | 'end'>, wanted: number): Promise<Field | null> {
    for await (const field of this.fieldsOf(message)) if (field.number === wanted) return field;
    return null;
  }
}

/**
 * Rejects with `invalid_model` for what is no whole ONNX file, or one for another version of ONNX, which it stays until it is written anew; with what the system says where it cannot be
 * read now. The reason is a sentence without a full stop.
 */
export async function readOnnxHeader(path: string): Promise<NetworkHeader> {
  const file = await open(path, 'r').catch((thrown: unknown) => { throw new Error(`it cannot be read: ${(thrown as Error).message}`, { cause: thrown }); });
  try {
    return await readModel(new Places(file, (await file.stat()).size));
  } finally {
    await file.close();
  }
}

async function readModel(places: Places): Promise<NetworkHeader> {
  let graph: Field | null = null;
  let opset = 0;
  const metadata = new Set<string>();
  for await (const field of places.fieldsOf({ begin: 0, end: places.sizeBytes })) {
    if (field.number === 7) graph = field;
    if (field.number === 8) opset = Math.max(opset, await ownOpset(places, field));
    if (field.number === 14) {
      const key = await places.find(field, 1);
      if (key !== null) metadata.add(await places.text(key));
    }
  }
  if (graph === null) throw invalid('it is broken: it has no graph');
  if (opset < oldestOpset || opset > latestOpset) throw invalid(`it is written for ONNX opset ${opset}; ${oldestOpset} to ${latestOpset} are supported`);
  return { opset, metadata, ...await readGraph(places, graph) };
}

/** The version where the set is ONNX's own, else 0. */
async function ownOpset(places: Places, set: Field): Promise<number> {
  const domain = await places.find(set, 1);
  if (domain !== null && !['', 'ai.onnx'].includes(await places.text(domain))) return 0;
  return (await places.find(set, 2))?.value ?? 0;
}

async function readGraph(places: Places, graph: Field): Promise<Pick<NetworkHeader, 'inputs' | 'outputs'>> {
  const [inputs, outputs]: [NetworkPort[], NetworkPort[]] = [[], []];
  const initialisers = new Set<string>();
  for await (const field of places.fieldsOf(graph)) {
    if (field.number === 11) inputs.push(await readPort(places, field));
    if (field.number === 12) outputs.push(await readPort(places, field));
    if (field.number === 5) {
      const name = await places.find(field, 8);
      if (name !== null) initialisers.add(await places.text(name));
    }
  }
  return { inputs: inputs.filter(({ name }) => !initialisers.has(name)), outputs };
}

async function readPort(places: Places, message: Field): Promise<NetworkPort> {
  const name = await places.find(message, 1);
  const type = await places.find(message, 2);
  const tensor = type === null ? null : await places.find(type, 1);
  const element = tensor === null ? null : await places.find(tensor, 1);
  const shape = tensor === null ? null : await places.find(tensor, 2);
  let sizes: number[] | null = null;
  if (shape !== null) {
    sizes = [];
    for await (const dimension of places.fieldsOf(shape)) {
      if (dimension.number !== 1) continue;
      const size = await places.find(dimension, 1);
      // What is no size that a tensor can have is as good as none: exporters write 0 and -1 for any.
      sizes.push(size === null || size.value <= 0 || size.value > 2 ** 31 ? -1 : size.value);
    }
  }
  return { name: name === null ? '' : await places.text(name), element: element?.value ?? 0, sizes };
}
