/** The end of a connection whose last answer is not an HTTP response of the server: flushed, then destroyed, whatever the client does. */
import type { Socket } from 'node:net';

/** Long enough for an answer of some hundred bytes to cross any network, and for a client to close its side. */
const lingerMs = 1_000;

/**
 * Sends `text`, ends this side and reads what still comes, because a socket that is closed with unread bytes is reset and the client may
 * lose the answer. The socket is destroyed when the client ends its side too, or after a second. Without the destruction a client
 * that stays would hold the file descriptor in FIN-WAIT-2 for as long as it likes.
 */
export function closeAfterReply(socket: Socket, text: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroySoon());
  socket.on('error', () => undefined);
  socket.end(text);
  socket.resume();
}

/** A whole HTTP answer with a JSON body, for connections that have no request to answer. */
export function lastReply(status: string, detail: string): string {
  const body = JSON.stringify({ detail });
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n${body}`;
}
