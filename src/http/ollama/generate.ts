/** POST /api/generate. */
import type { FastifyInstance } from 'fastify';
import type { AnswerRequest } from '../../chat/answer.js';
import type { OutputPart } from '../../chat/conversation.js';
import { LecternError } from '../../errors.js';
import { parseKeepAlive } from '../../models/keep-alive-notation.js';
import type { CatalogueEntry } from '../../models/types.js';
import { FieldError, type Fields } from '../fields.js';
import { purposeOf } from '../language.js';
import { type LanguageRoute, answerOllama, loadOrUnload } from './answering.js';
import { findModel, notFound, readBody, readFormat, readModelName, readThink, refuseImages, refuseUnhonoured } from './body.js';
import { readOptions } from './options.js';

export function addGenerate(scope: FastifyInstance, route: LanguageRoute): void {
  scope.post('/api/generate', async (request, reply) => {
    const fields = readBody(request.body);
    const model = readModelName(fields);
    const entry = await findModel(route.services, model, notFound.chat);
    const { sampling, context } = readOptions(fields, entry, route.log, request.id);
    const keepAlive = parseKeepAlive(fields.raw('keep_alive'));
    const asked = { entry, model, keepAlive, context };
    refuseUnhonoured(fields);
    fields.boolean('truncate');
    const prompt = fields.string('prompt') ?? '';
    // Pictures without a prompt would have to be read, not loaded for.
    refuseImages(fields);
    // An embedding model may be loaded and unloaded like any other; the command line does so with `stop`.
    if (prompt === '' && (fields.string('suffix') ?? '') === '') return loadOrUnload(route, reply, asked, { response: '' });
    if (!entry.capabilities.includes('completion')) throw new LecternError('invalid_request', `"${model}" does not support generate; it ${purposeOf(entry)}`);
    const raw = fields.boolean('raw') ?? false;
    const input = raw ? readRaw(fields, prompt) : readTemplated(fields, prompt, entry, model);
    return answerOllama(route, request, reply, {
      ...asked,
      stream: fields.boolean('stream') ?? true,
      answer: { input, format: readFormat(fields), sampling, wantsPromptIds: !raw },
    }, {
      part: (part) => describeResponse(part === null ? [] : [part]),
      whole: describeResponse,
      last: ({ promptIds, choices }) => (promptIds === undefined ? {} : { context: [...promptIds, ...choices[0]?.tokens.ids ?? []] }),
    });
  });
}

function readRaw(fields: Fields, prompt: string): AnswerRequest['input'] {
  const given = (name: string): boolean => (fields.string(name) ?? '') !== '';
  if (given('template') || given('system') || fields.has('context')) throw new FieldError('raw', 'raw mode does not support template, system, or context');
  return { kind: 'prompt', prompt: [{ text: prompt, special: true }], addSpecial: true };
}

function readTemplated(fields: Fields, prompt: string, entry: CatalogueEntry, model: string): AnswerRequest['input'] {
  if ((fields.string('template') ?? '') !== '') fields.refuse('template', 'is not supported: models keep their own');
  if ((fields.string('suffix') ?? '') !== '') throw new FieldError('suffix', `"${model}" does not support insert`);
  const think = readThink(fields, entry);
  const system = fields.string('system') ?? '';
  const before = fields.list('context');
  if (before?.some((id) => !Number.isSafeInteger(id))) fields.refuse('context', 'must be a list of integers');
  return {
    kind: 'messages',
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), { role: 'user', content: prompt }],
    tools: [],
    toolChoice: 'none',
    ...(think === undefined ? {} : { think }),
    ...(before === undefined || before.length === 0 ? {} : { before: before as number[] }),
  };
}

function describeResponse(parts: OutputPart[]): Record<string, unknown> {
  const text = (kind: 'text' | 'reasoning'): string => parts.map((part) => (part.kind === kind ? part.text : '')).join('');
  const thinking = text('reasoning');
  return { response: text('text'), ...(thinking === '' ? {} : { thinking }) };
}
