/** Makes the options of a conversion from a request's options, and notes those that cannot be honoured. */
import type { ConvertOptions } from '../../convert/options.js';
import { namedTokenizer } from '../../models/tokenizer.js';
import type { HttpDependencies } from '../dependencies.js';
import type { HttpSettings } from '../settings.js';
import type { ConvertRequest } from './convert-request.js';
import { toConvertOptions } from './options.js';

/** Notes the request's tokenizer as an unknown option where no installed model has its name. Another tokenizer then counts the tokens, and the chunks name it. */
export async function noteTokenizer({ options, chunks }: ConvertRequest, language: HttpDependencies['language']): Promise<void> {
  const name = chunks?.options.tokenizer ?? null;
  if (chunks === undefined || name === null) return;
  if (language === undefined || await namedTokenizer(language.catalogue, name) === null) options.unknown.push(chunks.tokenizerAt);
}

/** The options of the conversion. A request for chunks makes no outputs, except the document's JSON where the client asks for it. */
export function optionsOf({ options, chunks }: ConvertRequest, settings: HttpSettings): ConvertOptions {
  const made = toConvertOptions(options, settings);
  return chunks === undefined ? made : { ...made, chunking: chunks.options, outputs: chunks.withDocument ? ['json'] : [] };
}
