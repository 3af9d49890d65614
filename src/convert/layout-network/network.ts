/** The line network in memory: its weights as they lie in their file, and the forward pass. The twin of models/training/layout/line_network.py. */
import { z } from 'zod';
import { LecternError } from '../../errors.js';
import { featureCount, itemsOf, pairFeatureCount } from './items.js';
import type { Items, LayoutPage } from './items.js';
import type { Box } from '../../pdf/page.js';

const layer = z.strictObject({ rows: z.int().min(1).max(4096), columns: z.int().min(1).max(4096), weights: z.string(), bias: z.string() });
const file = z.strictObject({
  kind: z.literal('line_layout'),
  about: z.string(),
  labels: z.array(z.string()).min(1),
  mean: z.string(),
  deviation: z.string(),
  first: layer,
  rounds: z.array(layer).min(1),
  classes: layer,
  pair: layer,
  joined: layer,
});

/** y = W x + b; W (rows, columns). */
interface Dense {
  rows: number;
  columns: number;
  weights: Float32Array;
  bias: Float32Array;
}

export interface Region extends Box {
  label: string;
  /** 0..1: how sure its items' class is in the mean. */
  score: number;
  /** Indices of the page's lines. */
  lines: number[];
}

/** Every item is held against every other: a page of maps or of hidden text is not worth minutes. */
export const mostItems = 3000;

/** Neighbours that an item looks at, beside itself and the page's mean. */
const sides = 5;

/** Halves (IEEE 754 binary16, little-endian) in base64. */
function readHalves(text: string, count: number): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 2 * count) throw new LecternError('invalid_model', `The layout network's file holds ${bytes.length / 2} numbers where ${count} belong.`);
  return Float32Array.from({ length: count }, (_, index) => {
    const bits = bytes.readUInt16LE(2 * index);
    const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
  });
}

function readDense({ rows, columns, weights, bias }: z.infer<typeof layer>): Dense {
  return { rows, columns, weights: readHalves(weights, rows * columns), bias: readHalves(bias, rows) };
}

/** Adds the product of x and the columns of W from `first` on to `out`. Four sums at once: one would wait for itself. */
function addProduct({ rows, columns, weights }: Dense, first: number, x: Float32Array, out: Float32Array): void {
  const whole = x.length - (x.length % 4);
  for (let row = 0; row < rows; row++) {
    const start = row * columns + first;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let column = 0; column < whole; column += 4) {
      const at = start + column;
      a += (weights[at] as number) * (x[column] as number);
      b += (weights[at + 1] as number) * (x[column + 1] as number);
      c += (weights[at + 2] as number) * (x[column + 2] as number);
      d += (weights[at + 3] as number) * (x[column + 3] as number);
    }
    for (let column = whole; column < x.length; column++) a += (weights[start + column] as number) * (x[column] as number);
    out[row] = (out[row] as number) + (a + b + c + d);
  }
}

/** out = W x + b. */
function apply(dense: Dense, x: Float32Array, out: Float32Array): void {
  out.set(dense.bias);
  addProduct(dense, 0, x, out);
}

const positive = (value: number): number => (value > 0 ? value : 0);

export class LineNetwork {
  readonly labels: string[];
  readonly #mean: Float32Array;
  readonly #deviation: Float32Array;
  readonly #first: Dense;
  readonly #rounds: Dense[];
  readonly #classes: Dense;
  readonly #pair: Dense;
  readonly #joined: Dense;

  /** `text` is the file that models/training/layout writes. Throws LecternError `invalid_model` where it is none. */
  constructor(text: string) {
    let parsed: z.infer<typeof file>;
    try {
      parsed = file.parse(JSON.parse(text));
    } catch (cause) {
      throw new LecternError('invalid_model', 'The layout network is no file of the kind line_layout.', { cause });
    }
    this.labels = parsed.labels;
    this.#mean = readHalves(parsed.mean, featureCount);
    this.#deviation = readHalves(parsed.deviation, featureCount);
    this.#first = readDense(parsed.first);
    this.#rounds = parsed.rounds.map(readDense);
    this.#classes = readDense(parsed.classes);
    this.#pair = readDense(parsed.pair);
    this.#joined = readDense(parsed.joined);
    const width = this.#first.rows;
    const fits = this.#first.columns === featureCount && this.#rounds.every(({ rows, columns }) => rows === width && columns === width * (sides + 2))
      && this.#classes.columns === width && this.#classes.rows === this.labels.length + 1 && this.#pair.columns === 2 * width + pairFeatureCount && this.#joined.columns === this.#pair.rows && this.#joined.rows === 1;
    if (!fits) throw new LecternError('invalid_model', 'The layers of the layout network do not fit together.');
  }

