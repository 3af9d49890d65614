/** The file that says which networks and keys have which role. */
import { hashKey } from './access-key.js';
import { LecternError } from '../errors.js';
import { contains, isLoopback, type Network, type NetworkAddress, parseNetwork } from './address.js';

/** Every list has these; a line `role NAME` adds another. */
export const standardRoles = ['administrator', 'researcher', 'student'];

export const administratorRole = 'administrator';

export interface Judgement {
  holder: KeyHolder | undefined;
  /** A program of this host. */
  isLocal: boolean;
  role: string | undefined;
  enters: boolean;
}

export interface KeyHolder {
  name: string;
  role: string;
}

export class AccessList {
  /** Longest prefix first. */
  private readonly networks: { network: Network; role: string }[] = [];
  /** By the hash of the key: what is looked up is no secret, so the time of the look-up reveals nothing. */
  private readonly keys = new Map<string, KeyHolder>();
  readonly roles = new Set(standardRoles);

  /** `place` names the file in messages. Throws `invalid_request` naming the line: half a list would let the wrong ones in. */
  constructor(text: string, place: string) {
    const lines = text.split('\n').map((raw, index) => ({ number: index + 1, words: raw.replace(/#.*/, '').trim().split(/\s+/) })).filter(({ words }) => words[0] !== '');
    for (const { words } of lines) if (words[0] === 'role' && words.length === 2) this.roles.add(words[1] as string);
    for (const { words, number } of lines) {
      const wrong = this.read(words);
      if (wrong !== undefined) throw new LecternError('invalid_request', `Line ${number} of the access list ${place} ${wrong}.`);
    }
    this.networks.sort((a, b) => b.network.prefix - a.network.prefix);
  }

  /** Of the longest prefix that holds the address. */
  roleOf(address: NetworkAddress): string | undefined {
    return this.networks.find(({ network }) => contains(network, address))?.role;
  }

  /** Whether a line speaks of loopback itself. What holds far more than loopback, like 0.0.0.0/0, means those who come over the network. */
  namesLoopback(address: NetworkAddress): boolean {
    return this.networks.some(({ network }) => isLoopback(network) && contains(network, address));
  }

  holderOf(key: string): KeyHolder | undefined {
    return this.keys.size === 0 ? undefined : this.keys.get(hashKey(key));
  }

  /**
   * What the list says to a caller. A key that it knows decides; else, unless the list names loopback's networks itself, a program of this host
   * is an administrator, whom `allowedRoles` does not keep out; else the address decides.
   */
  judge({ address, key, isOfThisHost }: { address: NetworkAddress; key: string; isOfThisHost: boolean }, allowedRoles: readonly string[]): Judgement {
    const holder = this.holderOf(key);
    const isLocal = holder === undefined && isOfThisHost && !this.namesLoopback(address);
    const role = holder?.role ?? (isLocal ? administratorRole : this.roleOf(address));
    return { holder, isLocal, role, enters: role !== undefined && (isLocal || allowedRoles.includes(role)) };
  }

  /** Those who have keys, in the order of the list. */
  holders(): KeyHolder[] {
    return [...this.keys.values()];
  }

  /** The networks with their roles, the longest prefix first. */
  lines(): { network: Network; role: string }[] {
    return [...this.networks];
  }

  /** Whether a key of one of these roles exists. */
  hasKeyOf(roles: readonly string[]): boolean {
    return [...this.keys.values()].some(({ role }) => roles.includes(role));
  }

  private read(words: string[]): string | undefined {
    const [first = '', second = ''] = words;
    if (first === 'role') return words.length === 2 ? undefined : 'is not `role NAME`';
    if (first === 'key') return this.readKey(words);
    if (words.length !== 2) return 'is not `NETWORK ROLE`';
    const network = parseNetwork(first);
    if (network === undefined) return `holds "${first}", which is no network (like 10.0.0.0/8 or 2001:db8::/32, with no bits set behind the prefix)`;
    if (!this.roles.has(second)) return this.unknown(second);
    if (this.networks.some((other) => other.network.prefix === network.prefix && contains(other.network, network))) return `names ${first} a second time`;
    this.networks.push({ network, role: second });
    return undefined;
  }

  private readKey([, name = '', role = '', hash = '', ...more]: string[]): string | undefined {
    if (!/^sha256:[0-9a-f]{64}$/.test(hash) || more.length > 0) return 'is not `key NAME ROLE sha256:HASH`; `lectern keys add NAME ROLE` makes one';
    if (!this.roles.has(role)) return this.unknown(role);
    this.keys.set(hash, { name, role });
    return undefined;
  }

  private unknown(role: string): string {
    return `gives the role "${role}", which is not one of ${[...this.roles].join(', ')}; a line \`role ${role}\` would make it one`;
  }
}
