/** When the service takes on work: once a worker has started and the models are read, while the device is there and the state directory can be written. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { answerEngineCall } from '../engine/remote.js';
import { errorTable } from '../errors.js';
import type { Abilities } from '../http/dependencies.js';
import type { Log } from '../logging/log.js';
import { unreadableDirectory } from '../models/unreadable.js';
import { unwritableDirectory } from '../platform/make-directory.js';
import type { Settings } from '../settings/settings.js';
import type { Converter } from './converter.js';
import type { Language } from './language-half.js';

/** Until a worker is started again after a failure, in ms: a machine that was short of memory, say, has some again. */
const startAgainMs = 5_000;

export interface ReadinessParts {
  converter: Converter;
  language: Language;
  settings: Settings;
  /** Directories of models that the user asked for. */
  namedModels: readonly string[];
  log: Log;
  isClosing: () => boolean;
}

export interface Readiness {
  /** Updated once a worker has started. */
  abilities: Abilities;
  /** The sentence of the 503; null when work is taken on. */
  whyNot(): Promise<string | null>;
}

/** Starts a worker and reads the models, and reports from then on whether work is taken on. */
export function startReadiness(parts: ReadinessParts): Readiness {
  const { converter, settings, namedModels } = parts;
  const { abilities, hasStarted } = startUp(parts);
  return {
    abilities,
    whyNot: async () => {
      checkDevice(converter.models);
      if (converter.device.lost() !== null) return errorTable.device_lost.sentence;
      const unwritable = await unwritableDirectory(join(settings.state, 'tasks'), 'The state directory');
      if (unwritable !== null) return unwritable;
      return hasStarted() ? unreadableDirectory(namedModels) : 'Models not yet loaded';
    },
  };
}

/** What is found out while the service begins: whether a worker starts and reads pictures of text, and which models there are. */
function startUp({ converter, language, log, isClosing }: ReadinessParts): { abilities: Abilities; hasStarted: () => boolean } {
  // The network for text ships with the program: until a worker reports otherwise, pictures are read.
  const abilities = { textRecognition: true, formulas: true, code: false };
  let [hasWorker, hasCatalogue] = [false, false];
  const startWorker = async (): Promise<void> => {
    while (!hasWorker && !isClosing()) {
      try {
        abilities.textRecognition = await findRecogniser(converter, log);
        hasWorker = true;
      } catch (err) {
        if (isClosing()) return;
        log.error({ err }, 'No conversion worker starts.');
        await wait(startAgainMs, undefined, { ref: false });
      }
    }
  };
  void startWorker();
  // The first reading of the models: later ones are quick, and the log says at once which files are left out.
  void Promise.all([language.services.catalogue.list(), converter.pages.textModels()])
    .catch((err: unknown) => log.error({ err }, 'The model directories cannot be read.'))
    .finally(() => { hasCatalogue = true; });
  return { abilities, hasStarted: () => hasWorker && hasCatalogue };
}

/** Whether workers can read pictures of text; logs by what, or why not. */
async function findRecogniser({ pool, services }: Converter, log: Log): Promise<boolean> {
  const limits = { silenceMs: services.limits.pageMs, totalMs: services.limits.pageMs };
  const found = await pool.run<object, { name: string } | { reason: string }>('recogniser', {}, {
    limits, onCall: (call) => answerEngineCall(services.readers, call.verb, call.request, { signal: call.signal, directory: call.scratchDirectory }),
  });
  const isAble = 'name' in found;
  log.info({ room: 'convert' }, isAble ? `Pictures of text are read by ${found.name}.` : `Pictures of text are not read: ${found.reason}.`);
  return isAble;
}

/** So that the loss of a GPU is noticed also while no model works on it. */
function checkDevice(models: Converter['models']): void {
  try {
    models.devices();
  } catch {
    // The device's watch has recorded the failure.
  }
}
