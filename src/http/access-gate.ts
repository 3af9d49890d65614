/** Admits requests or refuses them (`Gate.admit`): finds the caller's address behind trusted proxies and its role in the access list. `Gate.refusalOf` judges a connection before its first request. Web pages are browser-origins.ts's matter. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LecternError } from '../errors.js';
import { watchFile, type LookingAgain } from '../platform/watched-file.js';
import { authorityOf, contains, isLoopback, isLoopbackHost, type Network, type NetworkAddress, parseNetworkAddress } from '../network/address.js';
import { AccessList, administratorRole } from '../network/access-list.js';
import { proxySign } from './proxy-signs.js';
import { noteRefusal } from './refusal.js';
import type { HttpSettings } from './settings.js';

export interface Caller {
  /** Whose work it is: the address, or `key NAME`. */
  identity: string;
  isAdministrator: boolean;
  /** Would be refused anywhere else. */
  isStranger?: true;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** A key that opens nothing, from an address that needs one: 401, by which clients know that their key is wrong. */
class UnknownKey extends LecternError {
  constructor(why: string) {
    super('forbidden', why);
  }

  override get status(): number {
    return 401;
  }
}

export interface AccessDescription {
  file: string | null;
  allowAll: boolean;
  allowedRoles: string[];
  networks: { network: string; role: string }[];
  keys: { name: string; role: string }[];
}

export type AccessSettings = Pick<HttpSettings, 'listen' | 'accessList' | 'allowAll' | 'allowedRoles' | 'trustedProxies'>;

const lookMs = 2_000;

/** The identity of all programs of this host, whichever loopback address they use, so that several addresses do not multiply a limit per caller. */
const thisHost = '127.0.0.1';

/** The caller of every request where there is no gate, as in tests. */
const everyone: Caller = { identity: '', isAdministrator: true };

/**
 * Throws `invalid_request` for settings that would let in unknown clients: a network address or a proxy without a list, a list with a
 * mistake, roles that do not exist.
 */
export class Gate {
  private list: AccessList | null;
  /** The text of the access list in use. */
  private text = '';
  private looking: LookingAgain | undefined;

  constructor(private readonly settings: AccessSettings) {
    const { listen, accessList, allowAll, trustedProxies } = settings;
    const open = listen.find(({ host }) => !isLoopbackHost(host));
    if (accessList !== null && allowAll) throw new LecternError('invalid_request', '--allow-all and --access-list contradict each other: leave one out.');
    if (accessList === null && !allowAll && open !== undefined) {
      throw new LecternError('invalid_request', `${authorityOf(open.host, open.port)} can be reached from the network: name who may enter with --access-list FILE, or let everyone in with --allow-all.`);
    }
    if (accessList === null && !allowAll && trustedProxies.length > 0) {
      throw new LecternError('invalid_request', 'Others come through the proxies that --trusted-proxies names: say who may enter with --access-list FILE, or let everyone in with --allow-all.');
    }
    this.list = null;
    if (accessList !== null) this.use(readText(accessList), accessList);
  }

  /**
   * Reads the list again when its file changes: a client that is taken out of it stays out, without a restart. One with a mistake is reported to
   * `onFailure` and not used. Answers the way to stop.
   */
  watch(onFailure: (error: LecternError) => void, onChange: () => void, everyMs = lookMs): () => void {
    const { accessList } = this.settings;
    if (accessList === null) return () => undefined;
    let seen = this.text;
    this.looking = watchFile(() => {
      const text = readText(accessList);
      // An editor may be in the middle of it: only a text that was read twice in a row counts.
      const isSettled = text === seen;
      seen = text;
      if (!isSettled) return false;
      if (text === this.text) return undefined;
      this.use(text, accessList);
      return onChange();
    }, onFailure, everyMs);
    return this.looking.stop;
  }

  /** Whether the list in force is what its file says: false since that has changed into one that cannot be used. */
  isCurrent(): boolean {
    return this.looking?.isCurrent() ?? true;
  }

  private use(text: string, place: string): void {
    const list = new AccessList(text, place);
    const unknown = this.settings.allowedRoles.find((role) => !list.roles.has(role));
    if (unknown !== undefined) throw new LecternError('invalid_request', `--allowed-roles names "${unknown}", which is no role of the access list.`);
    this.list = list;
    this.text = text;
  }

