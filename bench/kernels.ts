/** `bench kernels`: what native_bench times of the native half's single jobs, each as its best time of several. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { nativeBench } from './llm.js';

const usage = 'usage: npm run bench -- kernels [--layers | --llm]\nBitmaps, tokenizer and grammars; --layers: layers of networks; --llm: passes of language models.';

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({ args, options: { layers: { type: 'boolean' }, llm: { type: 'boolean' } } });
  if (values.layers && values.llm) {
    console.error(usage);
    return 2;
  }
  const { status, stdout } = spawnSync(nativeBench(), values.layers ? ['--layers'] : values.llm ? ['--llm'] : [], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });
  process.stdout.write(stdout);
  return { code: status ?? 1, measures: measuresOfText(stdout) };
}

const times = /\b(best|median)\s+([\d.]+)\s*(us|ms|s)\b/;
const rate = /([\d.]+)\s+((?:tokens|GB|GFLOP|Mpixel|GFLOPS|MB)\/s|GFLOPS)/;

/** One of each line: the best time it tells (neighbours only ever make a job slower), else a rate. Names are the words before it; a second of the same name is numbered. */
export function measuresOfText(text: string): BenchmarkMeasure[] {
  const seen = new Map<string, number>();
  return text.split('\n').flatMap((line): BenchmarkMeasure[] => {
    const time = times.exec(line);
    const found = time ?? rate.exec(line);
    if (found === null) return [];
    const words = line.slice(0, found.index).trim().replace(/\s+/g, ' ').replace(/[,:]$/, '');
    if (words === '') return [];
    const count = (seen.get(words) ?? 0) + 1;
    seen.set(words, count);
    const name = count === 1 ? words : `${words} (${count})`;
    return time !== null
      ? [{ name, value: Number(time[2]), unit: time[3] as string, better: 'less' }]
      : [{ name, value: Number(found[1]), unit: found[2] as string, better: 'more' }];
  });
}
