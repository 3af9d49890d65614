/** A running service as its clients meet it: an address, answers, and failures as sentences. */
import { LecternError, type ErrorCode } from '../errors.js';

/** Where a service listens by default. */
const usualAddress = 'http://127.0.0.1:11434';

export interface Ask {
  method?: 'GET' | 'POST' | 'DELETE';
  json?: unknown;
  form?: FormData;
  signal?: AbortSignal;
}

/** As `fetch`, with the parts that are used here. */
export type Fetcher = (url: URL, init: RequestInit) => Promise<Response>;

/** The service answered, and the answer is no success. */
export class ServiceRefusal extends LecternError {
  constructor(readonly httpStatus: number, message: string, readonly body: unknown) {
    super(codeOf(httpStatus), message);
    this.name = 'ServiceRefusal';
  }
}

/** Nothing answers there, or the connection broke. */
export class ServiceUnreachable extends LecternError {
  constructor(message: string, cause: unknown) {
    super('not_found', message, { cause });
    this.name = 'ServiceUnreachable';
  }
}

export class Service {
  /** Without credentials: fit for messages. */
  readonly address: string;
  private readonly root: URL;
  private readonly headers: Record<string, string> = {};
  private readonly fetcher: Fetcher;

  /** `http://host:port`, with a path where a proxy has one; `http://:KEY@host` sends a bearer key. `fetcher` is used in the place of `fetch`. Throws `invalid_request`. */
  constructor(address: string = usualAddress, fetcher: Fetcher = (url, init) => fetch(url, init)) {
    this.fetcher = fetcher;
    let url: URL;
    try {
      url = new URL(/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`);
    } catch (cause) {
      throw new LecternError('invalid_request', `"${address}" is no address of a service; one is like ${usualAddress}.`, { cause });
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new LecternError('invalid_request', `The service's address must begin with http:// or https://, not ${url.protocol}//.`);
    }
    if (url.password !== '') this.headers['authorization'] = `Bearer ${decodeURIComponent(url.password)}`;
    Object.assign(url, { username: '', password: '', search: '', hash: '' });
    // Clients of OpenAI write the base address with it.
    url.pathname = url.pathname.replace(/\/v1\/?$/, '/');
    if (!url.pathname.endsWith('/')) url.pathname += '/';
    this.root = url;
    this.address = url.href.replace(/\/$/, '');
  }

  /** Throws ServiceRefusal, ServiceUnreachable, or what `signal` was aborted with. */
  async send(path: string, { method = 'GET', json, form, signal }: Ask = {}): Promise<Response> {
    const body = json === undefined ? form : JSON.stringify(json);
    let response: Response;
    try {
      response = await this.fetcher(new URL(path.replace(/^\//, ''), this.root), {
        method,
        headers: json === undefined ? this.headers : { ...this.headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      throw this.broken(cause, signal);
    }
    if (!response.ok) throw await this.refusal(response);
    return response;
  }

  async json<T>(path: string, ask?: Ask): Promise<T> {
    const response = await this.send(path, ask);
    let text: string;
    try {
      text = await response.text();
    } catch (cause) {
      throw this.broken(cause, ask?.signal);
    }
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new LecternError('internal', `${this.address}/${path.replace(/^\//, '')} answered something that is no JSON: is it the address of a Lectern service?`, { cause });
    }
  }

  /** What a failed transfer means: a cancellation by the caller, or a service that is not there. */
  broken(cause: unknown, signal: AbortSignal | undefined): unknown {
    if (cause instanceof LecternError) return cause;
    if (signal?.aborted) return signal.reason instanceof LecternError ? signal.reason : new LecternError('cancelled');
    const reason = reasonOf(cause);
    if (/CERT|SIGNATURE|ISSUER/.test(reason)) {
      return new ServiceUnreachable(`The certificate of ${this.address} is not trusted (${reason}): NODE_EXTRA_CA_CERTS can name a PEM file with it or its authority.`, cause);
    }
    if (/SSL_WRONG_VERSION_NUMBER|SSL_PACKET_LENGTH/.test(reason)) return new ServiceUnreachable(`What answers at ${this.address} speaks http, not https: write ${this.address.replace(/^https/, 'http')}.`, cause);
    if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return new ServiceUnreachable(`There is no host ${this.root.hostname} (${reason}).`, cause);
    return new ServiceUnreachable(`No service answers at ${this.address} (${reason}).`, cause);
  }

  private async refusal(response: Response): Promise<ServiceRefusal> {
    const text = await response.text().catch(() => '');
    let body: unknown = null;
    try {
      body = JSON.parse(text);
    } catch {
      // A proxy's page, or nothing: the status has to do.
    }
    return new ServiceRefusal(response.status, sentenceOf(body) ?? `${this.address} answered ${response.status} ${response.statusText}.`, body);
  }
}

function codeOf(status: number): ErrorCode {
  const codes: Record<number, ErrorCode> = {
    400: 'invalid_request', 401: 'forbidden', 403: 'forbidden', 404: 'not_found', 413: 'too_large', 415: 'unsupported_format', 422: 'invalid_request',
    429: 'queue_full', 503: 'queue_full', 504: 'timeout', 507: 'out_of_memory',
  };
  return codes[status] ?? 'internal';
}

/** The sentence in a failure of any of the three contracts. */
function sentenceOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { detail, error } = body as { detail?: unknown; error?: unknown };
  if (typeof detail === 'string') return detail;
  if (Array.isArray(detail)) return detail.map(({ loc, msg }: { loc?: unknown[]; msg?: string }) => `${(loc ?? []).slice(1).join('.')}: ${msg ?? ''}`).join('; ');
  if (typeof error === 'string') return error;
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : undefined;
}

/** `fetch` hides what happened one level down. */
function reasonOf(thrown: unknown): string {
  const { cause, message } = thrown as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(thrown);
}
