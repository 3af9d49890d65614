/** `lectern convert FILE...`: the pipeline of the service without the service; progress on standard error. */
import { copyFile, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Converter, createConverter } from '../app.js';
import { resolveSettings } from '../config.js';
import { convertDocumentInPool } from '../convert/convert-document-job.js';
import { defaultConvertOptions, type ConvertOptions } from '../convert/options.js';
import type { ConvertOutcome } from '../convert/request.js';
import type { ConversionProgress } from '../convert/result.js';
import { LecternError } from '../errors.js';
import { createLog } from '../log.js';
import type { Command } from './run.js';

const extensions = { md: '.md', json: '.json', html: '.html', text: '.txt', doctags: '.doctags' } as const;
type Format = keyof typeof extensions;

interface Wish {
  files: string[];
  formats: Format[];
  /** null: the one result goes to standard output. */
  directory: string | null;
  options: ConvertOptions;
}

const usage = 'usage: lectern convert FILE... [--to md,json,html,text,doctags] [-o DIRECTORY] [--pages FIRST-LAST] [--password WORD] [--images placeholder|embedded|referenced] [--keep-furniture]';

export const convert: Command = async (args, environment) => {
  const { values: settings, rest } = resolveSettings(args, environment);
  const wish = readWish(rest);
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort(new LecternError('cancelled')));
  const converter = createConverter(settings, createLog(settings.logLevel === 'info' ? 'warn' : settings.logLevel));
  const scratch = await mkdtemp(join(tmpdir(), 'lectern-'));
  let failed = 0;
  try {
    for (const [index, file] of wish.files.entries()) {
      const outcome = await convertFile(file, join(scratch, String(index)), wish, converter, controller.signal);
      if (outcome.status !== 'success' && outcome.status !== 'partial_success') failed++;
    }
  } finally {
    await converter.close();
    await rm(scratch, { recursive: true, force: true });
  }
  return failed === 0 ? 0 : 1;
};

function readWish(args: string[]): Wish {
  const { values, positionals } = parseWords(args);
  const formats = (values.to ?? ['md']).flatMap((list) => list.split(',')).map((word) => word.trim());
  const unknown = formats.find((format) => !Object.hasOwn(extensions, format));
  if (unknown !== undefined) throw new LecternError('invalid_request', `--to must be ${Object.keys(extensions).join(', ')}, not "${unknown}".`);
  const directory = values.output ?? null;
  if (positionals.length === 0) throw new LecternError('invalid_request', usage);
  const manyResults = positionals.length * formats.length > 1 || values.images === 'referenced';
  if (directory === null && manyResults) throw new LecternError('invalid_request', 'Several results need a directory: add -o DIRECTORY.');
  const options: ConvertOptions = {
    ...defaultConvertOptions,
    outputs: formats as Format[],
    pageRange: readPages(values.pages),
    imageExportMode: readImages(values.images),
    keepFurniture: values['keep-furniture'] ?? false,
    password: values.password ?? null,
  };
  return { files: positionals.map(expand), formats: formats as Format[], directory: directory === null ? null : expand(directory), options };
}

function parseWords(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        to: { type: 'string', multiple: true, short: 't' },
        output: { type: 'string', short: 'o' },
        pages: { type: 'string' },
        password: { type: 'string' },
        images: { type: 'string' },
        'keep-furniture': { type: 'boolean' },
      },
    });
  } catch (cause) {
    throw new LecternError('invalid_request', `${(cause as Error).message}\n${usage}`, { cause });
  }
}

function readPages(text: string | undefined): [number, number] {
  if (text === undefined) return defaultConvertOptions.pageRange;
  const match = /^(\d+)(?:-(\d*))?$/.exec(text);
  const first = Number(match?.[1]);
  const last = match?.[2] === undefined ? first : match[2] === '' ? Number.MAX_SAFE_INTEGER : Number(match[2]);
  if (match === null || first < 1 || last < first) throw new LecternError('invalid_request', `--pages must be like 3, 3-7 or 3-, not "${text}".`);
  return [first, last];
}

function readImages(text: string | undefined): ConvertOptions['imageExportMode'] {
  if (text === undefined) return 'placeholder';
  if (text === 'placeholder' || text === 'embedded' || text === 'referenced') return text;
  throw new LecternError('invalid_request', `--images must be placeholder, embedded or referenced, not "${text}".`);
}

function expand(path: string): string {
  return resolve(path.replace(/^~(?=\/|$)/, homedir()));
}

async function convertFile(file: string, scratch: string, wish: Wish, converter: Converter, signal: AbortSignal): Promise<ConvertOutcome> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) throw new LecternError('not_found', `${file} is no file.`);
  const name = basename(file);
  const job = { inputPath: file, filename: name, outputDirectory: scratch, options: wish.options };
  const outcome = await convertDocumentInPool(job, { ...converter.services, signal, onProgress: progressReporter(name) });
  clearProgress();
  for (const error of outcome.errors) process.stderr.write(`lectern: ${name}: ${error.error_message}\n`);
  await deliver(name, scratch, outcome, wish);
  return outcome;
}

async function deliver(name: string, scratch: string, outcome: ConvertOutcome, wish: Wish): Promise<void> {
  for (const format of wish.formats) {
    const produced = outcome.files[format];
    if (produced === undefined) continue;
    if (wish.directory === null) {
      const text = await readFile(join(scratch, produced));
      process.stdout.write(text);
      if (text.at(-1) !== 0x0a) process.stdout.write('\n');
      continue;
    }
    await mkdir(wish.directory, { recursive: true });
    await copyFile(join(scratch, produced), join(wish.directory, parse(name).name + extensions[format]));
  }
  for (const artifact of wish.directory === null ? [] : outcome.artifacts) {
    const target = join(wish.directory as string, artifact);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(scratch, artifact), target);
  }
}

/** A terminal gets one line that is written over; anything else a line a second at most. */
function progressReporter(name: string): (progress: ConversionProgress) => void {
  let lastAt = -Infinity;
  return ({ stage, pagesDone, pagesTotal }) => {
    const line = `${name}: ${stage} ${pagesDone}/${pagesTotal}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
    else if (performance.now() - lastAt >= 1000) process.stderr.write(line + '\n');
    else return;
    lastAt = performance.now();
  };
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}
