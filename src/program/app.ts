/** How the rooms are put together: the engine, the conversion workers, the task table and the HTTP layer over them. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { complete } from '../chat/complete.js';
import type { Settings } from '../settings/settings.js';
import { type ConversionServices, runConversionTask } from '../convert/task/conversion-task.js';
import type { Vocabulary } from '../convert/request.js';
import type { ConversionMeta, ConversionPayload, ConversionSummary } from '../convert/task/payload.js';
import { type Converter, createConverter } from './converter.js';
import { asDiskFull, DiskFull } from '../platform/disk-full.js';
import { answerEngineCall } from '../engine/remote.js';
import { errorTable, LecternError } from '../errors.js';
import { followRecovered } from '../http/conversion/callbacks.js';
import { Gate } from '../http/caller.js';
import type { Abilities } from '../http/dependencies.js';
import { createFetchRemote } from '../http/outbound/fetch-document.js';
import { createServer } from '../http/server.js';
import { ConversionMeter, workerLines } from '../http/service/conversion-metrics.js';
import { reloadLines } from '../http/service/metrics.js';
import { createLanguage, type Language } from './language-half.js';
import { chooseTokenizer } from '../models/tokenizer.js';
import { listenOn, type Listening } from '../network/listen.js';
import type { Log } from '../logging/log.js';
import { makeDirectory, unwritableDirectory } from '../platform/make-directory.js';
import { unreadableDirectory } from '../models/unreadable.js';
import { carriedConnections } from '../network/connection-limit.js';
import { packageVersion } from '../platform/package-files.js';
import { createTaskTable } from '../tasks/table.js';
import type { TaskTable } from '../tasks/types.js';
import { openTlsFiles, type TlsFiles } from '../network/tls-files.js';

/** Whether workers can read pictures of text; the log says by what, or why not. */
async function findRecogniser({ pool, services }: Converter, log: Log): Promise<boolean> {
  const limits = { silenceMs: services.limits.pageMs, totalMs: services.limits.pageMs };
  const found = await pool.run<object, { name: string } | { reason: string }>('recogniser', {}, {
    limits, onCall: (call) => answerEngineCall(services.engine, call.verb, call.request, { signal: call.signal, directory: call.scratchDirectory }),
  });
  const able = 'name' in found;
  log.info({ room: 'convert' }, able ? `Pictures of text are read by ${found.name}.` : `Pictures of text are not read: ${found.reason}.`);
  return able;
}

function tlsOf({ tlsCertificate: certificate, tlsKey: key }: Settings): TlsFiles | undefined {
  if (certificate === null && key === null) return undefined;
  if (certificate === null || key === null) throw new LecternError('invalid_request', '--tls-certificate and --tls-key go together.');
  return openTlsFiles(certificate, key);
}

/** Throws `invalid_request` for settings of addresses, access list and certificate with which nothing starts. */
export function checkEntry(settings: Settings): void {
  new Gate(settings);
  tlsOf(settings);
}

export interface App {
  server: FastifyInstance;
  tasks: Tasks;
  /** Opens the addresses of the settings; answers them with the ports they got. Throws `address_in_use` with its likely owner. */
  listen(): Promise<string[]>;
  /** Resolves when the GPU is lost, with the failure; from then on the service is not ready, and its process should end. */
  deviceLost: Promise<LecternError>;
  /** Stops taking work, waits up to `waitMs` for what runs, and frees everything. What is unfinished goes on at the next start. */
  close(waitMs?: number): Promise<void>;
}

type Tasks = TaskTable<ConversionPayload, ConversionMeta, ConversionSummary>;

function openTasks(settings: Settings, services: ConversionServices, log: Log): Promise<Tasks> {
  return createTaskTable<ConversionPayload, ConversionMeta, ConversionSummary>({
    directory: join(settings.state, 'tasks'),
    concurrency: settings.workers,
    maxQueued: settings.queueSize,
    keepMs: settings.resultTtl * 1000,
    maxEnded: settings.maxResults,
    // Half for uploads, half for what becomes of them.
    maxEndedBytes: settings.spoolSize / 2,
    maxBytes: settings.spoolSize,
    run: (task, context) => runConversionTask(task, context, services),
    log: (level, message, cause) => log[level]({ room: 'tasks', err: cause }, message),
  });
}

/** A machine that was short of memory, say, has some again. */
const askAgainMs = 5_000;

/** What is found out while the service begins: whether a worker starts and reads pictures of text, and which models there are. */
function startUp(converter: Converter, language: Language, log: Log, closing: () => boolean): { abilities: Abilities; ready: () => boolean } {
  // Our network for text is shipped: until a worker says otherwise, pictures are read.
  const abilities = { textRecognition: true, formulas: true, code: false };
  let [workers, catalogue] = [false, false];
  const askWorkers = async (): Promise<void> => {
    while (!workers && !closing()) {
      try {
        abilities.textRecognition = await findRecogniser(converter, log);
        workers = true;
      } catch (err) {
        if (closing()) return;
        log.error({ err }, 'No conversion worker starts.');
        await wait(askAgainMs, undefined, { ref: false });
      }
    }
  };
  void askWorkers();
  // The first look at the models: later ones are quick, and the log says at once which files are left out.
  void Promise.all([language.services.catalogue.list(), converter.pages.textModels()])
    .catch((err: unknown) => log.error({ err }, 'The model directories cannot be read.'))
    .finally(() => { catalogue = true; });
  return { abilities, ready: () => workers && catalogue };
}

/** By the names that models have here. */
function vocabularyFinder({ services: { catalogue } }: Language): (name: string | null) => Promise<Vocabulary> {
  return async (name) => {
    const entry = await chooseTokenizer(catalogue, name);
    return { name: entry.name, path: entry.path };
  };
}

