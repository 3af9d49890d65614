/** HTTP as strangers write it: bytes on a socket, whatever they are, and the answer as it comes back. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** Of the first answer; 0 where the connection was closed without one. */
  status: number;
  text: string;
}

/** So long after the last byte a service that says nothing hangs. */
const patienceMs = 120_000;

/** Sends the pieces as they are and reads to the end of the connection. Rejects when nothing happens for two minutes. */
export function sendRaw(port: number, ...pieces: (string | Uint8Array)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(patienceMs, () => {
      socket.destroy();
      reject(new Error(`no answer and no end to ${JSON.stringify(String(pieces[0]).slice(0, 200))}`));
    });
    socket.on('data', (chunk: Buffer) => { text += chunk.toString('latin1'); });
    // A reset is an end, too: what was answered before it counts.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0), text }));
    for (const piece of pieces) socket.write(piece);
  });
}

/** A POST whose body has its length told; the connection ends with the answer. */
export function postRaw(port: number, path: string, contentType: string, body: Uint8Array): Promise<RawAnswer> {
  return sendRaw(port, `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${contentType}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`, body);
}

/** Opened, and given `text`; settles once both have happened. */
export function openWith(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      socket.resume();
      if (text === '') resolve(socket);
      else socket.write(text, () => resolve(socket));
    });
    socket.once('error', reject);
  });
}
