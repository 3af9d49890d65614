/** What to do about a model that is not there. */
import { listModels } from '../client/language-requests.js';
import { type Service, ServiceRefusal } from '../client/service.js';
import { LecternError } from '../errors.js';
import { parseModelName } from '../models/model-name.js';
import { isLoopbackHost } from '../network/address.js';

/** How it is had on this machine; empty for what can be no name in a registry. */
export function pullAdvice(name: string): string {
  return parseModelName(name) === undefined ? '' : `: \`lectern models pull ${name}\` fetches it, where Ollama's registry has it`;
}

/** As many names as one can read. */
const mostNames = 8;

/** Where a service does not have the model: which it has, and on this machine how to get it. Any other failure is returned as it is. */
export async function explainMissing(thrown: unknown, service: Service, name: string): Promise<unknown> {
  if (!(thrown instanceof ServiceRefusal) || (thrown.body as { error?: { code?: unknown } } | null)?.error?.code !== 'model_not_found') return thrown;
  const names = await listModels(service).then((models) => models.filter(({ capabilities }) => capabilities.includes('completion')).map((model) => model.name), () => []);
  // A model that is there and refused is reported as such by the service.
  if (names.length === 0 || thrown.message.includes('is there and cannot be used')) return thrown;
  const has = `${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ' and others' : ''}`;
  const advice = isLoopbackHost(new URL(service.address).hostname.replace(/^\[(.*)\]$/, '$1')) ? pullAdvice(name) : '';
  return new LecternError('model_not_found', `The service at ${service.address} has no model "${name}", only ${has}${advice === '' ? '' : `${advice}, for the user and the settings of the service`}.`, { cause: thrown });
}
