/** `lectern models`: opens what is installed for one of its verbs. */
import { openEngine } from '../engine/engine.js';
import { silentLog } from '../logging/lazy-log.js';
import { createVisionCatalogue } from '../models/vision-catalogue.js';
import { openCatalogue } from '../program/language-half.js';
import { resolveSettings } from '../settings/settings.js';
import { addModel } from './add-model.js';
import { checkModels } from './check-models.js';
import { isOn, textOption, type Command, type CommandInput } from './command.js';
import { importOllama } from './import-ollama.js';
import type { InstalledModels } from './installed-models.js';
import { listModels } from './list-models.js';
import { ownDirectory } from './own-directory.js';
import { pullInto } from './pull-model.js';
import { removeModel } from './remove-model.js';
import { showModel } from './show-model.js';

export const listCommand = withModels(async (models, input) => listModels(models, isOn(input, 'json')));
export const showCommand = withModels(async (models, input) => showModel(models, input.words[0] as string, isOn(input, 'json')));
export const checkCommand = withModels(async (models, input) => checkModels(models, input.words[0], isOn(input, 'json')));
export const pullCommand = withModels(async (models, input) => pullInto(models.catalogue, input.words[0] as string, ownDirectory(models.settings, textOption(input, 'into')), isOn(input, 'insecure')));
export const addCommand = withModels(async (models, input) => addModel(models.catalogue, {
  source: input.words[0] as string, directory: ownDirectory(models.settings, textOption(input, 'into')), name: textOption(input, 'name'), links: isOn(input, 'link'), sha256: textOption(input, 'sha256'),
}));
export const importCommand = withModels(async (models, input) => importOllama(models.catalogue, {
  names: input.words, from: textOption(input, 'from'), directory: ownDirectory(models.settings, textOption(input, 'into')), links: isOn(input, 'link'),
}));
export const removeCommand = withModels(async (models, input) => removeModel(models, input.words[0] as string, isOn(input, 'yes')));

function withModels(run: (models: InstalledModels, input: CommandInput) => Promise<number>): Command {
  return async (input) => {
    const { values: settings } = resolveSettings(input.settings, input.environment);
    const engine = openEngine(settings.preTokenizer === '' ? {} : { preTokenizer: settings.preTokenizer });
    try {
      return await run({ catalogue: openCatalogue(settings, engine, silentLog), vision: createVisionCatalogue({ directories: settings.models }), engine, settings }, input);
    } finally {
      await engine.close();
    }
  };
}
