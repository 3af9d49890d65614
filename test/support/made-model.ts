/** Small language models with seeded random weights and working vocabularies, written as GGUF files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { writeGguf, type GgufTensor, type GgufValue } from './gguf-writer.js';

export interface MadeShape {
  layers?: number;
  embedding?: number;
  heads?: number;
  kvHeads?: number;
  feedForward?: number;
  context?: number;
  /** Of matrices. */
  type?: 'F32' | 'F16';
  seed?: number;
  /** Of conversations; default: ChatML without tools. */
  template?: string;
  /** Stands in the place of the first value of the matrix that makes logits. Default: none. */
  badWeight?: number | null;
  /** Control tokens get a logit of 0, which some other token always exceeds: a greedy answer ends at its limit alone. Default: false. */
  neverEnds?: boolean;
  /** GGUF's number of a pooling type, 0 for a model that writes. Default: 0. */
  pooling?: number;
}

type Shape = Required<MadeShape>;

const chatMl = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/** ChatML that tells of tools, and takes calls as Qwen 2.5 writes them. */
export const toolTemplate = "{% if tools %}<|im_start|>system\n<tools>{% for tool in tools %}\n{{ tool | tojson }}{% endfor %}\n</tools>\nCalls: <tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n{% endif %}"
  + "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for call in m.tool_calls or [] %}<tool_call>\n{{ call.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}"
  + "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

const small: Shape = { layers: 2, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, context: 256, type: 'F32', seed: 1, template: chatMl, badWeight: null, neverEnds: false, pooling: 0 };

/** Merges of the vocabulary, in the order of their ranks. */
const merges = ['h e', 'Ġ t', 'Ġt he', 'i n', 'e r', 'Ġ a', 'o n', 'Ġ w', 'l l', 'Ġ h', 'Ġh e', 'Ġhe ll', 'Ġw o', 'Ġwo r', 'l d', 'Ġwor ld'];

const bytesOf = { F32: 4, F16: 2 };

export const endOfTurn = '<|im_end|>';
export const specials = ['<|endoftext|>', '<|im_start|>', endOfTurn];

/** A llama with a byte-level vocabulary: a token for each byte, some merged ones, three control tokens. */
export function writeMadeModel(path: string, options: MadeShape = {}): void {
  const shape = { ...small, ...options };
  const vocabulary = bytePairs();
  const metadata: Record<string, GgufValue> = {
    ...architecture('llama', shape),
    'llama.attention.head_count_kv': ['u32', shape.kvHeads],
    'llama.attention.layer_norm_rms_epsilon': ['f32', 1e-5],
    ...(shape.pooling === 0 ? {} : { 'llama.pooling_type': ['u32', shape.pooling] as GgufValue }),
    ...vocabulary,
    'tokenizer.chat_template': ['string', shape.template],
  };
  const tokens = tokenCount(vocabulary);
  const random = new RandomTensors(shape);
  const { embedding, feedForward } = shape;
  const keys = embedding / shape.heads * shape.kvHeads;
  random.matrix('token_embd.weight', embedding, tokens, 1);
  for (let layer = 0; layer < shape.layers; layer += 1) {
    const block = `blk.${layer}.`;
    random.vector(`${block}attn_norm.weight`, 1);
    random.matrix(`${block}attn_q.weight`, embedding, embedding);
    random.matrix(`${block}attn_k.weight`, embedding, keys);
    random.matrix(`${block}attn_v.weight`, embedding, keys);
    random.matrix(`${block}attn_output.weight`, embedding, embedding);
    random.vector(`${block}ffn_norm.weight`, 1);
    random.matrix(`${block}ffn_gate.weight`, embedding, feedForward);
    random.matrix(`${block}ffn_up.weight`, embedding, feedForward);
    random.matrix(`${block}ffn_down.weight`, feedForward, embedding);
  }
  random.vector('output_norm.weight', 1);
  random.matrix('output.weight', embedding, tokens, 3 / Math.sqrt(embedding));
  if (shape.neverEnds) {
    if (tokens * embedding > patternValues) throw new Error(`the last rows of ${tokens} x ${embedding} values are not written as such`);
    (random.tensors.at(-1) as GgufTensor).pattern.fill(0, -specials.length * embedding * bytesOf[shape.type]);
  }
  if (shape.badWeight !== null) new Float32Array((random.tensors.at(-1) as GgufTensor).pattern.buffer)[0] = shape.badWeight;
  writeGguf(path, metadata, random.tensors);
}

/** An encoder with a word-piece vocabulary of letters. With `pooling` 4 it scores pairs by a classifier with a dense layer, as bge-reranker does. */
export function writeMadeEmbedder(path: string, options: MadeShape = {}): void {
  const shape = { ...small, ...options };
  const vocabulary = wordPieces();
  const metadata: Record<string, GgufValue> = {
    ...architecture('bert', shape),
    'bert.attention.layer_norm_epsilon': ['f32', 1e-5],
    'bert.attention.causal': ['bool', false],
    'bert.pooling_type': ['u32', shape.pooling === 4 ? 4 : 2],
    ...vocabulary,
  };
  const random = new RandomTensors(shape);
  const { embedding, feedForward } = shape;
  random.matrix('token_embd.weight', embedding, tokenCount(vocabulary), 1);
  random.matrix('position_embd.weight', embedding, shape.context, 0.3);
  random.norm('token_embd_norm');
  for (let layer = 0; layer < shape.layers; layer += 1) {
    const block = `blk.${layer}.`;
    for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) random.linear(block + name, embedding, embedding);
    random.norm(`${block}attn_output_norm`);
    random.linear(`${block}ffn_up`, embedding, feedForward);
    random.linear(`${block}ffn_down`, feedForward, embedding);
    random.norm(`${block}layer_output_norm`);
  }
  if (shape.pooling === 4) {
    random.linear('cls', embedding, embedding);
    random.linear('cls.output', embedding, 1);
  }
  writeGguf(path, metadata, random.tensors);
}

