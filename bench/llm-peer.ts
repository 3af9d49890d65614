/**
 * llama.cpp (by node-llama-cpp) with one model open, timed on command: the same lines in and out as `native_bench --model`, so that both can take turns.
 * Arguments: the package's directory, the model file, the number of threads, and `embeds` for an encoder.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** What is used of node-llama-cpp 3, which is no dependency of the program. */
interface Sequence {
  evaluate(tokens: number[], options: { temperature: number; yieldEogToken: boolean }): AsyncGenerator<number>;
  evaluateWithoutGeneratingNewTokens(tokens: number[]): Promise<void>;
  clearHistory(): Promise<void>;
}
interface Model {
  createContext(options: { contextSize: number; batchSize: number; sequences: number; threads: number }): Promise<{ getSequence(): Sequence }>;
  createEmbeddingContext(options: { contextSize: number; batchSize: number; threads: number }): Promise<{ getEmbeddingFor(tokens: number[]): Promise<unknown> }>;
}
interface LlamaCpp {
  getLlama(options: { gpu: false; build: 'never'; logLevel: 'error'; maxThreads: number }): Promise<{ loadModel(options: { modelPath: string; gpuLayers: 0 }): Promise<Model> }>;
}

/** Per sequence, and what stands in one when decoding begins: as in native_bench. */
const contextSize = 1024;
const promptTokens = 64;
/** First and last of every text that is embedded; the package adds them where they are not. */
const [textBegin, textEnd] = [2, 3];

type Verb = (first: number, second: number) => Promise<number>;

function someTokens(count: number): number[] {
  return Array.from({ length: count }, (_, i) => 300 + ((i * 37 + i * i * 11) % 5000));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

/** `count` tokens, the likeliest each time; the time runs from the first token on. */
async function writeTokens(sequence: Sequence, count: number, begun: () => Promise<void>): Promise<void> {
  let written = -1;
  for await (const token of sequence.evaluate(someTokens(promptTokens), { temperature: 0, yieldEogToken: true })) {
    void token;
    written += 1;
    if (written === 0) await begun();
    if (written === count) return;
  }
  throw new Error(`only ${written} tokens came`);
}

/** Resolves when `count` have called. */
function meeting(count: number, met: () => void): () => Promise<void> {
  let waiting = count;
  let open: () => void;
  const gate = new Promise<void>((resolve) => { open = resolve; });
  return () => {
    waiting -= 1;
    if (waiting === 0) {
      met();
      open();
    }
    return gate;
  };
}

async function decoder(model: Model, threads: number): Promise<Record<string, Verb>> {
  const context = await model.createContext({ contextSize, batchSize: 512, sequences: 2, threads });
  const sequences = [context.getSequence(), context.getSequence()] as const;
  return {
    prefill: async (count) => {
      await sequences[0].clearHistory();
      return timed(() => sequences[0].evaluateWithoutGeneratingNewTokens(someTokens(count)));
    },
    decode: async (slots, count) => {
      for (const sequence of sequences) await sequence.clearHistory();
      let begin = 0;
      const begun = meeting(slots, () => { begin = performance.now(); });
      await Promise.all(sequences.slice(0, slots).map((sequence) => writeTokens(sequence, count, begun)));
      return (performance.now() - begin) / 1000;
    },
  };
}

async function encoder(model: Model, threads: number): Promise<Record<string, Verb>> {
  const context = await model.createEmbeddingContext({ contextSize, batchSize: contextSize, threads });
  return { embed: (count) => timed(() => context.getEmbeddingFor([textBegin, ...someTokens(count - 2), textEnd])) };
}

async function serve(directory: string, path: string, threads: number, embeds: boolean): Promise<void> {
  const { getLlama } = (await import(pathToFileURL(join(directory, 'dist/index.js')).href)) as LlamaCpp;
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: threads });
  const begin = performance.now();
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  const verbs = embeds ? await encoder(model, threads) : await decoder(model, threads);
  console.log(`ready ${((performance.now() - begin) / 1000).toFixed(6)} 0 ${threads} llama.cpp`);
  for await (const line of createInterface({ input: process.stdin })) {
    const [name = '', first = '', second = ''] = line.split(' ');
    try {
      const verb = verbs[name];
      if (verb === undefined) throw new Error(`cannot: ${line}`);
      console.log(`done ${await verb(Number(first), Number(second))}`);
    } catch (error) {
      console.log(`failed ${String(error).replaceAll('\n', ' ')}`);
    }
  }
  process.exit(0);
}

const [directory = '', path = '', threads = '', kind] = process.argv.slice(2);
await serve(directory, path, Number(threads), kind === 'embeds');
