/** A GPU that is lost stays lost for its process: what ran has failed, nothing more is promised, and only a new process gets it back. */
import type { LanguageEngine, LanguageModel } from '../engine/port.js';
import type { VisionLoader, VisionModel } from '../engine/vision-port.js';
import { LecternError } from '../errors.js';

/** The exit code that tells the supervisor to start again (EX_TEMPFAIL of sysexits.h). */
export const exitDeviceLost = 75;

export interface DeviceWatch {
  /** The engine, whose failures are inspected on their way to the caller. */
  engine: LanguageEngine & Partial<VisionLoader>;
  /** What `ask` gives, which asks the device itself. Throws what it throws. */
  look<T>(ask: () => T): T;
  /** What the first such failure said; null while the device is there. */
  lost(): LecternError | null;
  /** Resolves with that failure, or never. */
  whenLost: Promise<LecternError>;
}

export function watchDevice(engine: LanguageEngine & Partial<VisionLoader>): DeviceWatch {
  let lost: LecternError | null = null;
  let tell: (failure: LecternError) => void = () => {};
  const whenLost = new Promise<LecternError>((resolve) => { tell = resolve; });
  const notice = (thrown: unknown): unknown => {
    if (lost === null && thrown instanceof LecternError && thrown.code === 'device_lost') tell(lost = thrown);
    return thrown;
  };
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      throw notice(thrown);
    }
  };
  const watchedModel = (model: LanguageModel): LanguageModel => ({
    info: model.info,
    generate: (prompt, options) => watched(model.generate(prompt, options)),
    embed: (input, options) => watched(model.embed(input, options)),
    rank: (query, document, options) => watched(model.rank(query, document, options)),
    tokenize: (prompt, options) => model.tokenize(prompt, options),
    countTokens: (prompt, options) => model.countTokens(prompt, options),
    tokenBytes: (id) => model.tokenBytes(id),
    close: () => model.close(),
  });
  const watchedVision = (model: VisionModel): VisionModel => ({
    weightBytes: model.weightBytes,
    readLines: (bitmap, options) => watched(model.readLines(bitmap, options)),
    findLayout: (bitmap, options) => watched(model.findLayout(bitmap, options)),
    findTableCells: (bitmap, options) => watched(model.findTableCells(bitmap, options)),
    classifyLines: (items, options) => watched(model.classifyLines(items, options)),
    close: () => model.close(),
  });
  const openVision = engine.openVision?.bind(engine);
  return {
    engine: {
      ...(openVision === undefined ? {} : { openVision: async (options) => watchedVision(await watched(openVision(options))) }),
      describeModel: (path, options) => engine.describeModel(path, options),
      memoryNeed: (path, shape) => watched(engine.memoryNeed(path, shape)),
      openModel: async (path, options) => watchedModel(await watched(engine.openModel(path, options))),
    },
    look: (ask) => {
      try {
        return ask();
      } catch (thrown) {
        throw notice(thrown);
      }
    },
    lost: () => lost,
    whenLost,
  };
}
