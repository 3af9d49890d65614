/** An engine whose loads and unloads end when the test says so. */
import type { LanguageEngine, LanguageModel, MemoryNeed, ModelShape, OpenModelOptions } from '../../src/engine/port.js';
import { LecternError } from '../../src/errors.js';
import type { Deferred } from './deferred.js';

export interface HandModel {
  weightBytes: number;
  /** Per position and slot. Default 0. */
  positionBytes?: number;
}

export interface HandLoad {
  path: string;
  options: OpenModelOptions;
  finish(): void;
  fail(error: LecternError): void;
}

export interface HandEngine extends Pick<LanguageEngine, 'memoryNeed' | 'openModel'> {
  /** Every load, in order. */
  loads: HandLoad[];
  /** Paths of what is open. */
  open: string[];
  /** Where set, closing waits for it. */
  closing: Deferred<void> | null;
  closes: number;
}

export function handEngine(models: Record<string, HandModel>): HandEngine {
  const need = (path: string, shape: ModelShape): MemoryNeed => {
    const model = models[path];
    if (model === undefined) throw new LecternError('invalid_model', `The file ${path} is no model.`);
    return { weightBytes: model.weightBytes, kvBytes: (model.positionBytes ?? 0) * (shape.context ?? 0) * (shape.slots ?? 1), workBytes: 0 };
  };
  const engine: HandEngine = {
    loads: [], open: [], closing: null, closes: 0,
    memoryNeed: async (path, shape) => need(path, shape),
    openModel: (path, options = {}) => new Promise((resolve, reject) => {
      options.signal?.addEventListener('abort', () => reject(new LecternError('cancelled')));
      const info = { embeds: false, ranks: false, slots: options.slots ?? 0, context: options.context ?? 0, vocabularySize: 0, embeddingLength: 0, need: need(path, options), endTokens: [] };
      const close = async (): Promise<void> => {
        engine.closes++;
        await engine.closing?.promise;
        engine.open.splice(engine.open.indexOf(path), 1);
      };
      const finish = (): void => {
        engine.open.push(path);
        resolve({ info, close } as unknown as LanguageModel);
      };
      engine.loads.push({ path, options, finish, fail: reject });
    }),
  };
  return engine;
}
