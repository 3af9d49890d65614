/**
 * onnxruntime-node with one network open, timed on command: the same lines in and out as `native_bench --network`, so that both can take turns.
 * Arguments: the package's directory, the file and the number of threads.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** What is used of onnxruntime-node 1, which is no dependency of the program. */
interface Session {
  inputNames: readonly string[];
  run(feeds: Record<string, unknown>): Promise<unknown>;
}
interface Runtime {
  InferenceSession: {
    create(path: string, options: { intraOpNumThreads: number; interOpNumThreads: number; executionProviders: string[]; logSeverityLevel: 4 }): Promise<Session>;
  };
  Tensor: new (type: 'float32', data: Float32Array, shape: number[]) => unknown;
}

/** Seconds of the middle one of `count` runs. */
async function middleOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const begin = performance.now();
    await work();
    times.push((performance.now() - begin) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? NaN;
}

async function serve(directory: string, path: string, threads: number): Promise<void> {
  const { default: runtime } = (await import(pathToFileURL(join(directory, 'dist/index.js')).href)) as { default: Runtime };
  const begin = performance.now();
  const session = await runtime.InferenceSession.create(path, { intraOpNumThreads: threads, interOpNumThreads: 1, executionProviders: ['cpu'], logSeverityLevel: 4 });
  console.log(`ready ${((performance.now() - begin) / 1000).toFixed(6)} 0 ${threads} onnxruntime`);
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, count = '', sizes = '', ...words] = line.split(' ');
    try {
      if (verb !== 'run') throw new Error(`cannot: ${line}`);
      const bytes = readFileSync(words.join(' '));
      const input = new runtime.Tensor('float32', new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), sizes.split('x').map(Number));
      console.log(`done ${await middleOf(Number(count), () => session.run({ [session.inputNames[0] ?? '']: input }))}`);
    } catch (error) {
      console.log(`failed ${String(error).replaceAll('\n', ' ')}`);
    }
  }
  process.exit(0);
}

const [directory = '', path = '', threads = ''] = process.argv.slice(2);
await serve(directory, path, Number(threads));
