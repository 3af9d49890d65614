/** What a loaded model's vocabulary says in text: begin and end tokens, and which markers are control tokens of it. */
import type { LanguageModel } from '../engine/port.js';
import type { Lease } from '../models/types.js';

/** Empty where the vocabulary has none. */
export function tokenText(lease: Lease, key: 'bos' | 'eos'): string {
  const id = lease.entry.description.metadata[`tokenizer.ggml.${key}_token_id`];
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= lease.model.info.vocabularySize) return '';
  return new TextDecoder().decode(lease.model.tokenBytes(id));
}

const known = new WeakMap<LanguageModel, Map<string, Promise<number | null>>>();

/** The id of the one token that a marker is, null where it is plain text to the tokenizer. Asked once a model. */
export function specialToken(model: LanguageModel, marker: string): Promise<number | null> {
  const markers = known.get(model) ?? new Map<string, Promise<number | null>>();
  known.set(model, markers);
  const asked = markers.get(marker) ?? find(model, marker).catch((thrown: unknown) => {
    markers.delete(marker);
    throw thrown;
  });
  markers.set(marker, asked);
  return asked;
}

async function find(model: LanguageModel, marker: string): Promise<number | null> {
  const ids = await model.tokenize([{ text: marker, special: true }], { addSpecial: false });
  return ids.length === 1 ? ids[0] ?? null : null;
}

/** Like specialToken, but null also for one that the tokenizer makes of anybody's text: such a token shows its text in an answer, a control token none. */
export async function controlToken(model: LanguageModel, marker: string): Promise<number | null> {
  const id = await specialToken(model, marker);
  if (id === null) return null;
  const plain = await model.tokenize([{ text: marker, special: false }], { addSpecial: false });
  return plain.length === 1 && plain[0] === id ? null : id;
}
