/** Failures in the description of the API: every status that a route of each contract answers with, from the one table of failures, in the shape of the contract. */
import { STATUS_CODES } from 'node:http';
import { errorTable } from '../../../errors.js';
import type { Components, JsonSchema } from '../../conversion/kinds.js';
import { constant, either, integer, orNull, ref, shape, string } from './schemas.js';

export type Contract = 'docling' | 'openai' | 'anthropic' | 'ollama';

/** Of the HTTP layer: a key that is not known, a body that stalls. Those of the table follow; 499 is read by no client, because it has gone. */
const ofEvery = [401, 408, 429];
const unseen = [499];

const statuses: readonly number[] = [...new Set([...ofEvery, ...Object.values(errorTable).map(({ status }) => status)])].filter((status) => !unseen.includes(status)).sort((a, b) => a - b);

const shapes: Record<Contract, { name: string; schema: JsonSchema }> = {
  docling: { name: 'HttpError', schema: { description: 'What went wrong, in a sentence or as a list.', ...shape({ detail: either(string, { type: 'array', items: ref('ValidationError') }), 'task_id?': string }) } },
  openai: { name: 'OpenAiError', schema: shape({ error: shape({ message: string, type: string, param: orNull(string), code: orNull(string) }) }) },
  anthropic: { name: 'AnthropicError', schema: shape({ type: constant('error'), error: shape({ type: string, message: string }), request_id: string }) },
  ollama: { name: 'OllamaError', schema: shape({ error: string }) },
};

/** Answers by their status, without those of `known`. `more`: statuses of this route alone. */
export function failuresOf(contract: Contract, components: Components, more: readonly number[] = []): Record<string, Record<string, unknown>> {
  const { name, schema } = shapes[contract];
  components.set(name, { title: name, ...schema });
  return Object.fromEntries([...new Set([...statuses, ...more])].sort((a, b) => a - b).map((status) => [String(status), {
    description: STATUS_CODES[status] ?? 'Failure',
    ...(status === 503 ? { headers: { 'retry-after': { schema: integer, description: 'Seconds after which to try again.' } } } : {}),
    content: { 'application/json': { schema: ref(name) } },
  }]));
}
