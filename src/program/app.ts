/** How the rooms are put together: the engine, the conversion workers, the task table and the HTTP layer over them. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { complete } from '../chat/complete.js';
import type { LecternError } from '../errors.js';
import { followRecovered } from '../http/conversion/callbacks.js';
import { createServer } from '../http/server.js';
import type { Log } from '../logging/log.js';
import { makeDirectory } from '../platform/make-directory.js';
import { packageVersion } from '../platform/package-files.js';
import type { Settings } from '../settings/settings.js';
import { createConverter, type Converter } from './converter.js';
import { openEntry } from './entry.js';
import { createLanguage, type Language } from './language-half.js';
import { conversionServices, openTasks, type Tasks } from './open-tasks.js';
import { startReadiness } from './readiness.js';
import { openSandbox } from './sandbox.js';
import { serviceMetrics } from './service-metrics.js';

export interface App {
  server: FastifyInstance;
  tasks: Tasks;
  /** Opens the addresses of the settings and returns them with the ports they got. Throws `address_in_use` with its likely owner. */
  listen(): Promise<string[]>;
  /** Resolves when the GPU is lost, with the failure; from then on the service is not ready, and its process should end. */
  deviceLost: Promise<LecternError>;
  /** Stops taking work, waits up to `waitMs` for what runs, and frees everything. What is unfinished goes on at the next start. */
  close(waitMs?: number): Promise<void>;
}

export interface AppOptions {
  /** Directories of models that the user asked for; while one cannot be read, the service is not ready. */
  namedModels?: readonly string[];
}

/** Throws `invalid_request` for settings with which nothing starts, `invalid_state` and `disk_full` for a state directory that cannot be used. */
export async function createApp(settings: Settings, log: Log, { namedModels = [] }: AppOptions = {}): Promise<App> {
  // First: settings that would let in the wrong clients start nothing.
  const entry = openEntry(settings, log);
  await makeDirectory(join(settings.state, 'tasks'), 'The state directory', 'make it this user\'s own (chown), or name another with --state', 0o700);
  const { converter, language } = await createHalves(settings, log, namedModels);
  const metrics = serviceMetrics(converter, language, entry, settings);
  const services = conversionServices({ settings, converter, language, log, onOutcome: metrics.count });
  let isClosing = false;
  // Before the tasks: documents of before a restart would keep all workers, and the service not ready, for as long as they take.
  const readiness = startReadiness({ converter, language, settings, namedModels, log, isClosing: () => isClosing });
  const tasks = await openTasks(settings, services, log).catch(async (cause: unknown) => {
    isClosing = true;
    // This cuts off the first reading of the model directories, which is then no failure of theirs.
    await language.close(0);
    await converter.close();
    throw cause;
  });
  followRecovered({ tasks, settings, log });
  const server = createServer({
    settings, tasks, log, gate: entry.gate,
    version: packageVersion(),
    abilities: readiness.abilities,
    workers: settings.workers,
    pageImages: converter.pageImages,
    textModels: () => converter.pages.textModels(),
    notReady: () => (isClosing ? 'The service is stopping.' : readiness.whyNot()),
    language: language.services,
    moreMetrics: metrics.lines,
  });
  const stopWatching = entry.watch();
  let closeListeners: () => Promise<void> = async () => {};
  return {
    server,
    tasks,
    deviceLost: converter.device.whenLost,
    listen: async () => {
      // Fastify's own listen would do it: routes answer only once the plugins are loaded.
      await server.ready();
      const listening = await entry.open(server.server);
      closeListeners = listening.close;
      return listening.addresses;
    },
    close: async (waitMs = 0) => {
      isClosing = true;
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

/** The half that converts and the half of language models, over one engine and one memory of models. */
async function createHalves(settings: Settings, log: Log, namedModels: readonly string[]): Promise<{ converter: Converter; language: Language }> {
  const converter = createConverter(settings, log, { filesDirectory: join(settings.state, 'workers') });
  try {
    const sandbox = openSandbox(settings, log);
    const language = createLanguage(settings, { engine: converter.models, sandbox, answer: (...asked) => complete(sandbox, ...asked), log, namedModels });
    converter.shareMemory(language);
    return { converter, language };
  } catch (thrown) {
    await converter.close();
    throw thrown;
  }
}
