/** The parts of a packed prompt, for fakes of the engine. */
import type { PackedPrompt, Prompt, PromptPart } from '../../src/engine/port.js';

export function isPacked(prompt: Prompt): prompt is PackedPrompt {
  return typeof prompt === 'object' && prompt !== null && 'utf8' in prompt;
}

export function unpacked({ utf8, ends, special }: PackedPrompt): PromptPart[] {
  return [...ends].map((end, place) => ({ text: Buffer.from(utf8.subarray(ends[place - 1] ?? 0, end)).toString(), special: special[place] === 1 }));
}
