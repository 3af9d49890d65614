/** When V8 compiles what a worker runs. */
import { setFlagsFromString } from 'node:v8';

/**
 * V8 11, Node 20's, optimises functions of JavaScript some seven times later than by itself, those of the PDF engine eleven times: at its own
 * pace compiling was half of all work on the first forty pages of a process (3.3 s of the processor with it and 2.3 so), and a fifth on a first
 * document of a hundred; over eight hundred pages the later pace is still the cheaper by a fifteenth. From V8 12 on its own pace is as good
 * (2.2 s for a hundred pages with Node 24, with later paces 2.2 to 2.4), and the first of the flags is gone. To be called before the program is loaded.
 */
export function compileLater(): void {
  if (Number.parseInt(process.versions.v8) > 11) return;
  setFlagsFromString('--interrupt-budget=500000');
  setFlagsFromString('--wasm-tiering-budget=20000000');
  // Each function of the PDF engine when it is first called, as it is compiled: of most a document needs none.
  setFlagsFromString('--wasm-lazy-validation');
}
