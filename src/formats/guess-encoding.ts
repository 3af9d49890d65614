/** The encoding of bytes that do not name it, as Firefox guesses it: chardetng (Apache-2.0), compiled to WebAssembly. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What wasm-bindgen exports of the package. Its own loader imports a `.wasm` file as a module, which Node 20 does not do. */
interface DetectorExports {
  memory: { buffer: ArrayBuffer };
  __wbindgen_malloc: (size: number) => number;
  __wbindgen_free: (pointer: number, size: number) => void;
  /** Moves the stack by so many bytes; returns where it now ends. */
  __wbindgen_add_to_stack_pointer: (by: number) => number;
  /** Takes `length` bytes at `pointer` over and writes pointer and length of the encoding's name to `result`. */
  detect: (result: number, pointer: number, length: number) => void;
}

/** The part of Node's WebAssembly that is used; its type declarations name types alone. */
interface WebAssemblyConstructors {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, () => never>>) => { exports: unknown };
}

/** Bytes in which an encoding is guessed. */
const guessedBytes = 256 * 1024;
const lastSevenBit = 0x7f;
const lineEnd = 0x0a;
/** Two 32-bit words, on a stack that is aligned to sixteen bytes. */
const resultBytes = 16;
const wordBytes = 4;

let loaded: DetectorExports | null = null;

function detector(): DetectorExports {
  if (loaded !== null) return loaded;
  const file = createRequire(import.meta.url).resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm');
  const fail = (): never => {
    throw new Error('The detector of encodings failed.');
  };
  const { Instance, Module } = (globalThis as unknown as { WebAssembly: WebAssemblyConstructors }).WebAssembly;
  const instance = new Instance(new Module(readFileSync(file)), { './chardetng_wasm_bg.js': { __wbindgen_throw: fail } });
  loaded = instance.exports as DetectorExports;
  return loaded;
}

/** The WHATWG name of the encoding that the bytes are most likely in: `Shift_JIS`, `windows-1251`, `UTF-8`. */
export function guessEncoding(bytes: Uint8Array): string {
  const wasm = detector();
  // Seven-bit bytes tell nothing: the sample begins at the line of the first other one.
  const first = Math.max(0, bytes.findIndex((byte) => byte > lastSevenBit));
  const line = bytes.lastIndexOf(lineEnd, first) + 1;
  const begin = first - line < guessedBytes / 2 ? line : first;
  const sample = bytes.subarray(begin, begin + guessedBytes);
  const result = wasm.__wbindgen_add_to_stack_pointer(-resultBytes);
  try {
    const pointer = wasm.__wbindgen_malloc(sample.length);
    new Uint8Array(wasm.memory.buffer).set(sample, pointer);
    wasm.detect(result, pointer, sample.length);
    const [at = 0, length = 0] = new Int32Array(wasm.memory.buffer, result, resultBytes / wordBytes);
    const name = Buffer.from(wasm.memory.buffer, at, length).toString('latin1');
    wasm.__wbindgen_free(at, length);
    return name;
  } finally {
    wasm.__wbindgen_add_to_stack_pointer(resultBytes);
  }
}
