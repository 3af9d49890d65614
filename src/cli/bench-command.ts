/** `lectern bench [FILE...]`: how fast a running service is on this machine or another, and whether that is less than it was. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { measureService } from '../client/measure-service.js';
import { compare, jsonLines, parseLines, parseShare, readText, tableOf, usualLoss } from '../client/measures.js';
import { Service } from '../client/service.js';
import { LecternError } from '../errors.js';
import { progressLine } from './progress-line.js';
import { textOption, type Command } from './command.js';
import { exitCodes } from './exit-codes.js';

/** Measures of it, in files and comparisons. */
const bench = 'service';
const usualRounds = 5;

/** Exits 1 where the service is slower than the baseline by more than may be lost. */
export const benchCommand: Command = async (input) => {
  const { words: positionals, environment } = input;
  const values = Object.fromEntries(['url', 'model', 'rounds', 'lines', 'against', 'loss'].map((name) => [name, textOption(input, name)])) as Partial<Record<'url' | 'model' | 'rounds' | 'lines' | 'against' | 'loss', string>>;
  const rounds = Number(values.rounds ?? usualRounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new LecternError('invalid_request', `--rounds must be a whole number from 1 on, not "${values.rounds}".`);
  if (values.loss !== undefined && values.against === undefined) throw new LecternError('invalid_request', '--loss needs --against: it is what may be lost against a baseline.');
  const maxLoss = values.loss === undefined ? usualLoss : parseShare(values.loss);
  const before = values.against === undefined ? undefined : parseLines(readText(values.against), bench, values.against);
  const documents = positionals.map((path) => ({ name: basename(path), bytes: readDocument(path) }));
  const line = progressLine();
  const service = new Service(values.url ?? environment['LECTERN_URL']);
  const measures = await measureService(service, { documents, rounds, tell: (text) => line.show(text), ...(values.model === undefined ? {} : { model: values.model }) }).finally(() => line.clear());
  process.stdout.write(`${tableOf(measures)}\n`);
  if (values.lines !== undefined) writeFileSync(values.lines, jsonLines(bench, measures));
  if (before === undefined) return exitCodes.ok;
  const { lines, worse, missing } = compare(before, measures, maxLoss);
  process.stdout.write(`\nAgainst ${values.against}:\n${lines.join('\n')}\n${missing.map((name) => `${name}: not measured now\n`).join('')}`);
  return worse > 0 || missing.length > 0 ? exitCodes.findings : exitCodes.ok;
};

function readDocument(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(readFileSync(path));
  } catch (cause) {
    throw new LecternError('invalid_request', `${path} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}
