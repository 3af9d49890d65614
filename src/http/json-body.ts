/** JSON bodies of the language routes, whatever their content type says. */
import type { FastifyInstance } from 'fastify';
import { LecternError } from '../errors.js';

/** Beyond any model's context as text; JSON of this size is parsed in some 0.2 s. */
const maxBodyBytes = 32 * 2 ** 20;

/**
 * Every body that reaches this scope becomes a value of JSON, an empty one `undefined`. The `ollama` command line sends a JSON
 * content type with no body and curl a form's type with JSON, so the type is not looked at. Failures are `invalid_request`.
 */
export function readJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) => {
    const bytes = body as Buffer;
    if (bytes.length === 0) return done(null, undefined);
    try {
      done(null, parse(bytes));
    } catch (thrown) {
      done(thrown as Error);
    }
  });
}

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new LecternError('invalid_request', 'The request body is not UTF-8.', { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LecternError('invalid_request', `The request body is not valid JSON${whereOf(cause as Error)}.`, { cause });
  }
}

/** The parser's own sentence quotes the body, and answers end up in logs. */
function whereOf({ message }: Error): string {
  if (/end of JSON input/.test(message)) return ': it ends too early';
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : `: position ${position}`;
}