/** A folder that goes with the test, and both models in it. */
export function madeModels(t: Test, options: MadeShape = {}): { folder: string; chat: string; embedder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-models-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const chat = join(folder, 'chat.gguf');
  const embedder = join(folder, 'embedder.gguf');
  writeMadeModel(chat, options);
  writeMadeEmbedder(embedder, options);
  return { folder, chat, embedder };
}

function architecture(name: string, shape: Shape): Record<string, GgufValue> {
  return {
    'general.architecture': ['string', name],
    'general.name': ['string', `made-${name}`],
    [`${name}.context_length`]: ['u32', shape.context],
    [`${name}.embedding_length`]: ['u32', shape.embedding],
    [`${name}.block_count`]: ['u32', shape.layers],
    [`${name}.feed_forward_length`]: ['u32', shape.feedForward],
    [`${name}.attention.head_count`]: ['u32', shape.heads],
  };
}

function tokenCount(vocabulary: Record<string, GgufValue>): number {
  return vocabulary['tokenizer.ggml.tokens']?.[2]?.length ?? 0;
}

/** Every byte as a printable character, as GPT-2's vocabulary writes them: those that are none move behind 255. */
function byteCharacters(): string[] {
  const printable = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let moved = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : moved++));
}

function bytePairs(): Record<string, GgufValue> {
  const tokens = [...byteCharacters(), ...merges.map((pair) => pair.replace(' ', '')), ...specials];
  const end = tokens.indexOf('<|endoftext|>');
  return {
    'tokenizer.ggml.model': ['string', 'gpt2'],
    'tokenizer.ggml.pre': ['string', 'qwen2'],
    'tokenizer.ggml.tokens': ['array', 'string', tokens],
    'tokenizer.ggml.token_type': ['array', 'i32', tokens.map((_, id) => (id >= end ? 3 : 1))],
    'tokenizer.ggml.merges': ['array', 'string', merges],
    'tokenizer.ggml.eos_token_id': ['u32', tokens.indexOf(endOfTurn)],
    'tokenizer.ggml.padding_token_id': ['u32', end],
  };
}

function wordPieces(): Record<string, GgufValue> {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789.,!?');
  // Words begin with the mark of a space; what continues one has none.
  const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...letters.map((letter) => `\u2581${letter}`), ...letters, '\u2581the', '\u2581hello', '\u2581world'];
  return {
    'tokenizer.ggml.model': ['string', 'bert'],
    'tokenizer.ggml.tokens': ['array', 'string', tokens],
    'tokenizer.ggml.token_type': ['array', 'i32', tokens.map((_, id) => (id < 5 ? 3 : 1))],
    'tokenizer.ggml.padding_token_id': ['u32', 0],
    'tokenizer.ggml.unknown_token_id': ['u32', 1],
    'tokenizer.ggml.cls_token_id': ['u32', 2],
    'tokenizer.ggml.seperator_token_id': ['u32', 3],
    'tokenizer.ggml.mask_token_id': ['u32', 4],
  };
}

/** Beyond this many values a tensor repeats itself: large models are made for their size alone. */
const patternValues = 1 << 16;

class RandomTensors {
  readonly tensors: GgufTensor[] = [];
  readonly #shape: Shape;
  #state: number;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#state = shape.seed;
  }

  matrix(name: string, columns: number, rows: number, spread = 1 / Math.sqrt(columns)): void {
    const half = this.#shape.type === 'F16';
    const values = this.#values(Math.min(columns * rows, patternValues), 0, spread);
    const pattern = half ? halves(values) : new Uint8Array(values.buffer);
    this.tensors.push({ name, shape: [columns, rows], type: half ? 1 : 0, bytes: columns * rows * (half ? 2 : 4), pattern });
  }

  vector(name: string, centre: number, length = this.#shape.embedding): void {
    const values = this.#values(length, centre, 0.2);
    this.tensors.push({ name, shape: [length], type: 0, bytes: length * 4, pattern: new Uint8Array(values.buffer) });
  }

  norm(stem: string): void {
    this.vector(`${stem}.weight`, 1);
    this.vector(`${stem}.bias`, 0);
  }

  linear(stem: string, columns: number, rows: number): void {
    this.matrix(`${stem}.weight`, columns, rows);
    this.vector(`${stem}.bias`, 0, rows);
  }

  /** The sum of four even draws is near enough to a bell. */
  #values(count: number, centre: number, spread: number): Float32Array {
    return Float32Array.from({ length: count }, () => centre + spread * Math.sqrt(3) * (this.#draw() + this.#draw() + this.#draw() + this.#draw() - 2));
  }

  /** Mulberry32: 0 to 1. */
  #draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Rounded towards zero; what is too small for a normal half becomes 0. */
function halves(values: Float32Array): Uint8Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const result = new Uint16Array(values.length);
  for (const [i, single] of bits.entries()) {
    const exponent = ((single >>> 23) & 255) - 112;
    result[i] = ((single >>> 16) & 0x8000) | (exponent > 0 ? (exponent << 10) | ((single >>> 13) & 0x3ff) : 0);
  }
  return new Uint8Array(result.buffer);
}
