/** The benchmarks of the program: `npm run bench -- NAME …`, one file a benchmark; what they found as lines, and against an earlier run. */
import { writeFileSync } from 'node:fs';
import { compare, jsonLines, type BenchmarkMeasure, parseLines, parseShare, readText, usualLoss } from '../src/client/measures.js';
import { LecternError } from '../src/errors.js';
import { machine } from './machine.js';

/** An exit code, and where the benchmark can be held against another run what it found. */
type End = number | { code: number; measures: BenchmarkMeasure[] };

interface Bench {
  run(args: string[], against: string | undefined): Promise<End>;
  /** The measures of a report that it wrote with --json. */
  measuresOf?(report: never): BenchmarkMeasure[];
}

const benches: Record<string, () => Promise<Bench>> = {
  chat: () => import('./chat.js'),
  convert: () => import('./convert.js'),
  formats: () => import('./formats.js'),
  formulas: () => import('./formulas.js'),
  http: () => import('./http.js'),
  kernels: () => import('./kernels.js'),
  layout: () => import('./layout.js'),
  letters: () => import('./letters.js'),
  llm: () => import('./llm.js'),
  ocr: () => import('./ocr.js'),
  onnx: () => import('./onnx.js'),
  pages: () => import('./pages.js'),
  scripts: () => import('./scripts.js'),
  soak: () => import('./soak.js'),
  speculation: () => import('./speculation.js'),
  stalls: () => import('./stalls.js'),
  tables: () => import('./tables.js'),
  waiting: () => import('./waiting.js'),
};

const usage = `usage: npm run bench -- NAME [its options] [--lines OUT] [--against BASELINE [--loss 10%]]
  chat     [--rounds N] [--threads N] [--model NAME] [--json OUT]
  convert  [--folder NAME]... [--speed] [--peer] [--compare] [--keep DIRECTORY] [--json OUT] [--verbose]
  formats  [--format NAME]... [--speed] [--big] [--peer] [--keep DIRECTORY] [--json OUT] [--verbose]
  formulas [--set-up NAME]... [--seen] [--seed N] [--count N] [--verbose]
  http     [--rounds N] [--models DIRECTORY] [--model NAME]
  kernels  [--layers] [--llm]
  layout   [--drawn DIRECTORY] [--network DIRECTORY] [--conversion] [--verbose]
  letters  [--fetch] [--only PART-OF-A-NAME]... [--beside FOLDER] [--no-peers] [--keep DIRECTORY] [--verbose]
  llm      [--peer] [--rounds N] [--threads N] [--model NAME]... [--json OUT]
  ocr      [--drawn DIRECTORY] [--pages N] [--verbose]
  onnx     [--peer] [--pack DIRECTORY] [--net NAME]... [--rounds N] [--threads N] [--json OUT]
  pages    DIRECTORY [--network FILE] [--documents N] [--keep DIRECTORY] [--worst N]
  scripts  [--set-up NAME]... [--seen] [--seed N] [--pages N] [--plain N] [--verbose]
  soak     [N]
  speculation FILE.gguf [--tokens N] [--rounds N] [--threads N]
  stalls   [--only PART-OF-A-NAME]
  tables   [--drawn FILE] [--tables N] [--network DIRECTORY] [--verbose]
  waiting  [--requests N]
--lines writes what was found as JSON lines (-: to standard output). --against holds it against such a file, or a report of --json;
the exit code is 1 where more than --loss of anything was lost.`;

interface Words {
  own: string[];
  lines?: string;
  against?: string;
  loss?: string;
}

/** Takes out the words that all benchmarks share. */
function readWords(args: string[]): Words {
  const words: Words = { own: [] };
  for (let index = 0; index < args.length; index++) {
    const [flag, joined] = (args[index] as string).split(/=(.*)/s, 2) as [string, string | undefined];
    if (flag === '--lines' || flag === '--against' || flag === '--loss') {
      const value = joined ?? args[++index];
      if (value === undefined) throw new LecternError('invalid_request', `${flag} needs a value.\n${usage}`);
      words[flag.slice(2) as 'lines' | 'against' | 'loss'] = value;
    } else words.own.push(args[index] as string);
  }
  return words;
}

function readBaseline(name: string, bench: Bench, file: string): BenchmarkMeasure[] {
  const text = readText(file);
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    return parseLines(text, name, file);
  }
  // One line alone is JSON, too.
  if (typeof (report as { bench?: unknown }).bench === 'string') return parseLines(text, name, file);
  if (bench.measuresOf === undefined) throw new LecternError('invalid_request', `${name} compares lines (--lines), not reports.`);
  return bench.measuresOf(report as never);
}

async function runBench(name: string, bench: Bench, { own, lines, against, loss }: Words): Promise<number> {
  if (loss !== undefined && against === undefined) throw new LecternError('invalid_request', '--loss needs --against: it is what may be lost against a baseline.');
  const maxLoss = loss === undefined ? usualLoss : parseShare(loss);
  const before = against === undefined ? undefined : readBaseline(name, bench, against);
  const end = await bench.run(own, against);
  if (typeof end === 'number') {
    if (lines === undefined && before === undefined) return end;
    if (end !== 0) return end;
    throw new LecternError('invalid_request', `${name} has nothing that could be compared.`);
  }
  const { code, measures } = end;
  const text = `${JSON.stringify({ bench: name, machine: machine() })}\n${jsonLines(name, measures)}`;
  if (lines === '-') process.stdout.write(text);
  else if (lines !== undefined) writeFileSync(lines, text);
  if (before === undefined) return code;
  const { lines: compared, worse, missing } = compare(before, measures, maxLoss);
  console.log(`\nAgainst ${against}, where ${(maxLoss * 100).toFixed(0)} % may be lost:\n${compared.join('\n')}`);
  if (missing.length > 0) console.log(`not measured now: ${missing.join(', ')}`);
  console.log(`${worse === 0 ? 'none' : worse} lost more than may be`);
  return worse > 0 ? 1 : code;
}

const [name = '', ...args] = process.argv.slice(2);
const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (name === '--help' || args.includes('--help')) {
  console.log(usage);
} else if (load === undefined) {
  console.error(usage);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await runBench(name, await load(), readWords(args));
  } catch (thrown) {
    const isAboutWords = String((thrown as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
    if (!(thrown instanceof LecternError) && !isAboutWords) throw thrown;
    console.error(`${(thrown as Error).message}${isAboutWords ? `\n${usage}` : ''}`);
    process.exitCode = 2;
  }
}
