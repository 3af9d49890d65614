/** From what a client wrote to the converter's options: reading, the service's limits, and what will be ignored. */
import { measureJson } from '../../chat/sandbox/json-text.js';
import type { ConvertOptions, OutputFormat } from '../../convert/options.js';
import type { Abilities } from '../dependencies.js';
import { HttpFailure, invalid, type Issue, type Location } from '../error-reply.js';
import type { HttpSettings } from '../settings.js';
import { isRecord, type Kind } from './kinds.js';
import { checkExclusions } from './option-models.js';
import { dataFileOf, nearLanguages } from '../../convert/ocr/languages.js';
import { chartPresets, isOptionName, madeFormats, ocrPresets, optionNames, optionTable, type Option, type OptionName, type OptionValues } from './option-table.js';

/** Options as the client gave them: every value of its kind, defaults in place. */
export interface GivenOptions {
  values: OptionValues;
  /** Those the client named. */
  given: Set<OptionName>;
  /** Where the request holds something that is no option. */
  unknown: Location[];
  /** Where an option stands in the request, for issues about it. */
  at: Location;
}

const option = (name: OptionName): Option<unknown> => optionTable[name] as unknown as Option<unknown>;

/** `value` is the request's options object. undefined when issues were added. */
export function readJsonOptions(value: unknown, at: Location, issues: Issue[]): GivenOptions | undefined {
  if (!isRecord(value)) {
    issues.push({ type: 'model_attributes_type', loc: at, msg: 'Input should be a valid dictionary or object to extract fields from' });
    return undefined;
  }
  const given = new Set(optionNames.filter((name) => Object.hasOwn(value, name)));
  const read = readEach(given, (name) => value[name], at, issues);
  if (read === undefined) return undefined;
  return finish(read, given, Object.keys(value).filter((name) => !isOptionName(name)).map((name) => [...at, name]), at, issues);
}

/** `fields` holds every text field of the form; `others` are names that the form has beside the options. */
export function readFormOptions(fields: Map<string, string[]>, others: ReadonlySet<string>, issues: Issue[]): GivenOptions | undefined {
  const at = ['body'];
  const given = new Set(optionNames.filter((name) => isGivenInForm(option(name).kind, fields.get(name))));
  const values = new Map([...given].map((name) => [name, formValue(name, fields.get(name) as string[], issues)]));
  const before = issues.length;
  const read = readEach(new Set([...given].filter((name) => values.get(name) !== undefined)), (name) => values.get(name), at, issues);
  if (read === undefined || issues.length > before || [...values.values()].includes(undefined)) return undefined;
  const unknown = [...fields.keys()].filter((name) => !isOptionName(name) && !others.has(name)).map((name) => [...at, name]);
  // Programs fill in a whole form: a field that has its default counts as not sent.
  const meant = new Set([...given].filter((name) => JSON.stringify(read[name]) !== JSON.stringify(option(name).default)));
  return finish(read, meant, unknown, at, issues);
}

/** An empty text in a field of one value means its default; a repeated field takes it as an element. */
function isGivenInForm(kind: Kind<unknown>, texts: string[] | undefined): boolean {
  return texts !== undefined && (kind.repeated === true || texts.at(-1) !== '');
}

function formValue(name: OptionName, texts: string[], issues: Issue[]): unknown {
  const { kind } = option(name);
  if (kind.repeated) return texts;
  const text = texts.at(-1) as string;
  if (!kind.jsonText) return text;
  measureJson(Buffer.from(text));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    issues.push({ type: 'json_invalid', loc: ['body', name], msg: `Invalid JSON: ${(error as Error).message.slice(0, 200)}` });
    return undefined;
  }
}

function readEach(given: Set<OptionName>, valueOf: (name: OptionName) => unknown, at: Location, issues: Issue[]): OptionValues | undefined {
  const before = issues.length;
  const entries = optionNames.map((name) => {
    const { kind, default: fallback } = option(name);
    return [name, given.has(name) ? kind.read(valueOf(name), [...at, name], issues) : fallback];
  });
  return issues.length > before ? undefined : (Object.fromEntries(entries) as OptionValues);
}

/** Puts the older name of an option in the place of the newer one where only the older one is given, and checks which options exclude each other. */
function finish(values: OptionValues, given: Set<OptionName>, unknown: Location[], at: Location, issues: Issue[]): GivenOptions | undefined {
  if (given.has('ocr_engine') && !given.has('ocr_preset')) values.ocr_preset = values.ocr_engine;
  const found: Issue[] = [];
  checkExclusions(values, found);
  const [first] = found;
  if (first === undefined) return { values, given, unknown, at };
  issues.push({ ...first, loc: at });
  return undefined;
}

