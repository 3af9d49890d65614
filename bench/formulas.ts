/** `bench formulas`: made formulas in twelve font set-ups of TeX, read back from the PDF and compared with their sources as trees. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchmarkMeasure, tableOf } from '../src/client/measures.js';
import { packageRoot } from '../src/platform/package-files.js';
import { plainScripts } from './formulas-inline.js';
import { closeEngine, convertHere } from './convert-here.js';
import { formulaDocument, setUps, type FormulaDocument, type SetUp } from './formulas-sources.js';
import { formulaKey } from './formulas-tree.js';

const usage = 'usage: npm run bench -- formulas [--set-up NAME]... [--seen] [--seed N] [--count N] [--verbose]';
/** Of the formulas that are measured; another seed makes others of the same kinds. */
const usualSeed = 20_000;

function typeset(setUp: SetUp, seed: number, document: FormulaDocument): string | null {
  const folder = join(packageRoot(), 'build/formulas');
  mkdirSync(folder, { recursive: true });
  const name = `${setUp.name}-${seed}-${document.displays.length}`;
  const pdf = join(folder, `${name}.pdf`);
  if (existsSync(pdf)) return pdf;
  writeFileSync(join(folder, `${name}.tex`), document.tex);
  spawnSync(setUp.engine, ['-interaction=nonstopmode', `${name}.tex`], { cwd: folder, stdio: 'ignore' });
  return existsSync(pdf) ? pdf : null;
}

interface Score {
  display: [met: number, all: number];
  inline: [met: number, all: number];
}

function scoreOf(markdown: string, { displays, inlines }: FormulaDocument, name: string, verbose: boolean): Score {
  const score: Score = { display: [0, displays.length], inline: [0, inlines.length] };
  for (const [at, display] of displays.entries()) {
    const between = new RegExp(`until\\s+stop\\s+${at}\\.([^]*?)Inline\\s+${at}\\s+has`, 'u').exec(markdown)?.[1] ?? '';
    const got = [...between.matchAll(/\$\$([^]*?)\$\$/gu)].map((found) => found[1]!);
    const met = got.length === 1 && formulaKey(got[0]!) === formulaKey(display);
    if (met) score.display[0]++;
    else if (verbose) console.log(`${name} display ${at}\n  want ${display}\n  got  ${got.join(' $$ ') || between.trim().slice(0, 200)}\n  ${formulaKey(display)}\n  ${got.map(formulaKey).join(' ')}`);
    const inline = new RegExp(`Inline\\s+${at}\\s+has([^]*?)in\\s+its\\s+line`, 'u').exec(markdown)?.[1]?.trim() ?? '';
    const same = formulaKey(plainScripts(inline)) === formulaKey(inlines[at]!);
    if (same) score.inline[0]++;
    else if (verbose) console.log(`${name} inline ${at}\n  want ${inlines[at]!}\n  got  ${inline}`);
  }
  return score;
}

export async function run(args: string[]): Promise<number | { code: number; measures: BenchmarkMeasure[] }> {
  const { values } = parseArgs({ args, options: { 'set-up': { type: 'string', multiple: true }, seen: { type: 'boolean' }, seed: { type: 'string' }, count: { type: 'string' }, verbose: { type: 'boolean' } } });
  const [seed, count] = [Number(values.seed ?? usualSeed), Number(values.count ?? 40)];
  const chosen = setUps.filter(({ name, seen }) => (values['set-up']?.includes(name) ?? true) && (values.seen !== true || seen));
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1 || chosen.length === 0) {
    console.error(usage);
    return 2;
  }
  const totals = new Map<boolean, Score>();
  for (const setUp of chosen) {
    const document = formulaDocument(setUp, seed + setUps.indexOf(setUp), count);
    const pdf = typeset(setUp, seed + setUps.indexOf(setUp), document);
    if (pdf === null) {
      console.log(`${setUp.name}: ${setUp.engine} or a package of TeX is missing.`);
      continue;
    }
    const { markdown } = await convertHere({ pdf, password: null }, { doOcr: false, doFormulaEnrichment: true });
    const score = scoreOf(markdown, document, setUp.name, values.verbose ?? false);
    const total = totals.get(setUp.seen) ?? { display: [0, 0], inline: [0, 0] };
    for (const kind of ['display', 'inline'] as const) for (const place of [0, 1] as const) total[kind][place] += score[kind][place];
    totals.set(setUp.seen, total);
    console.log(`${setUp.name.padEnd(20)} display ${score.display.join(' of ')}, inline ${score.inline.join(' of ')}`);
  }
  await closeEngine();
  const measures = [...totals].flatMap(([seen, total]) => (['display', 'inline'] as const).map((kind): BenchmarkMeasure => ({
    name: `${kind}, set-ups ${seen ? 'inspected' : 'only measured'}`, value: total[kind][0] / total[kind][1], unit: 'of 1', better: 'more',
  })));
  console.log(tableOf(measures));
  return { code: 0, measures };
}
