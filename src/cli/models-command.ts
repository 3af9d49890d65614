/** `lectern models`: lists what there is and what is refused, shows one model at length, checks whether they run, and pulls one from a registry. */
import { parseArgs } from 'node:util';
import { openEngine } from '../engine/engine.js';
import { LecternError } from '../errors.js';
import { silentLog } from '../logging/lazy-log.js';
import { createVisionCatalogue } from '../models/vision-catalogue.js';
import { openCatalogue } from '../program/language-half.js';
import { resolveSettings } from '../settings/settings.js';
import { checkModels } from './check-models.js';
import type { Command } from './command.js';
import { listModels } from './list-models.js';
import { pullDirectory, pullInto } from './pull-model.js';
import { showModel } from './show-model.js';
import { modelsUsage as usage } from './usage.js';
import { argumentError } from './argument-error.js';

export const models: Command = async (args, environment) => {
  const { values: settings, rest } = resolveSettings(args, environment);
  const { words: [verb = 'list', name, ...more], into, insecure } = readWords(rest);
  const names = { list: [0, 0], show: [1, 1], check: [0, 1], pull: [1, 1] } as Record<string, [least: number, most: number]>;
  const [least, most] = Object.hasOwn(names, verb) ? names[verb] as [number, number] : [1, 0];
  const count = (name === undefined ? 0 : 1) + more.length;
  if (count < least || count > most) throw new LecternError('invalid_request', usage);
  const engine = openEngine();
  try {
    const installed = { catalogue: openCatalogue(settings, engine, silentLog), vision: createVisionCatalogue({ directories: settings.models }), engine, settings };
    if (verb === 'list') return await listModels(installed);
    if (verb === 'show') return await showModel(installed, name as string);
    if (verb === 'check') return await checkModels(installed, name);
    return await pullInto(installed.catalogue, name as string, into ?? pullDirectory(settings.models), insecure);
  } finally {
    await engine.close();
  }
};

function readWords(args: string[]): { words: string[]; into: string | undefined; insecure: boolean } {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { into: { type: 'string' }, insecure: { type: 'boolean' } } });
    return { words: positionals, into: values.into, insecure: values.insecure ?? false };
  } catch (cause) {
    throw argumentError(cause, 'models');
  }
}
