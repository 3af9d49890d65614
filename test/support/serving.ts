/** The whole service over the real engine with models made for the test, and a look into its metrics. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Settings } from '../../src/settings/settings.js';
import { type MadeShape, writeMadeEmbedder, writeMadeModel } from './made-model.js';
import { type RunningService, startService } from './start-service.js';

export interface Serving extends RunningService {
  /** The value of one sample, as `lectern_models{state="loaded"}`; 0 where there is none. */
  metric(sample: string): Promise<number>;
  /** Asks again until it has that value. Never settles where it never has. */
  untilMetric(sample: string, value: number): Promise<void>;
}

/** Serves `chat` and `embedder`, made models of this shape, and what else is in `models` (file by name). Ends with the test. */
export async function startServing(t: Test, { shape = {}, settings = {}, models = {} }: { shape?: MadeShape; settings?: Partial<Settings>; models?: Record<string, string> } = {}): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-models-'));
  writeMadeModel(join(folder, 'chat.gguf'), shape);
  writeMadeEmbedder(join(folder, 'embedder.gguf'), shape);
  for (const [name, path] of Object.entries(models)) cpSync(path, join(folder, `${name}.gguf`));
  const service = await startService({ models: [folder], workers: 1, ...settings });
  t.teardown(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const metric = async (sample: string): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
    return line === undefined ? 0 : Number(line.slice(sample.length + 1));
  };
  return {
    ...service,
    metric,
    untilMetric: async (sample, value) => {
      while (await metric(sample) !== value) await new Promise((resolve) => setTimeout(resolve, 2));
    },
  };
}

/** The lines of an NDJSON answer, as they come. */
export async function* jsonLines(answer: Response): AsyncGenerator<Record<string, unknown>> {
  let rest = '';
  for await (const chunk of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line) as Record<string, unknown>;
  }
}
