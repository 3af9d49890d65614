/** POST /api/chat. */
import type { FastifyInstance } from 'fastify';
import { LecternError } from '../../errors.js';
import { parseKeepAlive } from '../../models/keep-alive-notation.js';
import { FieldError } from '../fields.js';
import { purposeOf } from '../language.js';
import { readToolChoice } from '../openai/tool-choice.js';
import { type LanguageRoute, answerOllama, loadOrUnload } from './answering.js';
import { findModel, notFound, readBody, readFormat, readModelName, readThink, refuseUnhonoured, wholeName } from './body.js';
import { describeMessage, readMessages, readTools } from './messages.js';
import { readOptions } from './options.js';

export function addChat(scope: FastifyInstance, route: LanguageRoute): void {
  scope.post('/api/chat', async (request, reply) => {
    const fields = readBody(request.body);
    const model = readModelName(fields);
    if (model === '') throw new FieldError('model', 'model is required');
    const entry = await findModel(route.services, model, notFound.chat);
    const messages = readMessages(fields);
    refuseUnhonoured(fields);
    const { sampling, context } = readOptions(fields, entry, route.log, request.id);
    const keepAlive = parseKeepAlive(fields.raw('keep_alive'));
    const asked = { entry, model, keepAlive, context };
    if (!entry.capabilities.includes('completion')) throw new LecternError('invalid_request', `"${model}" does not support chat; it ${purposeOf(entry)}`);
    if (messages.length === 0) return loadOrUnload(route, reply, asked, { message: { role: 'assistant', content: '' } });
    const { tools, toolChoice } = readToolChoice(fields, readTools(fields));
    if (tools.length > 0 && !entry.capabilities.includes('tools')) throw new LecternError('invalid_request', `${wholeName(entry.name)} does not support tools`);
    const think = readThink(fields, entry);
    let calls = 0;
    return answerOllama(route, request, reply, {
      ...asked,
      stream: fields.boolean('stream') ?? true,
      answer: {
        input: {
          kind: 'messages',
          messages,
          tools,
          toolChoice,
          dropOldest: fields.boolean('truncate') ?? true,
          ...(think === undefined ? {} : { think }),
        },
        format: readFormat(fields),
        sampling,
      },
    }, {
      part: (part) => ({ message: describeMessage(part === null ? [] : [part], part?.kind === 'toolCall' ? calls++ : 0) }),
      whole: (parts) => ({ message: describeMessage(parts) }),
      last: () => ({}),
    });
  });
}
