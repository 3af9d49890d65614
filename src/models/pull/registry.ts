/** A model registry over HTTP: manifests, and where blobs lie. The protocol of Docker's registries, as Ollama uses it. */
import { LecternError } from '../../errors.js';
import type { ModelName } from '../model-name.js';

export interface Layer {
  mediaType: string;
  /** `sha256:` and 64 hex digits. */
  digest: string;
  size: number;
}

export interface Manifest {
  /** As the registry sent it: its digest is that of these bytes. */
  bytes: Buffer;
  /** Layers and the config, each digest once. */
  blobs: Layer[];
}

/** Where a blob's bytes are fetched from; `foreign` when that is another host, which receives no secrets. */
export interface BlobPlace {
  url: string;
  foreign: boolean;
  /** What the registry itself must be given with each range; nothing for another host. */
  headers: Record<string, string>;
}

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const accept = 'application/vnd.docker.distribution.manifest.v2+json';
const digestForm = /^sha256:[0-9a-f]{64}$/;
const maxManifestBytes = 4 * 2 ** 20;
const maxBlobs = 1000;
const maxTokenBytes = 64 * 1024;
const redirects = new Set([301, 302, 303, 307, 308]);

export class Registry {
  /** What the registry gave to whom it knows nothing of, once it asked for it. */
  #authorization: Record<string, string> = {};

  /** `origin` such as `https://registry.example`; `fetch` that of the platform, or a test's. */
  constructor(private readonly origin: string, private readonly fetch: Fetch) {}

  /** Throws `model_not_found`, `invalid_model` for one that is malformed. */
  async manifest(name: ModelName, signal: AbortSignal): Promise<Manifest> {
    const response = await this.#get(`${this.#path(name)}/manifests/${name.tag}`, { headers: { accept }, signal });
    if (response.status === 404) throw new LecternError('model_not_found', `The registry ${this.origin} has no model ${name.namespace}/${name.model}:${name.tag}.`);
    if (!response.ok) throw refused(response);
    const bytes = await readBounded(response, maxManifestBytes);
    return { bytes, blobs: readBlobs(bytes) };
  }

  /** A redirect to storage elsewhere is not followed but told: ranges of a blob are fetched from there one by one. */
  async blobPlace(name: ModelName, digest: string, signal: AbortSignal): Promise<BlobPlace> {
    const url = `${this.#path(name)}/blobs/${digest}`;
    const response = await this.#get(url, { method: 'HEAD', redirect: 'manual', signal });
    const location = response.headers.get('location');
    await response.body?.cancel();
    if (location === null && !response.ok) throw refused(response);
    if (location === null || (!redirects.has(response.status) && !response.ok)) return { url, foreign: false, headers: this.#authorization };
    const target = new URL(location, url);
    if (target.protocol !== 'https:' && target.protocol !== new URL(this.origin).protocol) {
      throw new LecternError('invalid_model', `The registry ${this.origin} redirects a download to ${target.protocol}, which is refused.`);
    }
    const foreign = target.origin !== this.origin;
    return { url: target.href, foreign, headers: foreign ? {} : this.#authorization };
  }

  #path(name: ModelName): string {
    return `${this.origin}/v2/${name.namespace}/${name.model}`;
  }

  /** A registry that asks for a bearer's token is asked for one once, and then again for what was wanted. */
  async #get(url: string, init: RequestInit): Promise<Response> {
    const send = (): Promise<Response> => this.fetch(url, { ...init, headers: { ...init.headers as Record<string, string> | undefined, ...this.#authorization } });
    let response = await send();
    if (response.status === 401) {
      await response.body?.cancel();
      const token = await this.#token(response.headers.get('www-authenticate') ?? '', init.signal ?? null);
      if (token !== null) {
        this.#authorization = { authorization: `Bearer ${token}` };
        response = await send();
      }
    }
    if (response.status === 401) throw new LecternError('forbidden', `The registry ${this.origin} wants a login, and Lectern has none: only public models can be pulled.`);
    return response;
  }

  /** The token that a challenge offers to anybody; null where it offers none, or sends us to another host: what a registry says must not make us call strangers. */
  async #token(challenge: string, signal: AbortSignal | null): Promise<string | null> {
    const named = (name: string): string | undefined => new RegExp(`[\\s,]${name}="([^"]*)"`, 'i').exec(challenge)?.[1];
    const realm = named('realm');
    if (!/^bearer\s/i.test(challenge) || realm === undefined || !URL.canParse(realm)) return null;
    const url = new URL(realm);
    const own = new URL(this.origin);
    if (url.host !== own.host || url.protocol !== own.protocol) return null;
    for (const name of ['service', 'scope']) {
      const value = named(name);
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const response = await this.fetch(url.href, { redirect: 'error', signal });
    if (!response.ok) return null;
    return readToken(await readBounded(response, maxTokenBytes));
  }
}

/** Null for what is no token that a header may hold. */
function readToken(bytes: Buffer): string | null {
  try {
    const { token, access_token: other } = JSON.parse(bytes.toString()) as { token?: unknown; access_token?: unknown };
    const found = token ?? other;
    return typeof found === 'string' && /^[\w.~+/=-]+$/.test(found) ? found : null;
  } catch {
    return null;
  }
}

function refused(response: Response): LecternError {
  return new LecternError('not_found', `The registry answered ${response.status} ${response.statusText} for ${new URL(response.url).pathname}.`);
}

async function readBounded(response: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > limit) throw new LecternError('invalid_model', `The answer of the registry is larger than ${limit} bytes.`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}

function readBlobs(bytes: Buffer): Layer[] {
  let manifest: { config?: unknown; layers?: unknown };
  try {
    manifest = JSON.parse(bytes.toString()) as typeof manifest;
  } catch (cause) {
    throw new LecternError('invalid_model', 'The manifest is no JSON.', { cause });
  }
  const { config, layers } = manifest ?? {};
  if (!Array.isArray(layers) || layers.length > maxBlobs) throw new LecternError('invalid_model', 'The manifest has no list of layers.');
  const blobs = [...layers as unknown[], config].map(readLayer);
  return blobs.filter(({ digest }, index) => blobs.findIndex((other) => other.digest === digest) === index);
}

/** A digest becomes the name of a file: nothing but hex digits gets that far. */
function readLayer(value: unknown): Layer {
  const { digest, size, mediaType } = (value ?? {}) as Partial<Layer>;
  if (typeof digest !== 'string' || !digestForm.test(digest)) throw new LecternError('invalid_model', 'The manifest names a blob by something that is no sha256 digest.');
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw new LecternError('invalid_model', `The manifest gives no size for ${digest}.`);
  return { digest, size: size as number, mediaType: typeof mediaType === 'string' ? mediaType : '' };
}
