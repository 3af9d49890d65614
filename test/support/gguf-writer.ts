/** Writes GGUF files (version 3): keys of every type, tensors of any bytes. */
import { closeSync, openSync, writeSync } from 'node:fs';

const typeNumbers = { u8: 0, i8: 1, u16: 2, i16: 3, u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9, u64: 10, i64: 11, f64: 12 } as const;

type Scalar = string | number | bigint | boolean;
type ScalarType = Exclude<keyof typeof typeNumbers, 'array'>;
export type GgufValue = readonly [type: ScalarType, value: Scalar] | readonly [type: 'array', element: ScalarType, values: readonly Scalar[]];

export interface GgufTensor {
  name: string;
  /** As the format has it: the first runs fastest. */
  shape: number[];
  /** The format's number: 0 F32, 1 F16, 8 Q8_0. */
  type: number;
  bytes: number;
  /** Repeated until `bytes` are full. */
  pattern: Uint8Array;
}

class ByteList {
  #parts: Uint8Array[] = [];

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  number(type: Exclude<ScalarType, 'string' | 'bool'>, value: number | bigint): this {
    const view = new DataView(new ArrayBuffer(8));
    const write: Record<typeof type, () => number> = {
      u8: () => (view.setUint8(0, Number(value)), 1),
      i8: () => (view.setInt8(0, Number(value)), 1),
      u16: () => (view.setUint16(0, Number(value), true), 2),
      i16: () => (view.setInt16(0, Number(value), true), 2),
      u32: () => (view.setUint32(0, Number(value), true), 4),
      i32: () => (view.setInt32(0, Number(value), true), 4),
      f32: () => (view.setFloat32(0, Number(value), true), 4),
      u64: () => (view.setBigUint64(0, BigInt(value), true), 8),
      i64: () => (view.setBigInt64(0, BigInt(value), true), 8),
      f64: () => (view.setFloat64(0, Number(value), true), 8),
    };
    return this.raw(new Uint8Array(view.buffer, 0, write[type]()));
  }

  text(value: string): this {
    const bytes = Buffer.from(value);
    return this.number('u64', bytes.length).raw(bytes);
  }

  scalar(type: ScalarType, value: Scalar): this {
    if (type === 'string') return this.text(String(value));
    if (type === 'bool') return this.number('u8', value ? 1 : 0);
    return this.number(type, value as number | bigint);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function header(metadata: Record<string, GgufValue>, tensors: readonly GgufTensor[]): Buffer {
  const head = new ByteList().raw(Buffer.from('GGUF')).number('u32', 3).number('u64', tensors.length).number('u64', Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    head.text(key).number('u32', typeNumbers[value[0]]);
    if (value[0] !== 'array') {
      head.scalar(value[0], value[1]);
      continue;
    }
    head.number('u32', typeNumbers[value[1]]).number('u64', value[2].length);
    for (const element of value[2]) head.scalar(value[1], element);
  }
  let offset = 0;
  for (const tensor of tensors) {
    head.text(tensor.name).number('u32', tensor.shape.length);
    for (const dim of tensor.shape) head.number('u64', dim);
    head.number('u32', tensor.type).number('u64', offset);
    offset += aligned(tensor.bytes);
  }
  return head.bytes();
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 32) * 32;
}

/** Piece by piece: models may be larger than what a test should hold. */
export function writeGguf(path: string, metadata: Record<string, GgufValue>, tensors: readonly GgufTensor[]): void {
  const file = openSync(path, 'w');
  try {
    const head = header(metadata, tensors);
    writeSync(file, Buffer.concat([head, Buffer.alloc(aligned(head.length) - head.length)]));
    for (const { bytes, pattern } of tensors) {
      for (let at = 0; at < bytes; at += pattern.length) writeSync(file, pattern, 0, Math.min(pattern.length, bytes - at));
      writeSync(file, Buffer.alloc(aligned(bytes) - bytes));
    }
  } finally {
    closeSync(file);
  }
}
