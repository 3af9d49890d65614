/** Documents converted by this program and its own workers. */
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { convertDocumentInPool } from '../convert/task/document-attempts.js';
import { createLateLog } from '../logging/lazy-log.js';
import { type Converter, createConverter } from '../program/converter.js';
import type { Settings } from '../settings/settings.js';
import type { ConversionWay } from './conversion-way.js';
import { presetFailure } from './convert-arguments.js';
import type { ConvertOptions } from '../convert/options.js';
import { bar } from './progress-line.js';
import { largestFirst, documentsAtOnce } from './side-by-side.js';

/** Throws `invalid_request` where the reader of text that the user named is not installed. */
export async function localConversion(files: string[], options: ConvertOptions, settings: Settings, signal: AbortSignal): Promise<ConversionWay> {
  // Workers that end because their user has had enough are not reported.
  const log = createLateLog(settings.logLevel === 'info' ? 'warn' : settings.logLevel, () => signal.aborted);
  // None is spare: what has nothing to do would only start for nothing.
  const { services, pages, close } = createConverter(settings, log, { spareWorkers: 0, logsModels: false });
  await requireReader(options.ocrPreset, pages).catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });
  const sizes = await Promise.all(files.map((file) => stat(file).then(({ size }) => size, () => 0)));
  const atOnce = documentsAtOnce(sizes, Math.min(settings.workers, availableParallelism()));
  return {
    close,
    atOnce,
    order: atOnce === 1 ? [...sizes.keys()] : largestFirst(sizes),
    convert: (file, scratch, show) => convertDocumentInPool({ inputPath: file, filename: basename(file), outputDirectory: scratch, options }, {
      ...services, signal, onProgress: ({ stage, pagesDone, pagesTotal }) => show(`${stage} ${bar(pagesDone, pagesTotal)}`),
    }),
  };
}

/** Ours is none of the installed ones: it is there for every other word. */
async function requireReader(preset: string, pages: Converter['pages']): Promise<void> {
  if (preset === 'auto' || preset === 'tesseract') return;
  const names = (await pages.textModels()).map(({ name }) => name);
  if (!names.some((name) => name.toLowerCase() === preset.toLowerCase())) throw presetFailure(preset, names);
}
