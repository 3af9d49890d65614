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
/** Characters of a request's id: it is held while the request is answered. */
const longestId = 200;

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
/** Of JSON-RPC, as language servers use it. */
const requestCancelled = -32800;

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
    const wrong = whyWrong(body);
    if (wrong !== null) return refusal(400, -32600, wrong);
    const id = request.headers.get(idHeader);
    const known = id === null ? undefined : this.#sessions.get(id);
    // An id that was overheard opens nothing.
    if (id !== null && known?.owner !== owner) return refusal(404, -32001, 'Session not found');
    if (known === undefined && !isInitialize(body)) return refusal(400, -32000, 'Bad Request: the first request must be initialize; later ones carry the mcp-session-id of its answer.');
    if (known === undefined && !this.#hasRoom(owner)) return refusal(503, -32000, 'All sessions are in use: end one, or try again later.');
    const session = known ?? await this.#open(owner, service);
    session.lastUsed = this.#now();
    session.active += 1;
    const ended = (): void => {
      session.active -= 1;
      session.lastUsed = this.#now();
    };
    gone.addEventListener('abort', () => {
      for (const requestId of requestIds(body)) {
        session.transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'The client went away.' } } as JSONRPCMessage);
        release(session.transport, requestId);
      }
    }, { once: true });
    try {
      const answer = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      for (const requestId of cancelledIds(body)) release(session.transport, requestId);
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
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      // Not before: a request that is refused ends no session of others.
      onsessioninitialized: (id) => {
        this.#makeRoom(owner);
        this.#sessions.set(id, session);
      },
      onsessionclosed: (id) => { this.#sessions.delete(id); },
    });
    const session: Session = { owner, transport, lastUsed: this.#now(), active: 0 };
    await createToolServer(service, { version: this.options.version, readsFiles: false, onDefect: this.options.onDefect }).connect(transport);
    return session;
  }

  #hasRoom(owner: string): boolean {
    return !this.#isFull(owner) || this.#victim(owner) !== undefined;
  }

  #isFull(owner: string): boolean {
    return this.#sessions.size >= mostSessions || this.#countOf(owner) >= mostPerOwner;
  }

  #countOf(owner: string): number {
    return [...this.#sessions.values()].filter((session) => session.owner === owner).length;
  }

  /** The session that was idle for the longest: of the caller itself where it has as many as it may, else of the one that has the most. */
  #victim(owner: string): [string, Session] | undefined {
    const idle = [...this.#sessions].filter(([, { active }]) => active === 0).sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    if (this.#countOf(owner) >= mostPerOwner) return idle.find(([, session]) => session.owner === owner);
    const counts = new Map(idle.map(([, session]) => [session.owner, this.#countOf(session.owner)]));
    const most = Math.max(...counts.values());
    return idle.find(([, session]) => counts.get(session.owner) === most);
  }

  #makeRoom(owner: string): void {
    const victim = this.#isFull(owner) ? this.#victim(owner) : undefined;
    if (victim !== undefined) this.#drop(...victim);
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

/** Why a body is refused; null where it is not. Present versions of the protocol have no batches. */
function whyWrong(body: unknown): string | null {
  if (Array.isArray(body)) return 'Invalid Request: a body is one message, not a list of them.';
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === 'string' && id.length > longestId ? `Invalid Request: an id has at most ${longestId} characters.` : null;
}

/** The protocol's server answers no request that was cancelled; its transport would wait for that answer and keep the stream. */
function release(transport: WebStandardStreamableHTTPServerTransport, id: string | number): void {
  void transport.send({ jsonrpc: '2.0', id, error: { code: requestCancelled, message: 'The request was cancelled.' } }).catch(() => undefined);
}

function cancelledIds(body: unknown): (string | number)[] {
  return messagesOf(body).flatMap(({ method, params }) => {
    const id = method === 'notifications/cancelled' ? (params as { requestId?: unknown } | undefined)?.requestId : undefined;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
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
