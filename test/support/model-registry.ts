/** A model registry on a port of its own, with a second host for the blobs, and faults to order. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export interface TestRegistry {
  host: string;
  manifest: Buffer;
  /** What the blob host sends for a range; the default sends it. */
  fault: (request: IncomingMessage, response: ServerResponse, bytes: Buffer, begin: number, end: number) => boolean;
  requests: string[];
  /** Headers that the blob host saw. */
  blobHeaders: IncomingMessage['headers'][];
  /** Where set, the front answers with this challenge to clients without the token that its path /token gives. */
  challenge: string | null;
  close(): Promise<void>;
}

export async function startRegistry(blobs: Buffer[], manifest?: Buffer): Promise<TestRegistry> {
  const byDigest = new Map(blobs.map((bytes) => [digestOf(bytes), bytes]));
  const described = blobs.map((bytes, index) => ({ mediaType: `application/vnd.ollama.image.${index === 0 ? 'model' : 'params'}`, digest: digestOf(bytes), size: bytes.length }));
  const storage = createServer((request, response) => {
    registry.blobHeaders.push(request.headers);
    const bytes = byDigest.get(decodeURIComponent((request.url ?? '').slice(1))) ?? Buffer.alloc(0);
    const [, from = '0', to = String(bytes.length - 1)] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    registry.requests.push(`blob ${from}-${to}`);
    const begin = Number(from);
    const end = Number(to) + 1;
    if (registry.fault(request, response, bytes, begin, end)) return;
    response.writeHead(206, { 'content-length': end - begin });
    response.end(bytes.subarray(begin, end));
  });
  const storageHost = await listen(storage);
  const front = createServer((request, response) => {
    const url = request.url ?? '';
    registry.requests.push(`${request.method} ${url}`);
    if (url.startsWith('/token?')) return void response.end('{"token":"sesame.1"}');
    if (registry.challenge !== null && request.headers.authorization !== 'Bearer sesame.1') {
      return void response.writeHead(401, { 'www-authenticate': registry.challenge }).end();
    }
    const [, digest] = /\/blobs\/(.*)$/.exec(url) ?? [];
    if (digest !== undefined) return void response.writeHead(307, { location: `http://${storageHost}/${digest}` }).end();
    if (!url.endsWith('/manifests/latest')) return void response.writeHead(url.includes('secret') ? 401 : 404).end();
    response.end(registry.manifest);
  });
  const registry: TestRegistry = {
    host: await listen(front),
    manifest: manifest ?? Buffer.from(JSON.stringify({ schemaVersion: 2, config: described.at(-1), layers: described.slice(0, -1) }, null, 1)),
    fault: () => false,
    challenge: null,
    requests: [],
    blobHeaders: [],
    close: async () => {
      for (const server of [front, storage]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  return registry;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
