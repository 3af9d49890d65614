/** Sessions of the protocol over HTTP (streamable HTTP): one tool server for each, bound to the caller that opened it. */
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Service } from '../client/service.js';
import { createToolServer } from './mcp-server.js';

/** A client whose session is gone opens another, as the protocol says. */
const longestIdleMs = 30 * 60_000;
const sweepMs = 60_000;
/** Of one caller: each program that has the tools holds one. */
const mostPerOwner = 32;
const mostSessions = 512;

export interface SessionRequest {
  request: Request;
  /** The value of its JSON body; undefined without one. */
  body: unknown;
  /** Whose session it is. */
  owner: string;
  /** The service as this caller may use it. */
  service: Service;
}

interface Session {
  owner: string;
  transport: WebStandardStreamableHTTPServerTransport;
  lastUsed: number;
  /** Requests that are being answered. */
  active: number;
}

const idHeader = 'mcp-session-id';

export class ToolSessions {
  readonly #sessions = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(private readonly options: { version: string; onDefect: (thrown: unknown) => void; now?: () => number }) {
    this.#sweep = setInterval(() => this.#dropIdle(), sweepMs);
    this.#sweep.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The answer of the protocol's transport; its body may be a stream. `gone` aborts when the client disconnects, which cancels what was asked for. */
  async handle({ request, body, owner, service }: SessionRequest, gone: AbortSignal): Promise<Response> {
    const id = request.headers.get(idHeader);
    const known = id === null ? undefined : this.#sessions.get(id);
    // An id that was overheard opens nothing.
    if (id !== null && known?.owner !== owner) return refusal(404, -32001, 'Session not found');
    if (known === undefined && !isInitialize(body)) return refusal(400, -32000, 'Bad Request: the first request must be initialize; later ones carry the mcp-session-id of its answer.');
    const session = known ?? await this.#open(owner, service);
    session.lastUsed = this.#now();
    session.active += 1;
    const ended = (): void => {
      session.active -= 1;
      session.lastUsed = this.#now();
    };
    gone.addEventListener('abort', () => {
      for (const requestId of requestIds(body)) session.transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'The client went away.' } } as JSONRPCMessage);
    }, { once: true });
    try {
      const answer = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      return whenRead(answer, ended);
    } catch (thrown) {
      ended();
      throw thrown;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
    this.#sessions.clear();
  }

  async #open(owner: string, service: Service): Promise<Session> {
    this.#makeRoom(owner);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => { this.#sessions.set(id, session); },
      onsessionclosed: (id) => { this.#sessions.delete(id); },
    });
    const session: Session = { owner, transport, lastUsed: this.#now(), active: 0 };
    await createToolServer(service, { version: this.options.version, readsFiles: false, onDefect: this.options.onDefect }).connect(transport);
    return session;
  }

  /** The session that was idle for the longest ends for a new one: of the same caller, where that one has many. */
  #makeRoom(owner: string): void {
    const byAge = [...this.#sessions].filter(([, { active }]) => active === 0).sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    const own = byAge.filter(([, session]) => session.owner === owner);
    const count = [...this.#sessions.values()].filter((session) => session.owner === owner).length;
    const oldest = count >= mostPerOwner ? own[0] : this.#sessions.size >= mostSessions ? byAge[0] : undefined;
    if (oldest !== undefined) this.#drop(...oldest);
  }

  #dropIdle(): void {
    const before = this.#now() - longestIdleMs;
    for (const [id, session] of this.#sessions) if (session.active === 0 && session.lastUsed < before) this.#drop(id, session);
  }

  #drop(id: string, { transport }: Session): void {
    this.#sessions.delete(id);
    void transport.close();
  }

  #now(): number {
    return this.options.now?.() ?? performance.now();
  }
}

/** A failure in the protocol's words. */
export function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

function messagesOf(body: unknown): Record<string, unknown>[] {
  return [body].flat().filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null);
}

function isInitialize(body: unknown): boolean {
  return messagesOf(body).some(({ method }) => method === 'initialize');
}

function requestIds(body: unknown): (string | number)[] {
  return messagesOf(body).flatMap(({ id, method }) => (method !== undefined && (typeof id === 'string' || typeof id === 'number') ? [id] : []));
}

/** The same answer; `ended` is called once when its body is read to the end or left. */
function whenRead(answer: Response, ended: () => void): Response {
  if (answer.body === null) {
    ended();
    return answer;
  }
  const reader = answer.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      ended();
      return controller.close();
    },
    cancel: async (reason) => {
      ended();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: answer.status, headers: answer.headers });
}
