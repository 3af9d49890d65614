/** Networks made in code whose answers to a picture are known, as ONNX files with their cards: the twins of native/test/vision_graphs.cpp that the seam needs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function varint(value: number): number[] {
  const bytes = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left >= 128n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return [...bytes, Number(left)];
}

type Part = Buffer | string;

/** A field of a message: a number, or bytes, a text, a message. */
function field(number: number, value: number | Part): Buffer {
  if (typeof value === 'number') return Buffer.from([...varint(number << 3), ...varint(value)]);
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([...varint(number << 3 | 2), ...varint(bytes.length)]), bytes]);
}

const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

function tensor(name: string, sizes: number[], values: number[], type: 'float' | 'int64' = 'float'): Buffer {
  const raw = type === 'float' ? Buffer.from(Float32Array.from(values).buffer) : Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer);
  return message(...sizes.map((size) => field(1, size)), field(2, type === 'float' ? 1 : 7), field(8, name), field(9, raw));
}

/** -1: any size. */
function port(name: string, sizes: number[]): Buffer {
  const shape = message(...sizes.map((size) => field(1, size < 0 ? field(2, 'n') : field(1, size))));
  return message(field(1, name), field(2, field(1, message(field(1, 1), field(2, shape)))));
}

function node(op: string, inputs: string[], outputs: string[], attributes: Record<string, number | number[]> = {}): Buffer {
  const listed = Object.entries(attributes).map(([name, value]) => field(5, typeof value === 'number'
    ? message(field(1, name), field(3, value), field(20, 2)) : message(field(1, name), ...value.map((one) => field(8, one)), field(20, 7))));
  return message(...inputs.map((name) => field(1, name)), ...outputs.map((name) => field(2, name)), field(4, op), ...listed);
}

interface Graph {
  nodes: Buffer[];
  constants?: Buffer[];
  inputs: Buffer[];
  outputs: Buffer[];
}

function model({ nodes, constants = [], inputs, outputs }: Graph, metadata: Record<string, string> = {}): Buffer {
  const graph = message(...nodes.map((one) => field(1, one)), ...constants.map((one) => field(5, one)), ...inputs.map((one) => field(11, one)), ...outputs.map((one) => field(12, one)));
  return message(field(1, 8), field(7, graph), field(8, field(2, 17)), ...Object.entries(metadata).map(([key, value]) => field(14, message(field(1, key), field(2, value)))));
}

/** How dark each pixel of a picture is. */
function darkness(): Buffer {
  const nodes = [node('ReduceMean', ['x'], ['mean'], { axes: [1] }), node('Sub', ['one', 'mean'], ['y'])];
  return model({ nodes, constants: [tensor('one', [], [1])], inputs: [port('x', [-1, 3, -1, -1])], outputs: [port('y', [-1, 1, -1, -1])] });
}

/** Of each 8 columns how near their mean is to each level, as logits. */
function levels(values: number[], character: string): Buffer {
  const nodes = [
    node('ReduceMean', ['x'], ['mean'], { axes: [1, 2], keepdims: 0 }), node('Unsqueeze', ['mean', 'axis'], ['row']), node('AveragePool', ['row'], ['steps'], { kernel_shape: [8], strides: [8] }),
    node('Transpose', ['steps'], ['column'], { perm: [0, 2, 1] }), node('Sub', ['column', 'levels'], ['off']), node('Abs', ['off'], ['far']), node('Mul', ['far', 'slope'], ['y']),
  ];
  const constants = [tensor('levels', [1, 1, values.length], values), tensor('axis', [1], [1], 'int64'), tensor('slope', [], [-50])];
  return model({ nodes, constants, inputs: [port('x', [-1, 3, 48, -1])], outputs: [port('y', [-1, -1, values.length])] }, { character });
}

/** The same rows (left, top, right, bottom, score, label) for every picture of 16 by 16. */
function rows(values: number[]): Buffer {
  const nodes = [node('ReduceMean', ['x'], ['means'], { axes: [1, 2, 3] }), node('Reshape', ['means', 'shape'], ['flat']), node('Mul', ['flat', 'zero'], ['nothing']), node('Add', ['rows', 'nothing'], ['y'])];
  const constants = [tensor('rows', [1, values.length / 6, 6], values), tensor('shape', [3], [-1, 1, 1], 'int64'), tensor('zero', [], [0])];
  return model({ nodes, constants, inputs: [port('x', [-1, 3, 16, 16])], outputs: [port('y', [-1, -1, 6])] });
}

/** A file that declares inputs and outputs of floats, by name with their sizes, and computes nothing. */
export function declaring(inputs: Record<string, number[]>, outputs: Record<string, number[]>, metadata: Record<string, string> = {}): Buffer {
  const ports = (of: Record<string, number[]>): Buffer[] => Object.entries(of).map(([name, sizes]) => port(name, sizes));
  return model({ nodes: [], inputs: ports(inputs), outputs: ports(outputs) }, metadata);
}

