/** What a language model is for and what of it is not served, in words for people, from its file's keys. */
import type { CatalogueEntry } from './types.js';

/** GGUF's numbers of pooling_type. */
const poolings: Record<number, string> = { 1: 'the mean of all tokens', 2: 'the first token', 3: 'the last token' };

/** Its architecture and kind, then one phrase for each thing that does not work. */
export function explainModel({ description, chatTemplate, goTemplate }: Pick<CatalogueEntry, 'description' | 'chatTemplate' | 'goTemplate'>): string[] {
  const { architecture, embeds, ranks, metadata } = description;
  const key = (name: string): number => Number(metadata[`${architecture}.${name}`] ?? 0);
  const purpose = ranks ? 'scores pairs of texts (/v1/rerank)' : embeds ? `makes embeddings of ${poolings[key('pooling_type')] ?? 'a text'}` : 'generates text';
  const notes = [`${architecture}, ${purpose}`];
  if (!embeds && !chatTemplate?.trim() && !goTemplate?.trim()) notes.push('no chat template, so /v1/completions and /api/generate alone');
  if (architecture === 'phi3' && key('attention.sliding_window') > 0) notes.push('its sliding window is not applied, as llama.cpp does');
  if (architecture === 'mistral3' && key('attention.temperature_scale') > 0) notes.push(`contexts of at most ${key('rope.scaling.original_context_length')} tokens: the scale of later queries is not supported`);
  if (architecture === 'gemma2' || architecture === 'gemma3') notes.push('on a GPU, its attention does not use tensor cores');
  return notes;
}