  /** The caller of a request. Throws `forbidden` for a caller that may not use the service; where the caller is known, `request.caller` is set first, for the log. */
  admit(request: FastifyRequest): Caller {
    const peer = parseNetworkAddress(request.raw.socket.remoteAddress ?? '');
    // A closed connection has no address any more; its request must not count as one of this host.
    if (peer === undefined) throw new LecternError('forbidden', 'The address of the client is not known.');
    const forwarded = request.headers['x-forwarded-for'];
    this.refuseUnknownProxy(peer, request);
    const address = forwarded === undefined ? peer : this.behindProxies(peer, forwarded);
    // A client that was passed on is no program of this host, whatever the proxy's address is.
    const isOfThisHost = forwarded === undefined && isLoopback(peer);
    if (this.list === null) return { identity: isOfThisHost ? thisHost : textOf(address), isAdministrator: isOfThisHost };
    const key = keyOf(request);
    const { holder, isLocal, role, enters } = this.list.judge({ address, key: key ?? '', isOfThisHost }, this.settings.allowedRoles);
    const identity = holder !== undefined ? `key ${holder.name}` : isLocal ? thisHost : textOf(address);
    if (!enters) {
      request.caller = { identity, isAdministrator: false };
      const why = refusalSentence(identity, role);
      if (key !== undefined && key !== '' && holder === undefined) throw new UnknownKey(`The key is not known, and ${why.charAt(0).toLowerCase()}${why.slice(1)}`);
      const wouldHelp = key === undefined && this.list.hasKeyOf(this.settings.allowedRoles);
      throw new LecternError('forbidden', wouldHelp ? `${why} A key opens it, as authorization: Bearer KEY or x-api-key: KEY.` : why);
    }
    return { identity, isAdministrator: role === administratorRole };
  }

  /** Why no request of a connection from this address could be admitted, as a sentence; undefined where one could be. */
  refusalOf(address: string): string | undefined {
    const peer = parseNetworkAddress(address);
    if (this.list === null || peer === undefined) return undefined;
    // A proxy says with each request for whom it speaks, and a key opens the service from everywhere.
    if (this.isProxy(peer) || this.list.hasKeyOf(this.settings.allowedRoles)) return undefined;
    if (isLoopback(peer) && !this.list.namesLoopback(peer)) return undefined;
    const role = this.list.roleOf(peer);
    return role !== undefined && this.settings.allowedRoles.includes(role) ? undefined : refusalSentence(textOf(peer), role);
  }

  /** For an administrator: who may enter. Keys are named, and never shown. */
  describe(): AccessDescription {
    const { accessList, allowAll, allowedRoles } = this.settings;
    const networks = (this.list?.lines() ?? []).map(({ network, role }) => ({ network: `${textOf(network)}/${network.prefix}`, role }));
    const keys = this.list?.holders().map(({ name, role }) => ({ name, role })) ?? [];
    return { file: accessList, allowAll, allowedRoles, networks, keys };
  }

  /** What the gate would say to a caller with this address and this key, without one where it is empty. Throws `invalid_request` for what is no address. */
  test(address: string, key: string): { enters: boolean; role: string | null; identity: string } {
    const parsed = parseNetworkAddress(address);
    if (parsed === undefined) throw new LecternError('invalid_request', 'That is no IP address.');
    const isOfThisHost = isLoopback(parsed);
    if (this.list === null) return { enters: true, role: isOfThisHost ? administratorRole : null, identity: isOfThisHost ? thisHost : textOf(parsed) };
    const { holder, isLocal, role, enters } = this.list.judge({ address: parsed, key, isOfThisHost }, this.settings.allowedRoles);
    return { enters, role: role ?? null, identity: holder !== undefined ? `key ${holder.name}` : isLocal ? thisHost : textOf(parsed) };
  }

  /** Whether connections from this address carry the requests of many callers. */
  isShared(address: string): boolean {
    const peer = parseNetworkAddress(address);
    return peer !== undefined && this.isProxy(peer);
  }

