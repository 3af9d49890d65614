/** Prompts with tens of thousands of parts in three blocks of memory: they go from the sandbox to the engine without an object for each part. */
import type { PackedPrompt, PromptPart } from '../../engine/port.js';

/** Lone surrogates become U+FFFD, as they do in every text that goes to the engine. */
export function packParts(parts: readonly PromptPart[]): PackedPrompt {
  const texts = parts.map(({ text }) => Buffer.from(text, 'utf8'));
  let end = 0;
  return {
    utf8: Buffer.concat(texts),
    ends: Uint32Array.from(texts, ({ length }) => (end += length)),
    special: Uint8Array.from(parts, (part) => (part.special ? 1 : 0)),
  };
}

/** The parts up to so many characters, and whether that leaves any out. */
export function beginningOf(parts: readonly PromptPart[], mostCharacters: number): { parts: readonly PromptPart[]; isCut: boolean } {
  const kept: PromptPart[] = [];
  let left = mostCharacters;
  for (const part of parts) {
    if (part.text.length > left) return { parts: [...kept, { text: part.text.slice(0, left), special: part.special }], isCut: true };
    kept.push(part);
    left -= part.text.length;
  }
  return { parts, isCut: false };
}

/** The prompt with one more part behind it. */
export function withPart({ utf8, ends, special }: PackedPrompt, part: PromptPart): PackedPrompt {
  const more = packParts([part]);
  const longer = { utf8: Buffer.concat([utf8, more.utf8]), ends: new Uint32Array(ends.length + 1), special: new Uint8Array(special.length + 1) };
  longer.ends.set(ends);
  longer.special.set(special);
  longer.ends[ends.length] = longer.utf8.length;
  longer.special[special.length] = part.special ? 1 : 0;
  return longer;
}