export function writeNetwork(directory: string, stem: string, network: Buffer, card: object | string | null): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${stem}.onnx`), network);
  if (card !== null) writeFileSync(join(directory, `${stem}.json`), typeof card === 'string' ? card : JSON.stringify(card));
}

export const layoutCard = { kind: 'layout', answer: 'finished_rows', width: 16, height: 16, labels: ['text', 'table'] };

/** Sees text in the upper half of every page and, less surely, a table in its lower half. */
export function writeLayout(directory: string, stem = 'model', card: object = layoutCard): void {
  writeNetwork(directory, stem, rows([0, 0, 16, 8, 0.9, 0, 0, 8, 16, 16, 0.6, 1]), card);
}

/** Reads dark bars: `a` where they are black, `b` where they are dark grey (38), `c` where they are lighter (77). */
export function writeTextReader(directory: string, more: { detection?: object; recognition?: object } = {}): void {
  const plain = { mean: [0, 0, 0], std: [1, 1, 1] };
  writeNetwork(directory, 'det', darkness(), { kind: 'text_detection', ...plain, shortest_side: 32, threshold: 0.5, box_threshold: 0.5, unclip: 0, ...more.detection });
  writeNetwork(directory, 'rec', levels([0, -1, -0.7, -0.4, 1], 'a\nb\nc'), { kind: 'text_recognition', answer: 'logits', ...more.recognition });
}

/** A white page with bars of 24 pixels' height, one piece of 50 pixels for each letter. */
export function pageOfBars(lines: string[], width = 640, height = 480) {
  const data = new Uint8Array(width * height * 4).fill(255);
  const greys: Record<string, number> = { a: 0, b: 38, c: 77 };
  lines.forEach((line, row) => [...line].forEach((letter, place) => {
    for (let y = 100 + 100 * row; y < 124 + 100 * row; y++) for (let x = 100 + 50 * place; x < 150 + 50 * place; x++) data.fill(greys[letter] as number, (y * width + x) * 4, (y * width + x) * 4 + 3);
  }));
  return { data, width, height, stride: width * 4 };
}

/** One region a page, whose score tells how many pages the network was given at once: 0.3 and 0.01 for each. No such network is of use: it exists to be seen through. */
export function writeCountingLayout(directory: string): void {
  const nodes = [
    node('Shape', ['x'], ['sizes']), node('Gather', ['sizes', 'first'], ['pages']), node('Cast', ['pages'], ['count'], { to: 1 }), node('Mul', ['count', 'step'], ['more']), node('Add', ['row', 'more'], ['told']),
    node('ReduceMean', ['x'], ['means'], { axes: [1, 2, 3] }), node('Reshape', ['means', 'each'], ['flat']), node('Mul', ['flat', 'zero'], ['nothing']), node('Add', ['told', 'nothing'], ['y']),
  ];
  const constants = [
    tensor('first', [1], [0], 'int64'), tensor('step', [1, 1, 6], [0, 0, 0, 0, 0.01, 0]), tensor('row', [1, 1, 6], [0, 0, 16, 8, 0.3, 0]), tensor('each', [3], [-1, 1, 1], 'int64'), tensor('zero', [], [0]),
  ];
  writeNetwork(directory, 'model', model({ nodes, constants, inputs: [port('x', [-1, 3, 16, 16])], outputs: [port('y', [-1, -1, 6])] }), layoutCard);
}

const picture = port('x', [1, 3, 16, 16]);

/** Layout networks that are no good, each in its own way, with what is to be said of it. Each has rows (left, top, right, bottom, score, label) as its answer. */
export function brokenLayouts(): Record<string, { network: Buffer; says: RegExp }> {
  const whole = rows([0, 0, 16, 8, 0.9, 0]);
  const graph = (nodes: Buffer[], constants: Buffer[] = [], inputs = [picture]): Buffer => model({ nodes, constants, inputs, outputs: [port('y', [1, -1, 6])] });
  const six = tensor('six', [3], [1, -1, 6], 'int64');
  const external = message(field(1, 1), field(2, 1), field(8, 'w'), field(13, message(field(1, 'location'), field(2, '../../../etc/passwd'))), field(14, 1));
  return {
    text: { network: Buffer.from('this is no network'), says: /broken/ },
    nothing: { network: Buffer.alloc(0), says: /it has no graph/ },
    truncated: { network: whole.subarray(0, whole.length - 60), says: /broken: .* behind the end/ },
    circle: { network: graph([node('Add', ['x', 'b'], ['a']), node('Relu', ['a'], ['b']), node('Reshape', ['b', 'six'], ['y'])], [six]), says: /circle/ },
    gigantic: { network: graph([node('Expand', ['x', 'size'], ['wide']), node('Reshape', ['wide', 'six'], ['y'])], [six, tensor('size', [5], [2 ** 20, 1, 3, 16, 16], 'int64')]), says: /MiB/ },
    outside: { network: graph([node('Add', ['x', 'w'], ['more']), node('Reshape', ['more', 'six'], ['y'])], [six, external]), says: /leaves its folder/ },
    unknown: { network: graph([node('Frobnicate', ['x'], ['y'])]), says: /Frobnicate/ },
    grey: { network: graph([node('Reshape', ['x', 'six'], ['y'])], [six], [port('x', [1, 1, 16, 16])]), says: /not \(n, 3, h, w\)/ },
    ill_fitting: { network: graph([node('MatMul', ['x', 'six'], ['y'])], [six]), says: /MatMul/ },
    strange: { network: graph([node('Sub', ['x', 'two'], ['less']), node('Log', ['less'], ['none']), node('Reshape', ['none', 'six'], ['y'])], [six, tensor('two', [], [2])]), says: /values that are no numbers/ },
  };
}
