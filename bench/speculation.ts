/**
 * Tokens drafted from the text itself: how many passes verify and accept, and how much faster answers are, on prompts that quote, edit and write freely.
 * Every answer is held against the one without drafts: they must be equal, token by token.
 */
import { parseArgs } from 'node:util';
import { openEngine } from '../src/engine/engine.js';
import type { GenerateOptions, GenerateResult, LanguageModel } from '../src/engine/port.js';
import { quantile } from './quality.js';

const story = 'The harbour master keeps a ledger of every ship that enters the bay. Each line names the ship, her captain, the cargo and the day. On the fourth of March the brig Aurora came in with '
  + 'salt and timber under Captain Ilse Brandt. On the ninth the sloop Meridian brought letters and two crates of lenses for the lighthouse. The keeper of the light wrote his own notes beside '
  + 'the ledger: wind from the west, glass falling, lamp trimmed at dusk. In April the Aurora came back without her mast.';
const code = `function total(items) {
  let sum = 0;
  for (let i = 0; i < items.length; i++) {
    sum += items[i].price * items[i].count;
  }
  return sum;
}

function average(items) {
  let sum = 0;
  for (let i = 0; i < items.length; i++) {
    sum += items[i].price;
  }
  return sum / items.length;
}`;

/** Raw prompts: what is written depends on no template. */
const kinds: Record<string, string[]> = {
  quoting: [
    `Repeat the following text word for word.\n\n${story}\n\nThe same text again, word for word:\n\n`,
    `Text:\n${story}\n\nThe sentences of the text, one on each line:\n1.`,
    `"${story}"\n\nAs the text says: "`,
  ],
  code: [
    `Here is a file:\n\n${code}\n\nThe same file with the variable sum renamed to result:\n\n`,
    `${code}\n\n// The same functions with const and for...of:\n`,
    `{"items":[{"name":"salt","price":3,"count":2},{"name":"timber","price":8,"count":1}]}\n\nThe same JSON with all prices doubled:\n{"items":[`,
  ],
  'free text': [
    'Write a short letter to a friend about a journey to the mountains in winter.\n\nDear friend,',
    'The three most important ideas of thermodynamics are',
    'Once upon a time, in a village by the sea,',
  ],
};

interface Run {
  ids: number[];
  result: GenerateResult;
}

async function write(model: LanguageModel, prompt: string, options: GenerateOptions): Promise<Run> {
  const ids: number[] = [];
  const result = await model.generate(prompt, { ...options, reuse: 'none', onTokens: (burst) => { ids.push(...burst.ids); } });
  return { ids, result };
}

const perToken = ({ result }: Run): number => result.decodeMs / Math.max(1, result.completionTokens);

interface Measured {
  drafted: number;
  accepted: number;
  tokens: number;
  speedUps: number[];
  different: number;
}

async function measure(model: LanguageModel, prompts: string[], tokens: number, rounds: number): Promise<Measured> {
  const measured: Measured = { drafted: 0, accepted: 0, tokens: 0, speedUps: [], different: 0 };
  for (const prompt of prompts) {
    for (const temperature of [0, 0.8]) {
      const asked: GenerateOptions = { temperature, topP: 0.95, seed: 11, maxTokens: tokens };
      for (let round = 0; round < rounds; round++) {
        const plain = await write(model, prompt, { ...asked, draftMax: 0 });
        const drafted = await write(model, prompt, asked);
        if (plain.ids.join() !== drafted.ids.join()) measured.different++;
        measured.speedUps.push(perToken(plain) / perToken(drafted));
        measured.drafted += drafted.result.draftTokens;
        measured.accepted += drafted.result.acceptedTokens;
        measured.tokens += drafted.result.completionTokens;
      }
    }
  }
  return measured;
}

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { tokens: { type: 'string', default: '96' }, rounds: { type: 'string', default: '3' }, threads: { type: 'string' } } });
  const [path] = positionals;
  if (path === undefined) {
    process.stderr.write('usage: npm run bench -- speculation FILE.gguf [--tokens N] [--rounds N] [--threads N]\n');
    return 64;
  }
  const engine = await openEngine();
  const model = await engine.openModel(path, { device: 'cpu', slots: 1, context: 2048, ...(values.threads === undefined ? {} : { threads: Number(values.threads) }) });
  let different = 0;
  process.stdout.write('| prompts | tokens | drafted | accepted | tokens a pass | speed-up, median (lowest) |\n|---|---|---|---|---|---|\n');
  for (const [kind, prompts] of Object.entries(kinds)) {
    const measured = await measure(model, prompts, Number(values.tokens), Number(values.rounds));
    different += measured.different;
    const passes = measured.tokens - measured.accepted;
    process.stdout.write(`| ${kind} | ${measured.tokens} | ${measured.drafted} | ${measured.accepted} | ${(measured.tokens / passes).toFixed(2)} | ${(quantile(measured.speedUps, 0.5) ?? 0).toFixed(2)} (${Math.min(...measured.speedUps).toFixed(2)}) |\n`);
  }
  process.stdout.write(different === 0 ? 'All answers equal those without drafts.\n' : `${different} answers differ from those without drafts.\n`);
  await model.close();
  await engine.close();
  return different === 0 ? 0 : 1;
}
