/** Who may enter and where: the access list, the certificate, and the addresses that the service listens on. */
import type { FastifyInstance } from 'fastify';
import { LecternError } from '../errors.js';
import { Gate } from '../http/access-gate.js';
import type { Log } from '../logging/log.js';
import { carriedConnections } from '../network/connection-limit.js';
import { listenOn, type Listening } from '../network/listen.js';
import { openTlsFiles, type TlsFiles } from '../network/tls-files.js';
import type { Settings } from '../settings/settings.js';

export interface ServiceEntry {
  gate: Gate;
  /** Absent where the service is not served over TLS. */
  tls: TlsFiles | undefined;
  /** Reads the access list again when it changes, until the returned function is called. */
  watch(): () => void;
  /** Listens on the addresses of the settings. Throws `address_in_use` with the likely owner of the port. */
  open(server: FastifyInstance['server']): Promise<Listening>;
}

/** Throws `invalid_request` for settings of addresses, access list and certificate with which nothing starts. */
export function openEntry(settings: Settings, log: Log): ServiceEntry {
  const gate = new Gate(settings);
  const tls = tlsOf(settings);
  return {
    gate,
    tls,
    watch: () => gate.watch(
      (err) => log.error({ err }, 'The access list changed and cannot be used; the old one stays.'),
      () => log.info({ file: settings.accessList }, 'The access list changed and is in use.'),
    ),
    open: (server) => openAddresses(server, settings, { gate, tls }, log),
  };
}

/** Throws as openEntry() does, and keeps nothing open. */
export function checkEntry(settings: Settings): void {
  new Gate(settings);
  tlsOf(settings);
}

function tlsOf({ tlsCertificate: certificate, tlsKey: key }: Settings): TlsFiles | undefined {
  if (certificate === null && key === null) return undefined;
  if (certificate === null || key === null) throw new LecternError('invalid_request', '--tls-certificate and --tls-key go together.');
  return openTlsFiles(certificate, key);
}

function openAddresses(server: FastifyInstance['server'], settings: Settings, { gate, tls }: Pick<ServiceEntry, 'gate' | 'tls'>, log: Log): Promise<Listening> {
  const { connections: maxConnections, short } = carriedConnections(settings);
  if (short !== null) log.warn({}, `Connections: ${short.what}; ${short.advice}.`);
  return listenOn(server, settings.listen, {
    maxConnections,
    tls,
    onTlsFailure: (err) => log.error({ err }, 'The certificate changed and cannot be used; the old one stays.'),
    mostPerAddress: settings.connectionsPerAddress ?? Math.max(1, Math.floor(maxConnections / 4)),
    isShared: (address) => gate.isShared(address),
    refusalOf: (address) => gate.refusalOf(address),
    onRefused: (caller, refusal) => log.info({ caller, refusal }, 'connections are refused'),
  });
}
