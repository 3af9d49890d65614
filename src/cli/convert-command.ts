/** `lectern convert`: documents converted by this program, or by a running service. Progress on terminals only. */
import { access, constants, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Service, ServiceUnreachable } from '../client/service.js';
import { LecternError } from '../errors.js';
import { makeOwnDirectory, sharedSparedMs } from '../platform/process-directory.js';
import { resolveSettings } from '../settings/settings.js';
import type { Command } from './command.js';
import type { ConversionWay, WrittenOutcome } from './conversion-way.js';
import { readConvertArguments, severalResults, type ConvertArguments } from './convert-arguments.js';
import { serviceConversion } from './convert-by-service.js';
import { localConversion } from './convert-here.js';
import { ConvertReport } from './convert-report.js';
import { progressLine } from './progress-line.js';
import { deliver, isUpToDate, prepareResults } from './result-places.js';
import { orderedMessages, sideBySide, type OrderedMessages } from './side-by-side.js';
import { expandSources, fetchSource, printable, saveInput, type Source } from './sources.js';
import { onStopSignal } from './stop-signals.js';

export const convert: Command = async (input) => {
  const { values: settings } = resolveSettings(input.settings, input.environment);
  const wanted = readConvertArguments(input);
  const controller = new AbortController();
  const stop = (): void => controller.abort(new LecternError('cancelled'));
  onStopSignal(stop);
  const scratch = makeOwnDirectory({ parent: tmpdir(), prefix: 'lectern-convert', sparedMs: sharedSparedMs });
  const report = new ConvertReport(wanted.json);
  try {
    const { sources, leftOut } = await expandSources(wanted.words, join(scratch, 'input'), wanted.inputName);
    if (wanted.directory === null && sources.length > 1) throw severalResults();
    report.begin(sources.length, leftOut);
    const results = await prepareResults(sources, wanted);
    await saveInput(sources, controller.signal);
    const files = sources.map(({ path }) => path);
    const way = wanted.url === null ? await localConversion(files, wanted.options, settings, controller.signal) : serviceConversion(new Service(wanted.url), files, wanted, controller.signal);
    const messages = orderedMessages(progressLine(), (sentence) => process.stderr.write(sentence));
    const fetchInto = (source: Source): Promise<void> => fetchSource(source, settings.maxFileSize, controller.signal);
    try {
      await sideBySide(way.order, way.atOnce, async (index) => {
        const place = { source: sources[index] as Source, result: results[index] as string, scratch: join(scratch, String(index)) };
        await convertSource(index, place, { wanted, way, messages, report, fetchInto });
        controller.signal.throwIfAborted();
      }, stop);
    } finally {
      await way.close();
    }
  } catch (thrown) {
    if (thrown instanceof LecternError && thrown.code === 'cancelled') throw new LecternError('cancelled', `${thrown.message}${report.stopped()}`, { cause: thrown });
    throw thrown;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return report.end();
};

interface Surroundings {
  wanted: ConvertArguments;
  way: ConversionWay;
  messages: OrderedMessages;
  report: ConvertReport;
  fetchInto(source: Source): Promise<void>;
}

/** A document that cannot be had does not keep the others from being converted. Its results are there as soon as it is done. */
async function convertSource(index: number, { source, result, scratch }: { source: Source; result: string; scratch: string }, { wanted, way, messages, report, fetchInto }: Surroundings): Promise<void> {
  const name = printable(join(source.folder, basename(source.path)));
  const began = performance.now();
  const complain = (sentence: string): void => messages.say(index, `lectern: ${name}: ${sentence}\n`);
  const record = (status: WrittenOutcome['status'] | 'up_to_date', more: { results?: string[]; errors?: string[]; isMissing?: boolean } = {}): void =>
    report.add({ source: source.given, status, results: more.results ?? [], errors: more.errors ?? [], seconds: (performance.now() - began) / 1000, isMissing: more.isMissing ?? false });
  try {
    if (source.failure !== undefined) throw source.failure;
    if (wanted.resumes && source.kind === 'file' && await isUpToDate(source.path, result, wanted)) return record('up_to_date');
    if (source.kind === 'address') {
      messages.show(index, `${name}: fetching`);
      await fetchInto(source);
    }
    const found = await stat(source.path).catch(() => null);
    if (found === null || !found.isFile()) throw new LecternError('not_found', `${printable(source.path)} is no file.`);
    await access(source.path, constants.R_OK).catch((cause: Error) => { throw new LecternError('forbidden', 'It cannot be read: permission denied.', { cause }); });
    const outcome = await way.convert(source.path, scratch, (text) => messages.show(index, `${name}: ${text}`));
    const errors = outcome.errors.map(({ error_message }) => error_message);
    errors.forEach(complain);
    if (outcome.status === 'skipped' && source.kind === 'input' && wanted.inputName === null) complain('its bytes do not tell a format: --name does, as --name notes.md.');
    record(outcome.status, { results: await deliver(source, result, scratch, outcome, wanted), errors });
  } catch (thrown) {
    if (!(thrown instanceof LecternError) || thrown.code === 'cancelled' || thrown instanceof ServiceUnreachable) throw thrown;
    complain(thrown.message);
    record('failure', { errors: [thrown.message], isMissing: thrown.code === 'not_found' });
  } finally {
    messages.end(index);
    await rm(scratch, { recursive: true, force: true });
  }
}