  /**
   * A client that comes through a proxy of this host would be an administrator, were it taken for a program. A listed one must say for whom it
   * speaks, wherever it runs: else its own address would speak for all. Throws `forbidden`.
   */
  private refuseUnknownProxy(peer: NetworkAddress, request: FastifyRequest): void {
    const sign = proxySign(request.raw);
    if (sign === undefined) return;
    if (!this.isProxy(peer)) {
      if (!isLoopback(peer)) return;
      const instead = sign.startsWith('HTTP/') ? 'a program of this host must speak HTTP/1.1, and a proxy' : 'a proxy';
      throw new LecternError('forbidden', `A proxy on this host seems to pass the request on (${sign}), and the setting trusted-proxies does not name it: ${instead} must be named there and set x-forwarded-for.`);
    }
    // From elsewhere it may be the proxy's own check of the service; its address has a role of its own.
    if (request.headers['x-forwarded-for'] !== undefined || (sign.startsWith('HTTP/') && !isLoopback(peer))) return;
    throw new LecternError('forbidden', `The proxy does not say for whom it speaks (${sign}): it must set x-forwarded-for.`);
  }

  /** The nearest address that is no listed proxy. A list of addresses from anyone else is only a claim. */
  private behindProxies(peer: NetworkAddress, header: string | string[]): NetworkAddress {
    if (!this.isProxy(peer)) return peer;
    let nearest = peer;
    for (const text of [header].flat().join(',').split(',').map((part) => part.trim()).reverse()) {
      const address = parseNetworkAddress(text.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'));
      if (address === undefined) throw new LecternError('forbidden', 'The x-forwarded-for header holds something that is no address.');
      nearest = address;
      if (!this.isProxy(address)) break;
    }
    return nearest;
  }

  private isProxy(address: NetworkAddress): boolean {
    return this.settings.trustedProxies.some((network: Network) => contains(network, address));
  }
}

/**
 * What load balancers and clients of docling-serve ask without a key: whether the process lives, and whether a key is needed; and the files of the page, which are the same for
 * everyone: a browser sends no key with an address, so the page itself asks for it. Nothing else is passed to a stranger.
 */
const openPaths = new Set(['/health', '/livez', '/v1/capabilities', '/ui', '/ui/', '/ui/:name']);

/** Every request of `app` knows its caller from here on, or is refused before its body is read. */
export function addCallers(app: FastifyInstance, gate: Gate | undefined): void {
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request) => {
    const admit = (): Caller => gate?.admit(request) ?? everyone;
    request.caller = openPaths.has(request.routeOptions.url ?? '') ? admitOrStranger(admit, request) : noteRefusal(request, admit);
  });
}

function admitOrStranger(admit: () => Caller, { ip }: FastifyRequest): Caller {
  try {
    return admit();
  } catch (thrown) {
    if (thrown instanceof LecternError && thrown.code === 'forbidden') return { identity: ip, isAdministrator: false, isStranger: true };
    throw thrown;
  }
}

/** Throws `forbidden`; `what` begins the sentence. */
export function requireAdministrator({ caller }: FastifyRequest, what: string): void {
  if (!caller.isAdministrator) throw new LecternError('forbidden', `${what} only by administrators.`);
}

function refusalSentence(identity: string, role: string | undefined): string {
  return role === undefined ? `${identity} is not in the access list of this service.` : `The role ${role} (${identity}) may not use this service.`;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new LecternError('invalid_request', `The access list ${path} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

/** Browsers cannot send headers with a WebSocket's handshake: there, and only there, the contract has the key in the query. */
function keyOf({ headers, query }: FastifyRequest): string | undefined {
  const inQuery = headers.upgrade === undefined ? undefined : [(query as Record<string, unknown>)['api_key']].flat()[0];
  const given = [headers['x-api-key']].flat()[0] ?? headers.authorization ?? (typeof inQuery === 'string' ? inQuery : undefined);
  return given?.replace(/^bearer\s+/i, '').trim();
}

function textOf({ family, bytes }: NetworkAddress): string {
  if (family === 4) return bytes.join('.');
  return Array.from({ length: 8 }, (_, group) => (((bytes[group * 2] ?? 0) << 8) | (bytes[group * 2 + 1] ?? 0)).toString(16)).join(':');
}
