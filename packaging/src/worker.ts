/**
 * A worker's main script in the bundle: runs the worker's program, which is one script, with what V8 compiled of it when the bundle was made.
 * Compiling what a first page needs took some 60 ms of each worker. Built into one file; it can load nothing but Node's own modules.
 */
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { compileLater } from '../../src/workers/compile-later.js';
import type { worker } from '../../src/cli/worker.js';

/** Put in by the build: the name of the worker's program beside this script. */
declare const PROGRAM: string;

compileLater();
// V8 takes code only where all flags are as they were. The heap has its bounds since the start of the process, and nothing reads these again.
setFlagsFromString('--max-old-space-size=0');
setFlagsFromString('--initial-heap-size=0');

const program = new URL(PROGRAM, import.meta.url);
const code = new URL(`${PROGRAM}.code`, import.meta.url);

const digestBytes = 32;

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/**
 * None of it, as in a bundle that is being made, or of another V8, which refuses it: then V8 compiles what is called, as ever. V8 does not check
 * whether it is whole and dies of what is not, so its digest stands before it.
 */
function compiledCode(): Buffer | undefined {
  try {
    const kept = readFileSync(code);
    const bytes = kept.subarray(digestBytes);
    return digestOf(bytes).equals(kept.subarray(0, digestBytes)) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

const cachedData = compiledCode();
// The build writes ASCII alone: read as Latin-1 nothing need be decoded, which took 10 ms. Its name is no path: V8 keeps it with the code.
const script = new Script(`(function (require, module, scriptUrl) {${readFileSync(program, 'latin1')}\n})`, { filename: PROGRAM, ...(cachedData && { cachedData }) });
const module = {} as { exports: { worker: typeof worker } };
(script.runInThisContext() as (require: NodeRequire, module: object, scriptUrl: string) => void)(createRequire(import.meta.url), module, program.href);

/** For who makes the bundle, when the worker has converted what users convert: V8 keeps what was called. */
function keepCode(): Promise<string> {
  const beside = new URL(`${PROGRAM}.code.${process.pid}`, import.meta.url);
  const bytes = script.createCachedData();
  writeFileSync(beside, Buffer.concat([digestOf(bytes), bytes]));
  // A worker's files are its user's alone; this one is part of the program.
  chmodSync(beside, 0o644);
  renameSync(beside, code);
  return Promise.resolve(`${PROGRAM}.code`);
}

/** Whether V8 took the code that was kept. */
function tookCode(): Promise<boolean> {
  return Promise.resolve(script.cachedDataRejected === false);
}

process.exitCode = await module.exports.worker(process.argv.includes('--keep-code') ? { keepCode, tookCode } : {});
