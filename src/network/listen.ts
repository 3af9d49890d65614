/** Listening on several addresses with one HTTP server, in the clear or over TLS, and saying who has a port that is taken. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as SocketServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { LecternError } from '../errors.js';
import { authorityOf } from './address.js';
import { Admission, type AdmissionRules } from './admission.js';
import type { ListenAddress } from './listen-address.js';
import type { TlsFiles } from './tls-files.js';

export interface Listening {
  /** `http://host:port`, with the port that was given where 0 was asked for. */
  addresses: string[];
  /** Takes no more connections; open ones go on. */
  close(): Promise<void>;
}

export interface ListenOptions extends AdmissionRules {
  /** Open connections on each listening address; what comes beyond is closed at once. Default: no bound. */
  maxConnections?: number;
  /** All addresses speak https with it. */
  tls?: TlsFiles | undefined;
  /** A certificate that changed and cannot be used. */
  onTlsFailure?: (error: LecternError) => void;
}

/** Every socket of every address is handed to `server` as a connection of its own. All addresses open, or none. */
export async function listenOn(server: Server, addresses: ListenAddress[], options: ListenOptions = {}): Promise<Listening> {
  const sockets: SocketServer[] = [];
  const { tls, onTlsFailure = () => undefined } = options;
  const secure = tls === undefined ? undefined : createSecureServer(server, tls);
  // With all options: those that a call leaves out return to Node's defaults.
  const stopWatching = tls?.watch((pair) => secure?.setSecureContext({ ...pair, ...tlsRules }), onTlsFailure);
  const admission = new Admission(options);
  const accept = (connection: Socket): void => {
    if (admission.admit(connection, secure === undefined)) (secure ?? server).emit('connection', connection);
  };
  // The HTTP server begins to track its connections, and to time their headers and requests, with this event;
  // without it, closing would wait for every idle client to leave.
  server.emit('listening');
  const silent = silentConnections(server);
  const close = async (): Promise<void> => {
    stopWatching?.();
    await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => {
      socket.close(() => resolve());
      // What server.close() would do: keep-alive connections without a request would hold the socket open.
      server.closeIdleConnections();
      for (const connection of silent) connection.destroy();
    })));
  };
  try {
    for (const address of addresses) sockets.push(await open(accept, address, options));
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses: sockets.map((socket) => urlOf(socket.address() as AddressInfo, tls === undefined ? 'http' : 'https')), close };
}

/**
 * TLS 1.3, and of TLS 1.2 the suites with forward secrecy and authenticated encryption (RFC 9325, section 4.2): a key that is stolen later
 * opens no recorded connection, and no padding is left to probe.
 */
const ciphers = [
  'TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
const tlsRules = { minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true } as const;

/** Listens nowhere itself: connections that were admitted are handed to it, and those that it has secured to the HTTP server. */
function createSecureServer(server: Server, tls: TlsFiles): TlsServer {
  return createTlsServer({ ...tls.current, ...tlsRules, handshakeTimeout: 20_000, ALPNProtocols: ['http/1.1'] }, (connection) => server.emit('connection', connection));
}

function open(accept: (connection: Socket) => void, { host, port }: ListenAddress, { maxConnections }: ListenOptions): Promise<SocketServer> {
  return new Promise((resolve, reject) => {
    // noDelay as the HTTP server's own listener has it: a small answer must not wait for the client's acknowledgement.
    const socket = createServer({ noDelay: true }, accept);
    if (maxConnections !== undefined) socket.maxConnections = maxConnections;
    socket.once('error', (cause: NodeJS.ErrnoException) => reject(explain(cause, host, port)));
    socket.listen({ host, port }, () => resolve(socket));
  });
}

/** Connections without a request so far: clients open some ahead, and to the HTTP server these are not idle. */
function silentConnections(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (connection: Socket) => {
    silent.add(connection);
    connection.once('close', () => silent.delete(connection));
  });
  for (const event of ['request', 'upgrade'] as const) server.prependListener(event, ({ socket }: { socket: Socket }) => silent.delete(socket));
  return silent;
}

function urlOf({ address, port }: AddressInfo, scheme: 'http' | 'https'): string {
  return `${scheme}://${authorityOf(address, port)}`;
}

function explain(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const where = authorityOf(host, port);
  switch (cause.code) {
    case 'EADDRINUSE':
      return new LecternError('invalid_state', `Port ${port} is taken on ${host}: ${ownerOf(port)} listens there. Stop it, or listen elsewhere with --listen.`, { cause });
    case 'EACCES':
      return new LecternError('forbidden', `Lectern may not listen on ${where}: ports below 1024 need a privilege.`, { cause });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new LecternError('invalid_request', `${where} is no address of this machine.`, { cause });
    default:
      return new LecternError('invalid_state', `${where} cannot be opened: ${rarer[cause.code ?? ''] ?? cause.message}.`, { cause });
  }
}

const rarer: Record<string, string> = {
  EAI_AGAIN: 'the name is not found now, since no name server answers; an address in numbers needs none',
  EAFNOSUPPORT: 'this machine has no addresses of that kind (IPv6 may be switched off)',
};

const usualOwners: Record<number, string> = { 11434: 'probably Ollama', 5001: 'probably docling-serve', 8080: 'probably another web server' };

/** The name of the process that listens on a port, where /proc tells; else who it usually is. */
function ownerOf(port: number): string {
  try {
    const inodes = listeningInodes(port);
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      if (holdsOneOf(pid, inodes)) return `${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (process ${pid})`;
    }
  } catch {
    // No /proc, or a process that ended while it was read: the guess below is as good.
  }
  return usualOwners[port] ?? 'another program';
}

function listeningInodes(port: number): Set<string> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      // Field 1 is the local address, 3 the state (0A: listening), 9 the inode.
      if (fields[1]?.endsWith(':' + hexPort) && fields[3] === '0A' && fields[9] !== undefined) inodes.add(fields[9]);
    }
  }
  return inodes;
}

function holdsOneOf(pid: string, inodes: Set<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const match = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`));
      return match !== null && inodes.has(match[1] as string);
    });
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
