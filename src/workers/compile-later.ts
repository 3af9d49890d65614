/** When V8 compiles what a worker runs. */
import { setFlagsFromString } from 'node:v8';

/**
 * Functions of JavaScript are optimised some seven times later than V8 would by itself, those of the PDF engine eleven times: at its own pace
 * compiling was half of all work on the first forty pages of a process (3.3 s of the processor with it and 2.3 so), and a fifth on a first document
 * of a hundred; over eight hundred pages the later pace is still the cheaper by a fifteenth. To be called before the program is loaded. Tried
 * with Node 20: a V8 that does not know a flag says so on standard error, which the pool logs, and goes on without.
 */
export function compileLater(): void {
  setFlagsFromString('--interrupt-budget=500000');
  setFlagsFromString('--wasm-tiering-budget=20000000');
  // Each function of the PDF engine when it is first called, as it is compiled: of most a document needs none.
  setFlagsFromString('--wasm-lazy-validation');
}
