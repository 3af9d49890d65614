/** Requests that offer another protocol. Java's HTTP client offers `h2c` with its first one: as HTTP has it, what is not spoken here is passed over, and the request is answered. */
import { IncomingMessage } from 'node:http';

const offered = Symbol('offered');

/** Whether the client wants a WebSocket, the one protocol that connections change to. */
export function offersWebSocket({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /^websocket$/i.test(headers.upgrade ?? '');
}

/**
 * Node hands every request with an `upgrade` to the listener for WebSockets, without its body, and decides by this property: it is set
 * before the headers are known, and read after.
 */
export class AnswerableRequest extends IncomingMessage {
  declare [offered]?: boolean | null;

  get upgrade(): boolean {
    return this[offered] === true && offersWebSocket(this);
  }

  set upgrade(value: boolean | null) {
    this[offered] = value;
  }
}
