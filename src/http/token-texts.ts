/** Token ids as text. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Lease } from '../models/types.js';

/** 5 ms of the event loop. */
const idsPerTurn = 2_000;

const decoder = new TextDecoder();

/** One token, with U+FFFD for what is only a part of a character. */
export function tokenText({ model }: Lease, id: number): string {
  return decoder.decode(model.tokenBytes(id));
}

/** Many tokens, in turns of the event loop; undefined where the text is longer than `most` characters. */
export async function textOfTokens({ model }: Lease, ids: readonly number[], most: number): Promise<string | undefined> {
  const whole = new TextDecoder();
  let text = '';
  for (let at = 0; at < ids.length; at += idsPerTurn) {
    text += whole.decode(Buffer.concat(ids.slice(at, at + idsPerTurn).map((id) => model.tokenBytes(id))), { stream: true });
    if (text.length > most) return undefined;
    await nextTurn();
  }
  return text + whole.decode();
}
