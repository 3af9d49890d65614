/** `lectern convert FILE...`: the pipeline of the service without the service, or through one. Progress on terminals only. */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, parse } from 'node:path';
import { convertByService } from '../client/convert-document.js';
import { Service, ServiceUnreachable } from '../client/service.js';
import { resolveSettings } from '../settings/settings.js';
import { type Converter, createConverter } from '../program/converter.js';
import { convertDocumentInPool } from '../convert/task/document-job.js';
import type { ConvertOutcome } from '../convert/request.js';
import { LecternError } from '../errors.js';
import { createLateLog } from '../logging/lazy-log.js';
import { makeDirectory } from '../platform/make-directory.js';
import { makeOwnDirectory, sharedSparedMs } from '../platform/process-directory.js';
import { extensions, presetFailure, readWish, type Wish } from './convert-arguments.js';
import { bar, progressLine } from './progress-line.js';
import { put, requireNoInput, resultNames } from './result-places.js';
import type { Command } from './run.js';
import { createTelling, largestFirst, sideBySide, type Telling, worthAtOnce } from './side-by-side.js';
import { saveStandardInput, standardInput, usualName } from './standard-input.js';
import { onStopSignal } from './stop-signals.js';

const exitFailed = 1;
const exitPartial = 3;

type Outcome = Pick<ConvertOutcome, 'status' | 'errors' | 'files' | 'artifacts'>;

/** Writes the results of one file into `scratch`. */
interface Way {
  /** Documents that it converts at a time, and the order in which they begin. */
  atOnce: number;
  order: number[];
  convert(file: string, scratch: string, tell: (text: string) => void): Promise<Outcome>;
  close(): Promise<void>;
}

export const convert: Command = async (args, environment) => {
  const { values: settings, rest } = resolveSettings(args, environment);
  const asked = readWish(rest);
  const controller = new AbortController();
  const stop = (): void => controller.abort(new LecternError('cancelled'));
  onStopSignal(stop);
  const scratch = makeOwnDirectory({ parent: tmpdir(), prefix: 'lectern-convert', sparedMs: sharedSparedMs });
  const statuses = new Set<Outcome['status']>();
  let isNameless = false;
  try {
    const saved = join(scratch, 'input', asked.inputName ?? usualName);
    const wish = { ...asked, files: asked.files.map((file) => (file === standardInput ? saved : file)) };
    const results = await prepareResults(wish);
    if (wish.files.includes(saved)) await saveStandardInput(saved, controller.signal);
    const way = wish.url === null ? await here(wish, settings, controller.signal) : byService(new Service(wish.url), wish, controller.signal);
    const telling = createTelling(progressLine(), (sentence) => process.stderr.write(sentence));
    try {
      await sideBySide(way.order, way.atOnce, async (index) => {
        const status = await convertFile(index, results[index] as string, join(scratch, String(index)), wish, way, telling);
        statuses.add(status);
        isNameless ||= status === 'skipped' && asked.files[index] === standardInput && asked.inputName === null;
        controller.signal.throwIfAborted();
      }, stop);
    } finally {
      await way.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  if (isNameless) complain(usualName, 'its bytes do not tell a format: --name does, as --name notes.md.');
  if (statuses.has('failure') || statuses.has('skipped')) return exitFailed;
  return statuses.has('partial_success') ? exitPartial : 0;
};

/** The names of the results without their endings; with a directory for them, when they are to lie in one. */
async function prepareResults({ files, formats, directory }: Wish): Promise<string[]> {
  const endings = formats.map((format) => extensions[format]);
  const names = resultNames(files, endings);
  if (directory === null) return names;
  await requireDirectory(directory);
  await requireNoInput(files, directory, names.flatMap((name) => endings.map((ending) => name + ending)));
  await makeDirectory(directory, 'The directory', 'name another with -o');
  for (const [index, name] of names.entries()) {
    const file = files[index] as string;
    if (name !== parse(file).name) complain(file, `the result is ${name}${endings[0]}, since another document's is ${parse(file).name}${endings[0]}.`);
  }
  return names;
}

/** Other programs take a file here, and a directory of that name would be a surprise. */
async function requireDirectory(directory: string): Promise<void> {
  const isFileName = Object.values(extensions).some((ending) => directory.endsWith(ending));
  if (!isFileName || await stat(directory).catch(() => null) !== null) return;
  throw new LecternError('invalid_request', `-o names a directory, and ${basename(directory)} would be a file: > ${basename(directory)} writes one.`);
}

/** One document that cannot be had does not keep the others from being converted. Its results are there as soon as it is done. */
async function convertFile(index: number, result: string, scratch: string, wish: Wish, way: Way, telling: Telling): Promise<Outcome['status']> {
  const file = wish.files[index] as string;
  const name = basename(file);
  const complainInTurn = (sentence: string): void => telling.say(index, complaint(name, sentence));
  try {
    const found = await stat(file).catch(() => null);
    if (found === null || !found.isFile()) throw new LecternError('not_found', `${file} is no file.`);
    const outcome = await way.convert(file, scratch, (text) => telling.show(index, `${name}: ${text}`));
    for (const error of outcome.errors) complainInTurn(error.error_message);
    await deliver(result, scratch, outcome, wish);
    return outcome.status;
  } catch (thrown) {
    if (!(thrown instanceof LecternError) || thrown.code === 'cancelled' || thrown instanceof ServiceUnreachable) throw thrown;
    complainInTurn(thrown.message);
    return 'failure';
  } finally {
    telling.end(index);
    await rm(scratch, { recursive: true, force: true });
  }
}

function complain(name: string, sentence: string): void {
  process.stderr.write(complaint(name, sentence));
}

function complaint(name: string, sentence: string): string {
  return `lectern: ${name}: ${sentence}\n`;
}

async function here(wish: Wish, settings: ReturnType<typeof resolveSettings>['values'], signal: AbortSignal): Promise<Way> {
  // Workers that end because their user has had enough are nothing to tell of.
  const log = createLateLog(settings.logLevel === 'info' ? 'warn' : settings.logLevel, () => signal.aborted);
  // None is spare: what has nothing to do would only start for nothing.
  const { services, pages, close } = createConverter(settings, log, { spareWorkers: 0, tellsOfModels: false });
  await requireReader(wish.options.ocrPreset, pages).catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });
  const sizes = await Promise.all(wish.files.map((file) => stat(file).then(({ size }) => size, () => 0)));
  const atOnce = worthAtOnce(sizes, Math.min(settings.workers, availableParallelism()));
  return {
    close,
    atOnce,
    order: atOnce === 1 ? [...sizes.keys()] : largestFirst(sizes),
    convert: (file, scratch, tell) => convertDocumentInPool({ inputPath: file, filename: basename(file), outputDirectory: scratch, options: wish.options }, {
      ...services, signal, onProgress: ({ stage, pagesDone, pagesTotal }) => tell(`${stage} ${bar(pagesDone, pagesTotal)}`),
    }),
  };
}

