/** `bench scripts`: superscripts, subscripts and note marks of made pages in twelve font set-ups, and false ones in pages of plain text. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchmarkMeasure, tableOf } from '../src/client/measures.js';
import { packageRoot } from '../src/platform/package-files.js';
import { closeEngine, convertHere } from './convert-here.js';
import { plainScripts } from './formulas-inline.js';
import { htmlSource, type Part, scriptDocument, scriptSetUps, texSource, writerSource, type ScriptDocument, type ScriptSetUp } from './scripts-sources.js';

const usage = 'usage: npm run bench -- scripts [--set-up NAME]... [--seen] [--seed N] [--pages N] [--plain N] [--verbose]';
const usualSeed = 30_000;
/** Pages of a set-up: with scripts 204 in all, without 108. */
const usualPages = { scripted: 17, plain: 9 };

function made(setUp: ScriptSetUp, name: string, document: ScriptDocument): string | null {
  const folder = join(packageRoot(), 'build/scripts');
  mkdirSync(folder, { recursive: true });
  const pdf = join(folder, `${name}.pdf`);
  if (existsSync(pdf)) return pdf;
  const source = (ending: string, text: string): string => {
    writeFileSync(join(folder, `${name}.${ending}`), text);
    return join(folder, `${name}.${ending}`);
  };
  if (setUp.program === 'chromium') spawnSync('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--print-to-pdf=${pdf}`, source('html', htmlSource(setUp, document))], { stdio: 'ignore' });
  else if (setUp.program === 'soffice') spawnSync('soffice', [`-env:UserInstallation=file://${folder}/profile`, '--headless', '--convert-to', 'pdf', '--outdir', folder, source('fodt', writerSource(setUp, document))], { stdio: 'ignore' });
  else spawnSync(setUp.program, ['-interaction=nonstopmode', source('tex', texSource(setUp, document))], { cwd: folder, stdio: 'ignore' });
  return existsSync(pdf) ? pdf : null;
}

/** `x^{2}` for a script, without white space; in one form of signs that mean the same. */
function canonical(text: string): string {
  return text.normalize('NFKC').replace(/\s/gu, '').replace(/[−-]/gu, '-').replace(/[∗⁎]/gu, '*');
}

function written(part: Part): string {
  if (part.kind === 'super') return `^{${part.text}}`;
  if (part.kind === 'sub') return `_{${part.text}}`;
  return part.kind === 'note' ? `^{${part.number}}` : part.text;
}

interface Item {
  self_ref: string;
  text: string;
  orig: string;
  label: string;
  formatting?: { script?: string } | null;
  comments?: { $ref: string }[];
}

interface Marks {
  scripts: [met: number, all: number];
  notes: [met: number, all: number];
  links: [met: number, all: number];
  /** Scripts outside the checked expressions. */
  false: number;
  plainPages: number;
}

const noMarks = (): Marks => ({ scripts: [0, 0], notes: [0, 0], links: [0, 0], false: 0, plainPages: 0 });
const scriptsIn = (text: string): string[] => text.match(/[_^]\{[^}]*\}/gu) ?? [];

function addScripted(marks: Marks, { expressions }: ScriptDocument, markdown: string, texts: Item[], log: (line: string) => void): void {
  const text = plainScripts(markdown);
  let counted = 0;
  for (const { before, behind, parts } of expressions) {
    const found = new RegExp(`${before}(?![a-z])([^]{0,80}?)${behind}`, 'u').exec(text)?.[1] ?? '';
    const want = parts.map(written).join('');
    const met = canonical(found) === canonical(want);
    const count = parts.filter(({ kind }) => kind !== 'plain').length;
    const note = parts.find((part) => part.kind === 'note');
    const tally = note === undefined ? marks.scripts : marks.notes;
    tally[1] += count;
    if (met) tally[0] += count;
    else log(`want ${want}, got ${found.trim()}`);
    counted += scriptsIn(found).length;
    if (note?.kind !== 'note') continue;
    marks.links[1]++;
    const name = note.text.split(' ')[0]!;
    const target = texts.find((item) => item.label === 'footnote' && item.orig.includes(name));
    if (target !== undefined && texts.some((item) => item.formatting?.script === 'super' && item.text === String(note.number) && item.comments?.some((ref) => ref.$ref === target.self_ref))) marks.links[0]++;
    else log(`note ${note.number} is not linked${target === undefined ? ', and is no footnote' : ''}`);
  }
  // A note's own mark is a script to some programs, and is one on the page.
  const own = (text.match(/^\^\{\d+\}\s/gmu) ?? []).length;
  marks.false += Math.max(0, scriptsIn(text).length - counted - own);
}

