/** The task table of conversions: what runs a task, how many are kept, and why a state directory cannot be opened. */
import { join } from 'node:path';
import type { Vocabulary } from '../convert/request.js';
import { type ConversionServices, runConversionTask } from '../convert/task/conversion-task.js';
import type { ConversionMeta, ConversionPayload, ConversionSummary } from '../convert/task/payload.js';
import { LecternError } from '../errors.js';
import { createFetchRemote } from '../http/outbound/fetch-document.js';
import type { Log } from '../logging/log.js';
import { chooseTokenizer } from '../models/tokenizer.js';
import { asDiskFull, DiskFull } from '../platform/disk-full.js';
import type { Settings } from '../settings/settings.js';
import { createTaskTable } from '../tasks/table.js';
import type { TaskTable } from '../tasks/types.js';
import { guestWorkers } from './conversion-pool.js';
import type { Converter } from './converter.js';
import type { Language } from './language-half.js';

export type Tasks = TaskTable<ConversionPayload, ConversionMeta, ConversionSummary>;

type ConversionOutcome = Parameters<NonNullable<ConversionServices['onOutcome']>>[0];

export interface ConversionParts {
  settings: Settings;
  converter: Converter;
  language: Language;
  log: Log;
  /** Called with what became of each document. */
  onOutcome: (outcome: ConversionOutcome) => void;
}

/** What a conversion task uses besides the workers: documents from other hosts, tokenizers by the names of models. */
export function conversionServices({ settings, converter, language, log, onOutcome }: ConversionParts): ConversionServices {
  return {
    ...converter.services,
    fetchRemote: createFetchRemote(settings),
    findVocabulary: vocabularyFinder(language),
    onOutcome: (outcome, taskId) => {
      onOutcome(outcome);
      logOutcome(outcome, taskId, log);
    },
  };
}

/** Rejects with `invalid_state` or DiskFull, with what to do, where the state directory cannot be used. */
export async function openTasks(settings: Settings, services: ConversionServices, log: Log): Promise<Tasks> {
  try {
    return await createTaskTable<ConversionPayload, ConversionMeta, ConversionSummary>({
      directory: join(settings.state, 'tasks'),
      concurrency: settings.workers,
      guests: guestWorkers,
      maxQueued: settings.queueSize,
      keepMs: settings.resultTtl * 1000,
      maxEnded: settings.maxResults,
      // Half for uploads, half for what becomes of them.
      maxEndedBytes: settings.spoolSize / 2,
      maxBytes: settings.spoolSize,
      run: (task, context) => runConversionTask(task, context, services),
      log: (level, message, cause) => log[level]({ room: 'tasks', err: cause }, message),
    });
  } catch (cause) {
    throw unopened(cause, settings.state);
  }
}

/** Why the tasks of a state directory cannot be opened, with what to do. */
function unopened(cause: unknown, state: string): unknown {
  if (asDiskFull(cause) instanceof DiskFull) return new DiskFull(`The disk of the state directory ${state} is full: free some space, or name another directory with --state.`, { cause });
  if (!(cause instanceof LecternError) || cause.code !== 'invalid_state') return cause;
  return new LecternError('invalid_state', `${cause.message} Another Lectern serves with it: stop that one, or name another directory with --state.`, { cause });
}

/** By the names that models have here. */
function vocabularyFinder({ services: { catalogue } }: Language): (name: string | null) => Promise<Vocabulary> {
  return async (name) => {
    const entry = await chooseTokenizer(catalogue, name);
    return { name: entry.name, path: entry.path };
  };
}

/** A line for each document. Of a failure only the kind: a sentence may name the file. */
function logOutcome({ format, status, pageCount: pages, recognisedPages, processingTimeS, errors }: ConversionOutcome, taskId: string, log: Log): void {
  const [first] = errors;
  const failure = first === undefined ? {} : { errors: errors.length, firstError: [first.component_type, first.module_name, first.category].filter((word) => word !== '').join(' ') };
  log.info({ room: 'convert', taskId, format, status, pages, recognisedPages, ms: Math.round(processingTimeS * 1000), ...failure }, 'a document ended');
}