/** Ours is none of the installed ones: it is there for every other word. */
async function requireReader(preset: string, pages: Converter['pages']): Promise<void> {
  if (preset === 'auto' || preset === 'tesseract') return;
  const names = (await pages.textModels()).map(({ name }) => name);
  if (!names.some((name) => name.toLowerCase() === preset.toLowerCase())) throw presetFailure(preset, names);
}

function byService(service: Service, wish: Wish, signal: AbortSignal): Way {
  const { pageRange, imageExportMode, keepFurniture, keepNotes, password, ocrLanguages, ocrPreset } = wish.options;
  const fields = {
    to_formats: wish.formats, page_range: pageRange.map(String), image_export_mode: imageExportMode, keep_furniture: String(keepFurniture), keep_notes: String(keepNotes),
    ocr_preset: ocrPreset, ...(ocrLanguages.length === 0 ? {} : { ocr_lang: ocrLanguages }),
    ...(password === null ? {} : { pdf_password: password }),
  };
  return {
    close: async () => undefined,
    // A service has other callers.
    atOnce: 1,
    order: [...wish.files.keys()],
    convert: async (file, scratch, tell) => {
      const bytes = await readFile(file).catch((cause: unknown) => {
        throw new LecternError('forbidden', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
      });
      tell('sending');
      const { status, errors, document } = await convertByService(service, { name: basename(file), bytes: Uint8Array.from(bytes) }, {
        fields, signal,
        onProgress: ({ stage, position, pagesDone, pagesTotal }) => tell(position === null ? `${stage} ${bar(pagesDone, pagesTotal)}` : `waits, place ${position}`),
      });
      await mkdir(scratch);
      const files: Outcome['files'] = {};
      for (const format of wish.formats) {
        const content = document[`${format}_content`];
        if (content === null || content === undefined) continue;
        files[format] = `document${extensions[format]}`;
        await writeFile(join(scratch, files[format]), typeof content === 'string' ? content : JSON.stringify(content));
      }
      return { status, errors: errors as Outcome['errors'], files, artifacts: [] };
    },
  };
}

async function deliver(result: string, scratch: string, outcome: Outcome, wish: Wish): Promise<void> {
  for (const format of wish.formats) {
    const produced = outcome.files[format];
    if (produced === undefined) continue;
    if (wish.directory === null) await print(join(scratch, produced));
    else await put(join(scratch, produced), join(wish.directory, result + extensions[format]));
  }
  for (const artifact of wish.directory === null ? [] : outcome.artifacts) await put(join(scratch, artifact), join(wish.directory as string, artifact));
}

async function print(path: string): Promise<void> {
  const text = await readFile(path);
  process.stdout.write(text);
  if (text.at(-1) !== 0x0a) process.stdout.write('\n');
}
