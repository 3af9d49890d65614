/** The language half of the service: catalogue, residency and slots over one engine, and how it ends. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countPrompt, promptTokens } from '../chat/count.js';
import { parseGo } from '../chat/prompt/go-template/parser.js';
import type { Sandbox } from '../chat/sandbox/sandbox.js';
import type { DeviceInfo, LanguageEngine } from '../engine/port.js';
import type { LanguageServices } from '../http/language.js';
import { ResponseStore } from '../http/openai/response-store.js';
import { LanguageMeter } from '../http/service/language-metrics.js';
import type { Log } from '../logging/log.js';
import { type LanguageSettings, type ModelEngine, modelsLog, openMemory } from './model-memory.js';
import { createCatalogue } from '../models/catalogue.js';
import { createSlots } from '../models/slots.js';
import type { Catalogue, DistantResidency, VisionResidency } from '../models/types.js';
import { systemClock } from '../tasks/clock.js';

export interface Language {
  services: LanguageServices;
  /** Vision models share the memory of the language models. */
  vision: VisionResidency;
  /** So do the networks of conversion workers, where models live in the host's memory; on a GPU they have half of the host's. */
  workers: DistantResidency;
  /** Prometheus text. */
  metrics(): string;
  /** Takes nothing new, gives answers under way up to `waitMs`, ends the rest and, once `pagesDone` has settled, unloads all models: until then pages have theirs. */
  close(waitMs: number, pagesDone?: Promise<unknown>): Promise<void>;
}

/** For a command, which may take its time: templates are checked in this process. */
export function openCatalogue({ models, aliases }: Pick<LanguageSettings, 'models' | 'aliases'>, engine: Pick<LanguageEngine, 'describeModel'>, log: Log): Catalogue {
  return createCatalogue({ directories: models, aliases, engine, checkTemplate: async (source) => void parseGo(source), log: modelsLog(log) });
}

/** None where a GPU is lost: the other metrics are reported all the same. */
function devicesThatAnswer(engine: ModelEngine): DeviceInfo[] {
  try {
    return engine.devices();
  } catch {
    return [];
  }
}

export interface LanguageParts {
  engine: ModelEngine;
  /** Ends with the language half. */
  sandbox: Sandbox;
  answer: LanguageServices['answer'];
  log: Log;
  /** Directories of models that the user asked for. */
  namedModels?: readonly string[];
}

/** Throws `invalid_request` where the settings ask for a device that is not there. */
export function createLanguage(settings: LanguageSettings, { engine, sandbox, answer, log, namedModels = [] }: LanguageParts): Language {
  let isClosing = false;
  // The end of the service cuts off a reading of the models, which is then no failure of theirs.
  const logModels = modelsLog(log);
  const catalogue = createCatalogue({
    directories: settings.models, named: namedModels, aliases: settings.aliases, engine, checkTemplate: (source) => sandbox.checkGoTemplate(source), log: (level, message, cause) => { if (!isClosing) logModels(level, message, cause); },
  });
  const memory = openMemory(settings, engine, log);
  const { models: residency, workers, short } = memory;
  if (short !== null) logModels('warn', short);
  const turns = settings.turnTokens > 0 ? { turnTokens: settings.turnTokens } : {};
  const slots = createSlots({ slots: settings.slots, maxQueue: settings.modelQueue, ...turns, clock: systemClock });
  const embeddingSlots = createSlots({ slots: settings.embeddingSlots, maxQueue: settings.modelQueue, clock: systemClock });
  const meter = new LanguageMeter();
  return {
    vision: residency,
    workers,
    services: {
      catalogue, residency, need: (entry) => residency.need(entry), vision: { listVision: () => residency.listVision(), listDistant: () => workers.listDistant() }, slots, embeddingSlots, readJson: (pieces) => sandbox.readJson(pieces),
      answer: meter.measured(answer), countPrompt: (lease, conversation, signal) => countPrompt(sandbox, lease, conversation, signal, new Date()),
      promptTokens: (lease, conversation, signal) => promptTokens(sandbox, lease, conversation, signal, new Date()), embedsTokenIds: settings.embedTokenIds,
      responses: settings.storedResponses === 0 ? null : new ResponseStore({ directory: join(settings.state, 'responses'), most: settings.storedResponses, log, readJson: (pieces) => sandbox.readJson(pieces) }),
      now: () => new Date(),
    },
    metrics: () => meter.lines({ slots, embeddingSlots, residency, workers, devices: () => devicesThatAnswer(engine) }),
    close: async (waitMs, pagesDone = Promise.resolve()) => {
      isClosing = true;
      const drained = Promise.all([slots.close(), embeddingSlots.close()]);
      const enough = new AbortController();
      await Promise.race([drained, sleep(waitMs, undefined, { signal: enough.signal }).catch(() => undefined)]);
      enough.abort();
      await pagesDone.catch(() => undefined);
      // Closing a model ends what is still written with it.
      await memory.close();
      await drained;
      await sandbox.close();
    },
  };
}
