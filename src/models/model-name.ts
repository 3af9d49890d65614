/** Names of models as registries have them: `[scheme://][host/][namespace/]model[:tag]`, with their defaults. */
import { LecternError } from '../errors.js';

export interface ModelName {
  host: string;
  namespace: string;
  model: string;
  tag: string;
}

export const nameDefaults = { host: 'registry.ollama.ai', namespace: 'library', tag: 'latest' } as const;

const hostForm = /^[\w.:-]{1,350}$/;
const namespaceForm = /^\w[\w-]{0,79}$/;
const partForm = /^\w[\w.-]{0,79}$/;

/** The parts of a name as a user writes it; undefined for what is no name. Whether it exists is another question. */
export function parseModelName(text: string): ModelName | undefined {
  const path = text.replace(/^https?:\/\//, '').split('/');
  const [model = '', tag = nameDefaults.tag, ...more] = (path.pop() as string).split(':');
  const namespace = path.pop() ?? nameDefaults.namespace;
  const host = path.pop() ?? nameDefaults.host;
  const fits = more.length === 0 && path.length === 0 && partForm.test(model) && partForm.test(tag) && namespaceForm.test(namespace) && hostForm.test(host)
    && !host.includes('..') && !model.includes('..') && !tag.includes('..');
  return fits ? { host, namespace, model, tag } : undefined;
}

/** As it is shown: without the parts that are defaults, always with its tag. */
export function displayName({ host, namespace, model, tag }: ModelName): string {
  const short = `${model}:${tag}`;
  if (host !== nameDefaults.host) return `${host}/${namespace}/${short}`;
  return namespace === nameDefaults.namespace ? short : `${namespace}/${short}`;
}

/** Throws `invalid_request`. */
export function requireModelName(text: string): ModelName {
  const name = parseModelName(text);
  if (name === undefined) throw new LecternError('invalid_request', `"${text.slice(0, 200)}" is no name of a model; it should look like qwen2.5:72b or host/namespace/model:tag.`);
  return name;
}