/** So that the loss of a GPU is noticed also while no model works on it. */
function askDevice(models: Converter['models']): void {
  try {
    models.devices();
  } catch {
    // Who watches the device has heard of it.
  }
}

/** The sentence of the 503; null when work is taken on. */
async function whyNotReady({ device, models }: Converter, started: boolean, state: string, namedModels: readonly string[]): Promise<string | null> {
  askDevice(models);
  if (device.lost() !== null) return errorTable.device_lost.sentence;
  const unwritable = await unwritableDirectory(join(state, 'tasks'), 'The state directory');
  if (unwritable !== null) return unwritable;
  return started ? unreadableDirectory(namedModels) : 'Models not yet loaded';
}

/** Of /metrics, beside those of the HTTP room. */
function linesOf({ pool }: Converter, language: Language, meter: ConversionMeter, files: Parameters<typeof reloadLines>[0]): string {
  return [meter.lines(), workerLines(pool.counts(), pool.residentBytes()), language.metrics(), reloadLines(files)].filter((lines) => lines !== '').join('\n');
}

function openAddresses({ server }: FastifyInstance, settings: Settings, tls: TlsFiles | undefined, log: Log): Promise<Listening> {
  const { connections: maxConnections, short } = carriedConnections(settings);
  if (short !== null) log.warn({}, `Connections: ${short.what}; ${short.advice}.`);
  const onTlsFailure = (err: unknown): void => log.error({ err }, 'The certificate changed and cannot be used; the old one stays.');
  return listenOn(server, settings.listen, { maxConnections, tls, onTlsFailure });
}

/** Numbers and a line for each document. Of what went wrong the kind alone: a sentence may name the file. */
function outcomesTo(meter: ConversionMeter, log: Log): NonNullable<ConversionServices['onOutcome']> {
  return (outcome, taskId) => {
    meter.count(outcome);
    const { format, status, pageCount: pages, recognisedPages, processingTimeS, errors } = outcome;
    const [first] = errors;
    const failure = first === undefined ? {} : { errors: errors.length, firstError: [first.component_type, first.module_name, first.category].filter((word) => word !== '').join(' ') };
    log.info({ room: 'convert', taskId, format, status, pages, recognisedPages, ms: Math.round(processingTimeS * 1000), ...failure }, 'a document ended');
  };
}

/** Why the tasks of a state directory cannot be opened, with what to do. */
function unopened(cause: unknown, state: string): unknown {
  if (asDiskFull(cause) instanceof DiskFull) return new DiskFull(`The disk of the state directory ${state} is full: free some space, or name another directory with --state.`, { cause });
  if (!(cause instanceof LecternError) || cause.code !== 'invalid_state') return cause;
  return new LecternError('invalid_state', `${cause.message} Another Lectern serves with it: stop that one, or name another directory with --state.`, { cause });
}

/** `namedModels`: directories of models that somebody asked for; while one cannot be read, the service is not ready. */
export async function createApp(settings: Settings, log: Log, { namedModels = [] }: { namedModels?: readonly string[] } = {}): Promise<App> {
  // First: settings that would let in the wrong ones start nothing.
  const gate = new Gate(settings);
  const tls = tlsOf(settings);
  await makeDirectory(join(settings.state, 'tasks'), 'The state directory', 'make it this user\'s own (chown), or name another with --state', 0o700);
  const converter = createConverter(settings, log);
  let language: Language;
  try {
    language = createLanguage(settings, { engine: converter.models, answer: complete, log, namedModels });
    converter.shareMemory(language);
  } catch (thrown) {
    await converter.close();
    throw thrown;
  }
  const meter = new ConversionMeter();
  const services = { ...converter.services, fetchRemote: createFetchRemote(settings), onOutcome: outcomesTo(meter, log), findVocabulary: vocabularyFinder(language) };
  let closing = false;
  // Before the tasks: documents of before a restart would keep all workers, and the service not ready, for as long as they take.
  const start = startUp(converter, language, log, () => closing);
  const tasks = await openTasks(settings, services, log).catch(async (cause: unknown) => {
    closing = true;
    // The look at the models, which this cuts off, finds nothing wrong with them.
    await language.close(0);
    await converter.close();
    throw unopened(cause, settings.state);
  });
  followRecovered({ tasks, settings, log });
  const server = createServer({
    settings, tasks, log, gate,
    version: packageVersion(),
    abilities: start.abilities,
    textModels: () => converter.pages.textModels(),
    notReady: () => (closing ? 'The service is stopping.' : whyNotReady(converter, start.ready(), settings.state, namedModels)),
    language: language.services,
    moreMetrics: () => linesOf(converter, language, meter, { access_list: settings.accessList === null ? undefined : gate, certificate: tls }),
  });
  const stopWatching = gate.watch(
    (err) => log.error({ err }, 'The access list changed and cannot be used; the old one stays.'),
    () => log.info({ file: settings.accessList }, 'The access list changed and is in use.'),
  );
  let closeListeners: () => Promise<void> = async () => {};
  return {
    server,
    tasks,
    deviceLost: converter.device.whenLost,
    listen: async () => {
      // Its own listen would do it: routes answer only once the plugins are loaded.
      await server.ready();
      const listening = await openAddresses(server, settings, tls, log);
      closeListeners = listening.close;
      return listening.addresses;
    },
    close: async (waitMs = 0) => {
      closing = true;
      stopWatching();
      // Settles when the last connection ends, and a stream of tokens may be one: what runs is given its time meanwhile.
      const listenersClosed = closeListeners();
      const tasksEnded = tasks.close({ waitMs });
      await Promise.all([tasksEnded, language.close(waitMs, tasksEnded)]);
      await server.close();
      await listenersClosed;
      await converter.close();
    },
  };
}
