/** IP addresses and networks as they are compared: IPv4 inside IPv6 is IPv4. */
import { isIPv4, isIPv6 } from 'node:net';

export interface NetworkAddress {
  family: 4 | 6;
  /** 4 or 16. */
  bytes: Uint8Array;
}

export interface Network extends NetworkAddress {
  /** Bits that an address must share. */
  prefix: number;
}

const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/** undefined for what is no address. A zone (`%eth0`) is left out; `::ffff:10.0.0.1` is 10.0.0.1. */
export function parseNetworkAddress(text: string): NetworkAddress | undefined {
  const [plain = ''] = text.split('%');
  if (isIPv4(plain)) return { family: 4, bytes: Uint8Array.from(plain.split('.').map(Number)) };
  if (!isIPv6(plain)) return undefined;
  const bytes = expand(plain);
  return mappedPrefix.every((byte, index) => bytes[index] === byte) ? { family: 4, bytes: bytes.slice(12) } : { family: 6, bytes };
}

/** `text` has passed isIPv6. */
function expand(text: string): Uint8Array {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const whole = dotted === null ? text : (dotted[1] as string) + groupsOf(dotted[2] as string);
  const [head = '', tail] = whole.split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/**
 * `10.0.0.0/8`, `2001:db8::/32`, or one address. undefined also where bits are set behind the prefix, a mistake in one or the other, and with a
 * zone: no address is compared by it, so `fe80::1%eth0` would be any host with that address behind any interface.
 */
export function parseNetwork(text: string): Network | undefined {
  const match = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text);
  const address = match === null ? undefined : parseNetworkAddress(match[1] as string);
  if (match === null || address === undefined) return undefined;
  const bits = address.bytes.length * 8;
  const written = match[2] === undefined ? undefined : Number(match[2]);
  const isMapped = address.family === 4 && (match[1] as string).includes(':');
  const prefix = written === undefined ? bits : isMapped ? written - 96 : written;
  if (prefix < 0 || prefix > bits) return undefined;
  const network = { ...address, prefix };
  return address.bytes.every((byte, index) => (byte & ~maskAt(prefix, index) & 0xff) === 0) ? network : undefined;
}

export function contains(network: Network, { family, bytes }: NetworkAddress): boolean {
  return network.family === family && network.bytes.every((byte, index) => byte === ((bytes[index] ?? 0) & maskAt(network.prefix, index)));
}

/** The byte of the network mask. */
function maskAt(prefix: number, index: number): number {
  const bits = Math.min(Math.max(prefix - index * 8, 0), 8);
  return (0xff << (8 - bits)) & 0xff;
}

export function isLoopback({ family, bytes }: NetworkAddress): boolean {
  return family === 4 ? bytes[0] === 127 : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true;
  const address = parseNetworkAddress(host);
  return address !== undefined && isLoopback(address);
}

/** `host:port` as it stands in addresses, where IPv6 has brackets. */
export function authorityOf(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
