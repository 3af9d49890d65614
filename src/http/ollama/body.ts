/** What the bodies of Ollama's routes have in common: the model's name, old and new, and its entry. */
import { displayName, parseModelName } from '../../models/model-name.js';
import type { CatalogueEntry } from '../../models/types.js';
import { LecternError } from '../../errors.js';
import type { OutputFormat } from '../../chat/conversation.js';
import { FieldError, Fields } from '../fields.js';
import type { LanguageServices } from '../language.js';

/** Throws with the contract's own texts. */
export function readBody(body: unknown): Fields {
  if (body === undefined) throw new FieldError('', 'missing request body');
  return Fields.of(body);
}

/** `model`, or its deprecated name `name`. */
export function readModelName(fields: Fields): string {
  const [model, name] = [fields.string('model') ?? '', fields.string('name') ?? ''];
  return model === '' ? name : model;
}

export type NotFoundText = (name: string) => string;

/** The texts differ by route, and clients look into them. */
export const notFound = {
  chat: (name: string) => `model '${name}' not found`,
  show: (name: string) => `model '${shortest(name)}' not found`,
  embed: (name: string) => `model "${name}" not found, try pulling it first`,
} satisfies Record<string, NotFoundText>;

/** With its tag. */
function shortest(name: string): string {
  const parsed = parseModelName(name);
  return parsed === undefined ? name : displayName(parsed);
}

/** With everything that is left out of names by default: as the contract names a model that takes no tools. */
export function wholeName(name: string): string {
  const parsed = parseModelName(name);
  return parsed === undefined ? name : `${parsed.host}/${parsed.namespace}/${parsed.model}:${parsed.tag}`;
}

const plausibleName = /^[\w.:/@-]{1,1024}$/;

export async function findModel({ catalogue }: LanguageServices, name: string, text: NotFoundText): Promise<CatalogueEntry> {
  if (name !== '' && !plausibleName.test(name)) throw new FieldError('model', 'invalid model name');
  return catalogue.find(name).catch((thrown: unknown) => {
    if (!(thrown instanceof LecternError) || thrown.code !== 'model_not_found') throw thrown;
    throw new LecternError('model_not_found', text(name), { cause: thrown });
  });
}

/** `format`: "json", a schema, or nothing. */
export function readFormat(fields: Fields): OutputFormat {
  const value = fields.raw('format');
  if (value === undefined || value === '') return { kind: 'text' };
  if (value === 'json') return { kind: 'json' };
  if (typeof value === 'object' && !Array.isArray(value)) return { kind: 'schema', schema: value };
  throw new FieldError('format', `invalid format: ${JSON.stringify(value)}; expected "json" or a valid JSON Schema object`);
}

/** `think`: whether, or how much. A model that does not think answers without, since clients send the field to every model. */
export function readThink(fields: Fields, entry: CatalogueEntry): boolean | 'low' | 'medium' | 'high' | 'max' | undefined {
  const value = fields.raw('think');
  const think = typeof value === 'string' ? fields.oneOf('think', ['low', 'medium', 'high', 'max']) : fields.boolean('think');
  return entry.capabilities.includes('thinking') ? think : undefined;
}

/** Parameters that only choose between what is the case here anyway, and one of the contract's own tests that answers without a model. Throws FieldError. */
export function refuseUnhonoured(fields: Fields): void {
  // A prompt that is too long is refused, whatever is said of shifting it.
  fields.boolean('shift');
  if (fields.boolean('_debug_render_only') === true) fields.refuse('_debug_render_only', 'is not supported');
}

/** Models that read pictures do not exist here. */
export function refuseImages(fields: Fields): void {
  if ((fields.list('images') ?? []).length > 0) fields.refuse('images', 'are not supported: this model reads text only');
}
