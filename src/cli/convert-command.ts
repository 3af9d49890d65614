/** `lectern convert FILE...`: the pipeline of the service without the service, or through one. Progress on terminals only. */
import { readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, parse } from 'node:path';
import { Service, ServiceUnreachable } from '../client/service.js';
import { LecternError } from '../errors.js';
import { makeDirectory } from '../platform/make-directory.js';
import { makeOwnDirectory, sharedSparedMs } from '../platform/process-directory.js';
import { resolveSettings } from '../settings/settings.js';
import type { Command } from './command.js';
import type { ConversionWay, WrittenOutcome } from './conversion-way.js';
import { extensions, readConvertArguments, type ConvertArguments } from './convert-arguments.js';
import { serviceConversion } from './convert-by-service.js';
import { localConversion } from './convert-here.js';
import { progressLine } from './progress-line.js';
import { moveResult, requireNoInput, resultNames } from './result-places.js';
import { orderedMessages, sideBySide, type OrderedMessages } from './side-by-side.js';
import { saveStandardInput, standardInput, usualName } from './standard-input.js';
import { onStopSignal } from './stop-signals.js';

const exitFailed = 1;
const exitPartial = 3;

export const convert: Command = async (args, environment) => {
  const { values: settings, rest } = resolveSettings(args, environment);
  const asked = readConvertArguments(rest);
  const controller = new AbortController();
  const stop = (): void => controller.abort(new LecternError('cancelled'));
  onStopSignal(stop);
  const scratch = makeOwnDirectory({ parent: tmpdir(), prefix: 'lectern-convert', sparedMs: sharedSparedMs });
  const statuses = new Set<WrittenOutcome['status']>();
  let isNameless = false;
  try {
    const saved = join(scratch, 'input', asked.inputName ?? usualName);
    const wanted = { ...asked, files: asked.files.map((file) => (file === standardInput ? saved : file)) };
    const results = await prepareResults(wanted);
    if (wanted.files.includes(saved)) await saveStandardInput(saved, controller.signal);
    const way = wanted.url === null ? await localConversion(wanted, settings, controller.signal) : serviceConversion(new Service(wanted.url), wanted, controller.signal);
    const messages = orderedMessages(progressLine(), (sentence) => process.stderr.write(sentence));
    try {
      await sideBySide(way.order, way.atOnce, async (index) => {
        const status = await convertFile(index, results[index] as string, join(scratch, String(index)), wanted, way, messages);
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
async function prepareResults({ files, formats, directory }: ConvertArguments): Promise<string[]> {
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
async function convertFile(index: number, result: string, scratch: string, wanted: ConvertArguments, way: ConversionWay, messages: OrderedMessages): Promise<WrittenOutcome['status']> {
  const file = wanted.files[index] as string;
  const name = basename(file);
  const complainInTurn = (sentence: string): void => messages.say(index, complaint(name, sentence));
  try {
    const found = await stat(file).catch(() => null);
    if (found === null || !found.isFile()) throw new LecternError('not_found', `${file} is no file.`);
    const outcome = await way.convert(file, scratch, (text) => messages.show(index, `${name}: ${text}`));
    for (const error of outcome.errors) complainInTurn(error.error_message);
    await deliver(result, scratch, outcome, wanted);
    return outcome.status;
  } catch (thrown) {
    if (!(thrown instanceof LecternError) || thrown.code === 'cancelled' || thrown instanceof ServiceUnreachable) throw thrown;
    complainInTurn(thrown.message);
    return 'failure';
  } finally {
    messages.end(index);
    await rm(scratch, { recursive: true, force: true });
  }
}

function complain(name: string, sentence: string): void {
  process.stderr.write(complaint(name, sentence));
}

function complaint(name: string, sentence: string): string {
  return `lectern: ${name}: ${sentence}\n`;
}

async function deliver(result: string, scratch: string, outcome: WrittenOutcome, wanted: ConvertArguments): Promise<void> {
  for (const format of wanted.formats) {
    const produced = outcome.files[format];
    if (produced === undefined) continue;
    if (wanted.directory === null) await print(join(scratch, produced));
    else await moveResult(join(scratch, produced), join(wanted.directory, result + extensions[format]));
  }
  for (const artifact of wanted.directory === null ? [] : outcome.artifacts) await moveResult(join(scratch, artifact), join(wanted.directory as string, artifact));
}

async function print(path: string): Promise<void> {
  const text = await readFile(path);
  process.stdout.write(text);
  if (text.at(-1) !== 0x0a) process.stdout.write('\n');
}
