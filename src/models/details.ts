/** What a catalogue tells of a model beside its description, in the words of Ollama's contract. */
import type { MetadataValue, ModelDescription } from '../engine/port.js';
import type { Capability, CatalogueEntry } from './types.js';

/** `general.file_type` of GGUF; 0 and what is missing here are "unknown". */
const quantizations: Record<number, string> = {
  1: 'F16', 2: 'Q4_0', 3: 'Q4_1', 7: 'Q8_0', 8: 'Q5_0', 9: 'Q5_1', 10: 'Q2_K', 11: 'Q3_K_S', 12: 'Q3_K_M', 13: 'Q3_K_L', 14: 'Q4_K_S', 15: 'Q4_K_M',
  16: 'Q5_K_S', 17: 'Q5_K_M', 18: 'Q6_K', 19: 'IQ2_XXS', 20: 'IQ2_XS', 21: 'Q2_K_S', 22: 'IQ3_XS', 23: 'IQ3_XXS', 24: 'IQ1_S', 25: 'IQ4_NL', 26: 'IQ3_S',
  27: 'IQ3_M', 28: 'IQ2_S', 29: 'IQ2_M', 30: 'IQ4_XS', 31: 'IQ1_M', 32: 'BF16', 36: 'TQ1_0', 37: 'TQ2_0', 38: 'MXFP4',
};

export function quantizationLevel(fileType: MetadataValue | undefined): string {
  return quantizations[Number(fileType ?? 0)] ?? 'unknown';
}

/** "70.6B", "7B", "566.70M", "137M", "12K", "999". */
export function parameterSize(count: number): string {
  const [unit, letter, digits] = count >= 1e9 ? [1e9, 'B', 1] : count >= 1e6 ? [1e6, 'M', 2] : count >= 1e3 ? [1e3, 'K', 0] : [1, '', 0];
  const value = count / unit;
  return fixed(value, Number.isInteger(value) ? 0 : digits) + letter;
}

/** As Go prints it: halves that are exact in binary go to the even digit, where JavaScript rounds up. */
function fixed(value: number, digits: number): string {
  const isHalf = Math.abs((value * 2 ** (digits + 1)) % 2) === 1;
  if (!isHalf) return value.toFixed(digits);
  const scaled = Math.floor(value * 10 ** digits);
  return ((scaled + (scaled % 2)) / 10 ** digits).toFixed(digits);
}

export function describeDetails(description: ModelDescription, parentModel: string): CatalogueEntry['details'] {
  const { architecture, parameterCount, metadata } = description;
  return {
    parentModel, format: 'gguf', family: architecture, families: [architecture],
    parameterSize: parameterSize(parameterCount), quantizationLevel: quantizationLevel(metadata['general.file_type']),
  };
}

/**
 * By the template that conversations are rendered with, which is all there is to tell what a model was made for: the store's layer where it has one, whatever
 * the file's own knows beside it. `insert` is no capability here: prompts with a suffix are not built.
 */
export function capabilitiesOf(description: ModelDescription, chatTemplate: string | null, goTemplate: string | null): Capability[] {
  if (description.ranks) return ['rerank'];
  if (description.embeds) return ['embedding'];
  const go = goTemplate?.trim() ? goTemplate : null;
  const jinja = go === null ? chatTemplate ?? '' : '';
  const found: Capability[] = ['completion'];
  if (/\.Tools\b/.test(go ?? '') || /\btools\b|tool_call/.test(jinja)) found.push('tools');
  if (/\.Think(ing|Level)?\b/.test(go ?? '') || /enable_thinking|reasoning_content|<think>/.test(jinja)) found.push('thinking');
  return found;
}
