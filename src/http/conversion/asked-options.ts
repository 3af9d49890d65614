/** What a request's options become: options of the conversion, and what of them cannot be honoured. */
import type { ConvertOptions } from '../../convert/options.js';
import { namedTokenizer } from '../../models/tokenizer.js';
import type { HttpDependencies } from '../dependencies.js';
import type { HttpSettings } from '../settings.js';
import type { ConvertRequest } from './convert-request.js';
import { toConvertOptions } from './options.js';

/** A tokenizer that is no model here is an option that cannot be honoured: another counts, and the chunks name it. */
export async function noteTokenizer({ options, chunks }: ConvertRequest, language: HttpDependencies['language']): Promise<void> {
  const name = chunks?.options.tokenizer ?? null;
  if (chunks === undefined || name === null) return;
  if (language === undefined || await namedTokenizer(language.catalogue, name) === null) options.unknown.push(chunks.tokenizerAt);
}

/** Chunks go without the document's outputs, but for its JSON where the client wants it. */
export function optionsOf({ options, chunks }: ConvertRequest, settings: HttpSettings): ConvertOptions {
  const made = toConvertOptions(options, settings);
  return chunks === undefined ? made : { ...made, chunking: chunks.options, outputs: chunks.withDocument ? ['json'] : [] };
}
