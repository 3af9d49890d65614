/** Requests to the service: the key, and failures as sentences that people can read. */
import { signal } from '@preact/signals';
import { texts } from '../texts.js';

const keyName = 'lectern-key';

/** The caller's key; empty where none is needed. Kept in this browser alone. */
export const key = signal(localStorage.getItem(keyName) ?? '');
/** A request was refused for want of a key. */
export const needsKey = signal(false);

export function setKey(value: string): void {
  key.value = value.trim();
  if (key.value === '') localStorage.removeItem(keyName);
  else localStorage.setItem(keyName, key.value);
  needsKey.value = false;
}

/** `message` is a sentence for people; `status` is 0 where the service cannot be reached. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(message: string, readonly status: number, readonly requestId: string | null = null) {
    super(message);
  }
}

/** A path of the service. The page lies one level below it, so that it works behind a proxy with a path of its own. */
const at = (path: string): string => new URL(`../${path}`, document.baseURI).href;

export interface Asked {
  method?: string;
  /** Sent as JSON. */
  json?: unknown;
  body?: BodyInit;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** The response, whatever is in it. Throws ServiceError for a failure, and what fetch throws for an abort. */
export async function ask(path: string, { method, json, body, signal: stop, headers = {} }: Asked = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(at(path), {
      method: method ?? (json === undefined && body === undefined ? 'GET' : 'POST'),
      headers: {
        ...headers, ...(key.value === '' ? {} : { authorization: `Bearer ${key.value}` }), ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body }),
      ...(stop === undefined ? {} : { signal: stop }),
    });
  } catch (thrown) {
    if (stop?.aborted) throw thrown;
    throw new ServiceError(texts.errors.unreachable, 0);
  }
  if (response.ok) return response;
  throw await failureOf(response);
}

export async function askJson<T>(path: string, asked: Asked = {}): Promise<T> {
  return (await (await ask(path, asked)).json()) as T;
}

async function failureOf(response: Response): Promise<ServiceError> {
  const text = await response.text().catch(() => '');
  const message = sentenceOf(text) ?? texts.errors.status(response.status);
  if (response.status === 401 || (response.status === 403 && /key/i.test(message))) needsKey.value = true;
  return new ServiceError(message, response.status, response.headers.get('x-request-id'));
}

/** The sentence in a failure's body, whichever contract it is of. */
function sentenceOf(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { detail?: unknown; error?: unknown };
    const { detail, error } = body;
    if (typeof detail === 'string') return detail;
    if (Array.isArray(detail)) return detail.map((one: { loc?: unknown[]; msg?: string }) => `${String(one.loc?.at(-1) ?? '')}: ${one.msg ?? ''}`).join('; ');
    if (typeof error === 'string') return error;
    const inner = (error as { message?: unknown } | undefined)?.message;
    return typeof inner === 'string' ? inner : undefined;
  } catch {
    return undefined;
  }
}

/** What to show of anything that was thrown. */
export function sentence(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
