/** Fetches a document of a source of kind http into a file: within size and time, from allowed hosts only. */
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FetchRemote } from '../../convert/task/payload.js';
import { LecternError } from '../../errors.js';
import type { HttpSettings } from '../settings.js';
import type { ResolveHost } from './destination.js';
import { outbound } from './request.js';

const timeoutMs = 60_000;
const maxRedirects = 5;

/** What a conversion task calls for its sources of kind http. Put together by the app, since tasks know no HTTP. */
export function createFetchRemote(settings: Pick<HttpSettings, 'httpSources' | 'maxFileSize'>, resolveHost?: ResolveHost): FetchRemote {
  const rules = { hosts: settings.httpSources, timeoutMs, maxRedirects, ...(resolveHost === undefined ? {} : { resolveHost }) };
  return (source, toFile, signal) =>
    outbound(source.url, { method: 'GET', headers: source.headers }, rules, signal, async (answer, either) => {
      const encoding = answer.headers['content-encoding'] ?? 'identity';
      const status = answer.statusCode ?? 0;
      if (status !== 200) {
        answer.destroy();
        throw new LecternError('not_found', `The host answered ${status} instead of the document.`);
      }
      if (encoding !== 'identity') {
        answer.destroy();
        throw new LecternError('unsupported_format', 'The host sent the document in a compressed encoding that was not asked for.');
      }
      await pipeline(answer, sizeLimit(settings.maxFileSize), createWriteStream(toFile, { mode: 0o600 }), { signal: either }).catch(explain);
    });
}

function explain(thrown: unknown): never {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    throw new LecternError('not_found', 'The host ended the connection before the document was complete.', { cause: thrown });
  }
  throw thrown;
}

function sizeLimit(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(new LecternError('too_large', `The document is larger than the ${maxBytes} bytes that are accepted.`));
      else done(null, chunk);
    },
  });
}
