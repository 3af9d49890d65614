/** JSON bodies of the language routes, whatever their content type says. */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { parseJson } from '../chat/sandbox/json-text.js';
import { LecternError } from '../errors.js';
import type { LanguageServices } from './language.js';

/** Beyond any model's context as text: a million tokens have some 4 MB. */
export const maxBodyBytes = 16 * 2 ** 20;
/** A body of this size is parsed in under a millisecond, whatever it holds; a longer one in the sandbox. */
const shortBodyBytes = 64 * 1024;

/**
 * Every body that reaches this scope becomes a value of JSON, an empty one `undefined`. The `ollama` command line sends a JSON
 * content type with no body and curl a form's type with JSON, so the type is not checked. Failures are `invalid_request`, and `queue_full` for a long body.
 */
export function readJsonBodies(scope: FastifyInstance, { readJson }: Pick<LanguageServices, 'readJson'>): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { pieces, length } = await collect(request);
    if (length === 0) return undefined;
    if (length <= shortBodyBytes) return parseJson(Buffer.concat(pieces, length));
    const value = await readJson(pieces);
    // Receiving a large value takes milliseconds, and so does checking it: other requests may come between.
    await nextTurn();
    return value;
  });
}

/** The pieces of a body as they come, decoded: joining those of a long one would take ten milliseconds at once. Rejects with Fastify's own errors, and `cancelled`. */
async function collect({ raw, headers }: FastifyRequest): Promise<{ pieces: Buffer[]; length: number }> {
  const declared = Number(headers['content-length']);
  if (declared > maxBodyBytes) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
  const decoder = decoderOf(headers['content-encoding']);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    // The request's stream must live on after a failure, or the client would not get to read the answer.
    const source = decoder === null ? raw.iterator({ destroyOnReturn: false }) : decoded(raw, decoder);
    for await (const piece of source as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBodyBytes) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
      pieces.push(piece);
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ECONNRESET') throw new LecternError('cancelled', 'The client went away.');
    if (decoder !== null && decoder.errored === thrown) throw new LecternError('invalid_request', 'The request body is not what its content-encoding says.', { cause: thrown });
    throw thrown;
  }
  return { pieces, length };
}

/** A client that goes away ends what is decoded, too. */
function decoded(raw: IncomingMessage, decoder: Transform): Transform {
  raw.once('close', () => {
    if (!raw.readableEnded) decoder.destroy(Object.assign(new Error('The client went away.'), { code: 'ECONNRESET' }));
  });
  return raw.pipe(decoder);
}

/** Null for a body that comes as it is. Throws `unsupported_format` for an encoding that is not read. */
function decoderOf(encoding: string | undefined): Transform | null {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '': case 'identity': return null;
    case 'gzip': case 'x-gzip': return createGunzip();
    case 'deflate': return createInflate();
    case 'br': return createBrotliDecompress();
    default: throw new LecternError('unsupported_format', `The content-encoding '${encoding?.slice(0, 100)}' is not supported, only gzip, deflate, br and identity.`);
  }
}