async function measure(setUp: ScriptSetUp, { seed, scripted, plain, verbose }: { seed: number; scripted: number; plain: number; verbose: boolean }): Promise<Marks | null> {
  const marks = noMarks();
  const log = (line: string): void => {
    if (verbose) console.log(`  ${setUp.name}: ${line}`);
  };
  for (const [isScripted, count] of [[true, scripted], [false, plain]] as const) {
    const document = scriptDocument(seed + scriptSetUps.indexOf(setUp) * 2 + (isScripted ? 0 : 1), count, isScripted);
    const pdf = made(setUp, `${setUp.name}-${seed}-${isScripted ? 'scripted' : 'plain'}-${count}`, document);
    if (pdf === null) return null;
    const { markdown, json } = await convertHere({ pdf, password: null }, { doOcr: false, outputs: ['md', 'json'] });
    if (isScripted) addScripted(marks, document, markdown, (json.texts ?? []) as Item[], log);
    else {
      const found = scriptsIn(plainScripts(markdown));
      if (found.length > 0) log(`false: ${found.join(' ')}`);
      marks.false += found.length;
      marks.plainPages += count;
    }
  }
  return marks;
}

export async function run(args: string[]): Promise<number | { code: number; measures: BenchmarkMeasure[] }> {
  const { values } = parseArgs({ args, options: { 'set-up': { type: 'string', multiple: true }, seen: { type: 'boolean' }, seed: { type: 'string' }, pages: { type: 'string' }, plain: { type: 'string' }, verbose: { type: 'boolean' } } });
  const how = { seed: Number(values.seed ?? usualSeed), scripted: Number(values.pages ?? usualPages.scripted), plain: Number(values.plain ?? usualPages.plain), verbose: values.verbose ?? false };
  const chosen = scriptSetUps.filter(({ name, seen }) => (values['set-up']?.includes(name) ?? true) && (values.seen !== true || seen));
  if (![how.seed, how.scripted, how.plain].every(Number.isSafeInteger) || chosen.length === 0) {
    console.error(usage);
    return 2;
  }
  const totals = new Map<boolean, Marks>();
  for (const setUp of chosen) {
    const marks = await measure(setUp, how);
    if (marks === null) {
      console.log(`${setUp.name}: ${setUp.program} or a font is missing.`);
      continue;
    }
    console.log(`${setUp.name.padEnd(22)} scripts ${marks.scripts.join(' of ')}, note marks ${marks.notes.join(' of ')}, linked ${marks.links.join(' of ')}, false ${marks.false}`);
    const total = totals.get(setUp.seen) ?? noMarks();
    for (const kind of ['scripts', 'notes', 'links'] as const) for (const place of [0, 1] as const) total[kind][place] += marks[kind][place];
    total.false += marks.false;
    totals.set(setUp.seen, total);
  }
  await closeEngine();
  const measures = [...totals].flatMap(([seen, total]) => {
    const which = `set-ups ${seen ? 'inspected' : 'only measured'}`;
    const shares = (['scripts', 'notes', 'links'] as const).map((kind): BenchmarkMeasure => ({ name: `${{ scripts: 'scripts', notes: 'note marks', links: 'notes linked' }[kind]}, ${which}`, value: total[kind][0] / total[kind][1], unit: 'of 1', better: 'more' }));
    return [...shares, { name: `false scripts, ${which}`, value: total.false, unit: 'scripts', better: 'less' } satisfies BenchmarkMeasure];
  });
  console.log(tableOf(measures));
  return { code: 0, measures };
}