/** Python's way of writing a decimal, as the contract's sentences have it. */
function decimalText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Refuses what the service does not allow, in the contract's sentences. */
export function checkLimits({ values }: GivenOptions, settings: HttpSettings): void {
  const { document_timeout: timeout, images_scale: scale, ocr_preset: preset } = values;
  const refuse = (sentence: string): never => { throw new HttpFailure(422, sentence); };
  if (timeout !== null && timeout <= 0) refuse('document_timeout must be greater than 0.');
  if (timeout !== null && timeout > settings.documentTimeout) {
    refuse(`document_timeout exceeds the configured maximum of ${decimalText(settings.documentTimeout)} seconds.`);
  }
  if (scale <= 0) refuse('images_scale must be greater than 0.');
  if (scale > settings.maxImagesScale) refuse(`images_scale exceeds the configured maximum of ${decimalText(settings.maxImagesScale)}.`);
  const models = settings.textModels ?? [];
  if (!ocrPresets.includes(preset) && !models.some((name) => name.toLowerCase() === preset.toLowerCase())) {
    const presets = [...ocrPresets, ...models];
    refuse(`ocr_preset '${preset.slice(0, 100)}' is not allowed. Allowed values: [${presets.map((one) => `'${one}'`).join(', ')}].`);
  }
  checkChartModel(values, refuse);
  const strange = (values.ocr_lang ?? []).find((code) => code !== '' && dataFileOf(code) === null);
  if (strange !== undefined) refuse(`ocr_lang '${strange.slice(0, 100)}' is not known. Near values: [${nearLanguages(strange).map((one) => `'${one}'`).join(', ')}].`);
  if (values.vlm_pipeline_custom_config !== null && Object.keys(values.vlm_pipeline_custom_config).length > 0) {
    refuse('Custom VLM configuration is disabled by server policy.');
  }
}

function checkChartModel({ chart_extraction_preset: preset, chart_extraction_custom_config: config }: OptionValues, refuse: (sentence: string) => never): void {
  if (preset !== null && preset !== '' && !chartPresets.includes(preset)) {
    refuse(`chart_extraction_preset '${preset.slice(0, 100)}' is not allowed. Allowed values: [${chartPresets.map((one) => `'${one}'`).join(', ')}].`);
  }
  if (config !== null && Object.keys(config).length > 0) refuse('Custom chart extraction configuration is disabled by server policy.');
}

/** Whether both names of the option are given and the older one, which then does not count, says something else. */
function isOverruled(name: OptionName, { given, values }: GivenOptions): boolean {
  return name === 'ocr_engine' && given.has('ocr_preset') && values.ocr_engine !== values.ocr_preset;
}

/**
 * Names of what the client asked for and will not get: unknown names and values that cannot be honoured. Under the strict
 * setting throws 422 instead.
 */
export function findIgnored(options: GivenOptions, abilities: Abilities, strict: boolean): string[] {
  const unmet = [...options.given].filter((name) => {
    const { default: fallback, unmet } = option(name);
    const value = options.values[name];
    if (isOverruled(name, options)) return true;
    return unmet !== undefined && JSON.stringify(value) !== JSON.stringify(fallback) && unmet(value, abilities);
  });
  if (strict && unmet.length + options.unknown.length > 0) {
    throw invalid([
      ...unmet.map((name) => ({ type: 'value_error', loc: [...options.at, name], msg: 'Value error, this service cannot honour the value' })),
      ...options.unknown.slice(0, 100).map((loc) => ({ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' })),
    ]);
  }
  return [...unmet, ...options.unknown.map((loc) => String(loc.at(-1)))];
}

/** The converter's options. `maxPages` is the service's. */
export function toConvertOptions({ values }: GivenOptions, settings: HttpSettings): ConvertOptions {
  // The contract forces both off where no picture can show.
  const withImages = values.image_export_mode !== 'placeholder';
  const isNative = values.pipeline === 'native';
  return {
    outputs: [...new Set(values.to_formats)].filter((format): format is OutputFormat => (madeFormats as readonly string[]).includes(format)),
    imageExportMode: values.image_export_mode,
    doOcr: values.do_ocr && !isNative,
    forceOcr: values.force_ocr && !isNative,
    ocrPreset: values.ocr_preset,
    ocrLanguages: (values.ocr_lang ?? []).filter((language) => language !== ''),
    doTableStructure: values.do_table_structure,
    tableMode: isNative ? 'fast' : values.table_mode,
    pageRange: values.page_range,
    documentTimeoutS: values.document_timeout,
    abortOnError: values.abort_on_error,
    includeImages: values.include_images && withImages,
    includePageImages: values.include_page_images && withImages,
    imagesScale: values.images_scale,
    doPdfHeadingHierarchy: values.do_pdf_heading_hierarchy || values.pdf_heading_hierarchy_options.enabled,
    doFormulaEnrichment: values.do_formula_enrichment,
    doCodeEnrichment: values.do_code_enrichment,
    mdPageBreakPlaceholder: values.md_page_break_placeholder,
    mdCompactTables: values.md_compact_tables,
    includePages: values.include_pages,
    keepFurniture: values.keep_furniture,
    keepNotes: values.keep_notes,
    keepHtml: values.keep_html,
    keepSource: values.keep_source,
    password: values.pdf_password,
    documentVersion: null,
    chunking: null,
    maxPages: settings.maxPages,
  };
}
