/** Where this service may send a request: hosts that the settings name, and never an address of its own network behind a name. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { LecternError } from '../../errors.js';

/** All addresses of a name, in the resolver's order. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>;

export const systemResolver: ResolveHost = (hostname) => lookup(hostname, { all: true, verbatim: true });

/** Every range that is not the public internet: private, loopback, link-local, shared, test, multicast, reserved. */
const notPublic = new BlockList();
const ranges4: [string, number][] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.0.0.0', 24],
  ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24],
  ['224.0.0.0', 4], ['240.0.0.0', 4],
];
for (const [address, prefix] of ranges4) notPublic.addSubnet(address, prefix, 'ipv4');
// Only 2000::/3 is handed out; inside it: Teredo, test and 6to4 addresses, which may lead to IPv4 ones of any kind.
const public6 = new BlockList();
public6.addSubnet('2000::', 3, 'ipv6');
const ranges6: [string, number][] = [['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20]];
for (const [address, prefix] of ranges6) notPublic.addSubnet(address, prefix, 'ipv6');

/** False for everything that is not plainly an address of the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, 'ipv4');
  // IPv4 addresses in IPv6 clothes lie outside 2000::/3.
  return family === 6 && public6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

/** Whether `url` is of a host that the list names: `host` for the scheme's own port, `host:port`, `*.domain` for all below it. */
export function isListedHost(url: URL, list: readonly string[]): boolean {
  const host = bareHost(url);
  const isUsualPort = url.port === '';
  const port = url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
  return list.some((entry) => {
    const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (entryPort === undefined ? !isUsualPort : entryPort !== port) return false;
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) && host.length > name.length - 1 : host === name;
  });
}

/** The host without brackets and without the dot that ends an absolute name. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Throws `forbidden` with a sentence unless the address may be asked at all. Resolves no name. */
export function checkUrl(text: string, list: readonly string[]): URL {
  if (!URL.canParse(text)) throw new LecternError('forbidden', 'The address is not a valid URL.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new LecternError('forbidden', 'Only http and https addresses are allowed.');
  if (url.username !== '' || url.password !== '') throw new LecternError('forbidden', 'An address must not hold a user name or password.');
  if (!isListedHost(url, list)) throw new LecternError('forbidden', `The host '${url.host}' is not in the service's list of allowed hosts.`);
  return url;
}

export interface Destination {
  url: URL;
  /** Connect here and nowhere else: the name is not resolved again. */
  address: string;
  family: number;
}

/**
 * Resolves the name once and checks every address it has. An address in numbers that the list names is taken as it is: the
 * operator wrote it. A name may only lead to the public internet, or its owner could point it at this network.
 */
export async function findDestination(text: string, list: readonly string[], resolve: ResolveHost): Promise<Destination> {
  const url = checkUrl(text, list);
  const host = bareHost(url);
  if (isIP(host) !== 0) return { url, address: host, family: isIP(host) };
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw new LecternError('not_found', `The host '${host}' could not be found.`, { cause });
  });
  const [first] = addresses;
  if (first === undefined) throw new LecternError('not_found', `The host '${host}' could not be found.`);
  if (!addresses.every(({ address }) => isPublicAddress(address))) {
    throw new LecternError('forbidden', `The host '${host}' leads to an address that is not public.`);
  }
  return { url, address: first.address, family: first.family };
}
