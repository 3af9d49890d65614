/** The options of a conversion, as the service describes them: what the form shows, and what a request sends. */
import { signal } from '@preact/signals';
import { askJson } from '../lib/api.js';
import { without } from '../lib/format.js';
import { kept } from '../lib/store.js';

/** Only values that differ from their defaults. */
export type OptionValues = Record<string, unknown>;

export interface Option {
  name: string;
  kind: 'flag' | 'choice' | 'number' | 'text' | 'words' | 'range';
  help: string;
  fallback: unknown;
  choices: string[];
}

interface Schema { $ref?: string; type?: string; enum?: string[]; anyOf?: Schema[]; items?: Schema; default?: unknown; description?: string; deprecated?: boolean }
interface Api { components: { schemas: Record<string, Schema & { properties?: Record<string, Schema> }> } }

/** Shown at once; all others are folded. */
export const firstOptions = ['force_ocr', 'ocr_lang', 'table_mode', 'page_range', 'do_formula_enrichment', 'keep_furniture', 'pdf_password'];
/** The page needs them as it sets them. */
const own = new Set(['from_formats', 'to_formats', 'image_export_mode', 'include_pages', 'keep_source', 'include_page_images', 'abort_on_error']);

export const optionTable = signal<Option[]>([]);
export const chosen = kept<OptionValues>('options', {});
export const presets = kept<Record<string, OptionValues>>('presets', {});

/** Reads the option table out of the description of the API. Throws ServiceError. */
export async function loadOptions(): Promise<void> {
  if (optionTable.value.length > 0) return;
  const { components: { schemas } } = await askJson<Api>('openapi.json');
  const properties = schemas['ConvertDocumentsOptions']?.properties ?? {};
  const lookUp = (schema: Schema): Schema => (schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const made = Object.entries(properties).filter(([name, { deprecated }]) => !own.has(name) && deprecated !== true).flatMap(([name, schema]) => describe(name, schema, lookUp) ?? []);
  const rank = ({ name }: Option): number => (firstOptions.includes(name) ? firstOptions.indexOf(name) : firstOptions.length);
  optionTable.value = made.sort((a, b) => rank(a) - rank(b));
}

function describe(name: string, given: Schema, lookUp: (schema: Schema) => Schema): Option | undefined {
  const whole = lookUp(given);
  const inner = whole.anyOf === undefined ? whole : lookUp(whole.anyOf.find(({ type }) => type !== 'null') ?? {});
  const help = (given.description ?? whole.description ?? '').replace(/^Lectern: /, '');
  // Options of the contract without effect here would only confuse.
  if (/accepted and not used|not done here|only one here|is always so here|there is one, of our own|none is here|refused/.test(help)) return undefined;
  const option = { name, help, fallback: given.default ?? whole.default ?? null, choices: [] };
  if (name === 'page_range') return { ...option, kind: 'range' };
  if (inner.enum !== undefined) return { ...option, kind: 'choice', choices: inner.enum };
  if (inner.type === 'boolean') return { ...option, kind: 'flag' };
  if (inner.type === 'number' || inner.type === 'integer') return { ...option, kind: 'number' };
  if (inner.type === 'string') return { ...option, kind: 'text' };
  return inner.type === 'array' ? { ...option, kind: 'words' } : undefined;
}

export function setOption(values: OptionValues, { name, fallback }: Option, value: unknown): OptionValues {
  const rest = without(values, name);
  return value === '' || value === null || JSON.stringify(value) === JSON.stringify(fallback) ? rest : { ...rest, [name]: value };
}

/** Formats whose pages the service draws: pictures are cut out of those. */
export function embedsPictures(name: string): boolean {
  return !/\.(?:pdf|png|jpe?g|tiff?|bmp|webp|gif)$/i.test(name);
}

export const formats = ['md', 'json', 'html', 'text', 'doctags'] as const;

export function formFields(options: OptionValues, withPictures: boolean): FormData {
  const form = new FormData();
  for (const format of formats) form.append('to_formats', format);
  form.append('include_pages', 'true');
  form.append('keep_source', 'true');
  if (withPictures) form.append('image_export_mode', 'embedded');
  for (const [name, value] of Object.entries(options)) for (const one of Array.isArray(value) ? value as unknown[] : [value]) form.append(name, String(one));
  return form;
}
