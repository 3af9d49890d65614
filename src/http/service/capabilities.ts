/** What this service can do, in the contract's form: the body of GET /v1/capabilities, by which clients choose options, and its description. */
import { flag, integer, list, mapOf, nullable, decimal, text } from '../conversion/kinds.js';
import { field, model } from '../conversion/models.js';
import { imageRefMode } from '../conversion/option-models.js';
import { madeFormats, ocrPresets } from '../conversion/option-table.js';
import type { HttpSettings } from '../settings.js';

interface Preset {
  id: string;
  name: string;
  description: string | null;
  source: 'default' | 'docling' | 'custom';
}

interface Stage {
  /** The option that names a preset. */
  option: string;
  /** The option that describes another model; null where none is taken. */
  custom_config_option: null;
  default: string;
  presets: Preset[];
}

const usual: Preset = { id: 'default', name: 'Lectern', description: 'What the service has.', source: 'default' };

/** A stage with the one way that there is here. */
const onlyDefault = (option: string): Stage => ({ option, custom_config_option: null, default: 'default', presets: [usual] });

function stages(textModels: readonly string[]): Record<string, Stage> {
  const engines = ocrPresets.map((id): Preset => ({ id, name: id, description: null, source: 'docling' }));
  const models = textModels.map((id): Preset => ({ id, name: id, description: 'An installed model.', source: 'custom' }));
  return {
    ocr: { option: 'ocr_preset', custom_config_option: null, default: 'auto', presets: [...engines, ...models] },
    layout: onlyDefault('layout_preset'),
    table_structure: onlyDefault('table_structure_preset'),
    code_formula: onlyDefault('code_formula_preset'),
    chunking: onlyDefault('chunking_preset'),
  };
}

/** `versions` is the body of /version, or empty; `needsKey` says that the caller is let in by a key only. Stages that the service does not have (descriptions and classes of pictures, charts, pages read by vision-language models) are absent. */
export function capabilities(settings: HttpSettings, versions: Record<string, string>, textModels: readonly string[], needsKey: boolean): object {
  const { documentTimeout, maxImagesScale, maxFiles, maxPages, maxFileSize, httpSources } = settings;
  return {
    versions,
    stages: stages(textModels),
    sources: httpSources.length > 0 ? ['file', 'http'] : ['file'],
    targets: { allowed: ['inbody', 'zip'], default: 'inbody' },
    output_formats: madeFormats,
    image_export_modes: [...imageRefMode.words].sort(),
    limits: {
      max_document_timeout: documentTimeout, max_images_scale: maxImagesScale, max_sources_per_request: maxFiles,
      max_num_pages: maxPages < Number.MAX_SAFE_INTEGER ? maxPages : null, max_file_size: maxFileSize,
    },
    features: { api_key_required: needsKey, artifact_storage: false, websocket: true },
  };
}

const preset = model('PresetInfo', 'A preset of a stage.', {
  id: field(text, 'What the option takes.'),
  name: field(text, 'A name for people.'),
  description: field(nullable(text), 'What it is.', null),
  source: field(text, 'Where it comes from: default, docling or custom.'),
});
const stage = model('StageCapabilities', 'What a stage of the conversion takes.', {
  option: field(text, 'The option that names a preset.'),
  custom_config_option: field(nullable(text), 'The option that describes another model; always null here.', null),
  default: field(nullable(text), 'The preset that is used where none is named.'),
  presets: field(list(preset), 'The presets.'),
});

/** For `describeApi`. */
export const capabilitiesResponse = model('CapabilitiesResponse', 'What the service can do.', {
  versions: field(mapOf(text), 'Versions, as /version has them.', {}),
  stages: field(mapOf(stage), 'Stages of the conversion by their names.'),
  sources: field(list(text), 'Kinds of sources that are accepted.'),
  targets: field(model('TargetCapabilities', 'Kinds of targets.', {
    allowed: field(list(text), 'Those that are accepted.'),
    default: field(text, 'The one that counts where none is named.'),
  }), 'Kinds of targets.'),
  output_formats: field(list(text), 'Formats that are made.'),
  image_export_modes: field(list(text), 'Ways of showing pictures.'),
  limits: field(model('LimitsCapabilities', 'Limits of requests; null for none.', {
    max_document_timeout: field(nullable(decimal()), 'Seconds.'),
    max_images_scale: field(nullable(decimal()), 'Scale of pictures.'),
    max_sources_per_request: field(nullable(integer()), 'Documents.'),
    max_num_pages: field(nullable(integer()), 'Pages of a document.', null),
    max_file_size: field(nullable(integer()), 'Bytes of a document.', null),
  }), 'Limits.'),
  features: field(model('FeatureCapabilities', 'What else there is.', {
    api_key_required: field(flag, 'Whether the caller needs a key for everything else.'),
    artifact_storage: field(flag, 'Whether results can go to a store: not here.'),
    websocket: field(flag, 'Whether a WebSocket reports the status of tasks.', true),
  }), 'What else there is.'),
});