  /** Logits of each item's class (labels, then none), and of each pair's being one region. */
  run(items: Items): { classes: Float32Array[]; joined: number[] } {
    const width = this.#first.rows;
    let states = items.features.map((features) => {
      const state = new Float32Array(width);
      apply(this.#first, Float32Array.from(features, (value, index) => (value - (this.#mean[index] as number)) / (this.#deviation[index] as number)), state);
      return state.map(positive);
    });
    const out = new Float32Array(width);
    for (const round of this.#rounds) {
      const mean = new Float32Array(width);
      for (const state of states) for (let index = 0; index < width; index++) mean[index] = (mean[index] as number) + (state[index] as number) / states.length;
      // The page's part is the same for all items; a neighbour that is not there adds nothing.
      const common = Float32Array.from(round.bias);
      addProduct(round, width * (sides + 1), mean, common);
      states = states.map((state, item) => {
        out.set(common);
        addProduct(round, 0, state, out);
        for (const [side, neighbour] of (items.neighbours[item] as number[]).entries()) if (neighbour >= 0) addProduct(round, width * (side + 1), states[neighbour] as Float32Array, out);
        return state.map((value, index) => value + positive(out[index] as number));
      });
    }
    const classes = states.map((state) => {
      const logits = new Float32Array(this.labels.length + 1);
      apply(this.#classes, state, logits);
      return logits;
    });
    const both = new Float32Array(2 * width + pairFeatureCount);
    const hidden = new Float32Array(this.#pair.rows);
    const logit = new Float32Array(1);
    const joined = items.pairs.map(([i, j], index) => {
      const [one, other] = [states[i] as Float32Array, states[j] as Float32Array];
      for (let at = 0; at < width; at++) {
        both[at] = (one[at] as number) + (other[at] as number);
        both[width + at] = Math.abs((one[at] as number) - (other[at] as number));
      }
      both.set(items.pairFeatures[index] as number[], 2 * width);
      apply(this.#pair, both, hidden);
      apply(this.#joined, hidden.map(positive), logit);
      return logit[0] as number;
    });
    return { classes, joined };
  }

  /** The page's regions, the surest first; every line is in one at most. Items of one class that are joined are one region. A page of more than `mostItems` lines and drawings has none. */
  find(page: LayoutPage): Region[] {
    if (page.lines.length + page.drawn.length > mostItems) return [];
    const items = itemsOf(page);
    const { classes, joined } = this.run(items);
    const odds = classes.map(softmax);
    const best = odds.map((row) => row.indexOf(Math.max(...row)));
    const parents = best.map((_, item) => item);
    const root = (item: number): number => {
      let at = item;
      while (parents[at] !== at) at = parents[at] as number;
      return at;
    };
    for (const [index, [i, j]] of items.pairs.entries()) if ((joined[index] as number) > 0 && best[i] === best[j]) parents[root(i)] = root(j);
    const groups = new Map<number, number[]>();
    for (const [item, label] of best.entries()) if (label < this.labels.length) groups.set(root(item), [...(groups.get(root(item)) ?? []), item]);
    const regions = [...groups.values()].map((group): Region => {
      const boxes = group.map((item) => items.boxes[item] as Box);
      return {
        label: this.labels[best[group[0] as number] as number] as string,
        score: group.reduce((sum, item) => sum + Math.max(...(odds[item] as number[])), 0) / group.length,
        lines: group.filter((item) => item < items.lineCount),
        left: Math.min(...boxes.map(({ left }) => left)), top: Math.min(...boxes.map(({ top }) => top)), right: Math.max(...boxes.map(({ right }) => right)), bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
      };
    });
    // A stroke by itself is no region.
    return regions.filter(({ left, top, right, bottom }) => left < right && top < bottom).sort((a, b) => b.score - a.score);
  }
}

function softmax(logits: Float32Array): number[] {
  const most = Math.max(...logits);
  const powers = [...logits].map((logit) => Math.exp(logit - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
