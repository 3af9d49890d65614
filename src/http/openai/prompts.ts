/** Texts or token ids, one or many: the `prompt` of completions and the `input` of embeddings. */
import type { RawPrompt } from '../../chat/answer.js';
import { fillInPrompt } from '../../chat/fill-in.js';
import type { Lease } from '../../models/types.js';
import { FieldError, type Fields } from '../fields.js';
import { textOfTokens } from '../token-texts.js';

export type PromptValue = RawPrompt['prompt'];

const mostPrompts = 2048;

/** Throws FieldError. `special`: whether texts of control tokens in a text become these tokens. */
export function readPrompts(fields: Fields, name: string, special: boolean): PromptValue[] {
  const value = fields.require(name, fields.raw(name));
  const text = (item: string): PromptValue => [{ text: item, special }];
  if (typeof value === 'string') return [text(value)];
  if (!Array.isArray(value) || value.length === 0) return fields.refuse(name, 'must be a text, a list of texts, a list of token ids or a list of such lists');
  if (isIds(value)) return [value];
  if (value.length > mostPrompts) fields.refuse(name, `may hold at most ${mostPrompts} entries`);
  return value.map((item: unknown, index) => {
    if (typeof item === 'string') return text(item);
    if (Array.isArray(item) && isIds(item)) return item;
    return fields.refuse(`${name}[${index}]`, 'must be a text or a list of token ids');
  });
}

/** Throws FieldError for a token id that the model does not have. */
export function refuseStrangeIds(prompts: PromptValue[], vocabularySize: number, fields: Fields, name: string): void {
  const isStrange = (id: unknown): boolean => typeof id === 'number' && (id < 0 || id >= vocabularySize);
  for (const prompt of prompts) {
    const strange = typeof prompt === 'string' ? undefined : prompt.find(isStrange);
    if (strange !== undefined) fields.refuse(name, `holds the token id ${String(strange)}, which is none of the model's ${vocabularySize}`);
  }
}

/** Not a text. */
export function isTokenIds(prompt: PromptValue): prompt is readonly number[] {
  return typeof prompt !== 'string' && typeof prompt[0] === 'number';
}

function isIds(value: unknown[]): value is number[] {
  return value.length > 0 && value.every((item) => Number.isSafeInteger(item));
}

/** The prompt of a completion, with a suffix one for the gap before it. Throws FieldError for a suffix that the model cannot be shown; `model` is its name to the client. */
export async function promptOf({ model }: Lease, prompt: PromptValue, { suffix, model: name }: { suffix: string | undefined; model: string }): Promise<RawPrompt> {
  if (suffix === undefined) return { kind: 'prompt', prompt, addSpecial: true };
  const filled = await fillInPrompt(model, writtenText(prompt), suffix);
  if (filled === null) throw new FieldError('suffix', `'suffix' is not supported by the model '${name}': its vocabulary has no tokens for the beginning, the end and the middle of a text.`);
  return { kind: 'prompt', prompt: filled, addSpecial: true };
}

function writtenText(prompt: PromptValue): string {
  return typeof prompt === 'string' ? prompt : prompt.map((part) => (typeof part === 'number' ? '' : part.text)).join('');
}

/** What `echo` puts before each choice of an answer. */
export async function echoOf(prompt: PromptValue, lease: Lease): Promise<string> {
  return isTokenIds(prompt) ? await textOfTokens(lease, prompt, Infinity) ?? '' : writtenText(prompt);
}

/** Characters of text, or token ids. */
export function lengthOf(prompt: PromptValue): number {
  return isTokenIds(prompt) ? prompt.length : writtenText(prompt).length;
}
