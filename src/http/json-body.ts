/** JSON bodies of the language routes, whatever their content type says. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { parseJson } from '../chat/sandbox/json-text.js';
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
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, async (_request: unknown, body: Buffer) => {
    if (body.length === 0) return undefined;
    if (body.length <= shortBodyBytes) return parseJson(body);
    const value = await readJson(body);
    // Receiving a large value takes milliseconds, and so does checking it: other requests may come between.
    await nextTurn();
    return value;
  });
}
