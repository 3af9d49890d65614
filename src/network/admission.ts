/** Which connections may enter. The decision falls when one is accepted, before a byte of it is read and before a TLS handshake. */
import type { Socket } from 'node:net';
import { parseNetworkAddress } from './address.js';
import { closeAfterReply, lastReply } from './close-after-reply.js';

export interface AdmissionRules {
  /** Connections that one address may hold open. Default: no bound. */
  mostPerAddress?: number;
  /** Whether an address speaks for many clients, as a proxy does; the bound does not hold for it. */
  isShared?: (address: string) => boolean;
  /** Why an address may not enter, as a sentence for the client; undefined where it may. */
  refusalOf?: (address: string) => string | undefined;
  /** Called with the first connection of an address that is refused, and with the next one after a minute: for the log. */
  onRefused?: (address: string, sentence: string) => void;
}

const reportEveryMs = 60_000;
/** More than a network has that is misconfigured; an attack from more addresses is reported without names being kept. */
const mostReported = 1_000;
/** Refused connections that are being answered at a time; further ones are closed without an answer. */
const mostFarewells = 32;

export class Admission {
  /** Open connections by address, or by network for IPv6. */
  readonly #open = new Map<string, number>();
  /** When each refused address was last reported. */
  readonly #reported = new Map<string, number>();
  #farewells = 0;

  constructor(private readonly rules: AdmissionRules) {}

  /** False where the connection was refused; then it is closed already or will be within a second. `canReply`: HTTP without TLS is spoken on it. */
  admit(connection: Socket, canReply: boolean): boolean {
    const address = connection.remoteAddress;
    // A client that has left already has no address any more.
    if (address === undefined) {
      connection.destroy();
      return false;
    }
    const sentence = this.rules.refusalOf?.(address);
    if (sentence !== undefined) {
      this.#report(address, sentence);
      this.#refuse(connection, canReply ? sentence : undefined);
      return false;
    }
    return this.#count(connection, address);
  }

  #report(address: string, sentence: string): void {
    const now = performance.now();
    if (now - (this.#reported.get(address) ?? -Infinity) < reportEveryMs) return;
    if (this.#reported.size >= mostReported) this.#reported.clear();
    this.#reported.set(address, now);
    this.rules.onRefused?.(address, sentence);
  }

  #refuse(connection: Socket, sentence: string | undefined): void {
    if (sentence === undefined || this.#farewells >= mostFarewells) {
      connection.destroy();
      return;
    }
    this.#farewells++;
    connection.once('close', () => { this.#farewells--; });
    closeAfterReply(connection, lastReply('403 Forbidden', sentence));
  }

  #count(connection: Socket, address: string): boolean {
    const { mostPerAddress = Infinity, isShared } = this.rules;
    if (mostPerAddress === Infinity || isShared?.(address)) return true;
    const place = placeOf(address);
    const open = this.#open.get(place) ?? 0;
    if (open >= mostPerAddress) {
      connection.destroy();
      return false;
    }
    this.#open.set(place, open + 1);
    connection.once('close', () => {
      const left = (this.#open.get(place) ?? 1) - 1;
      if (left > 0) this.#open.set(place, left);
      else this.#open.delete(place);
    });
    return true;
  }
}

/** A host of IPv6 has a whole /64 network of addresses at its disposal, so these count as one. */
function placeOf(text: string): string {
  const address = parseNetworkAddress(text);
  if (address === undefined) return text;
  return Buffer.from(address.family === 4 ? address.bytes : address.bytes.subarray(0, 8)).toString('hex');
}
