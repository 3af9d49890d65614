/** Prompts that ask for what stands between two texts, for models whose vocabulary has the control tokens for it. */
import type { LanguageModel, PromptPart } from '../engine/port.js';
import { specialToken } from './model-texts.js';

/** Before the first text, before the second, before what is missing: Qwen and others, StarCoder and Granite, Code Llama, DeepSeek, CodeGemma's are Qwen's. */
const families = [
  ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'], ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'], ['▁<PRE>', '▁<SUF>', '▁<MID>'], ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>'],
] as const;

/** The prompt, or null where the vocabulary has no such tokens. */
export async function fillInPrompt(model: LanguageModel, prefix: string, suffix: string): Promise<PromptPart[] | null> {
  for (const family of families) {
    const ids = await Promise.all(family.map((marker) => specialToken(model, marker)));
    if (ids.includes(null)) continue;
    const [before, behind, between] = family;
    const text = (written: string): PromptPart[] => (written === '' ? [] : [{ text: written, special: false }]);
    const mark = (marker: string): PromptPart => ({ text: marker, special: true });
    return [mark(before), ...text(prefix), mark(behind), ...text(suffix), mark(between)];
  }
  return null;
}
