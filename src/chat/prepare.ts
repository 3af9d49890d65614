/** What stands before the first token of an answer: the prompt's ids, the grammar that the answer keeps, and how its text is read. */
import type { PromptPart } from '../engine/port.js';
import { LecternError } from '../errors.js';
import type { Lease } from '../models/types.js';
import type { AnswerRequest, Conversation } from './answer.js';
import type { Message, OutputFormat } from './conversation.js';
import { fit, mustFit, refuseFarTooLong } from './fit.js';
import { type AnswerForm, answerForm, type FormQuestion, thoughtsOf } from './form.js';
import { controlToken, specialToken, tokenText } from './model-texts.js';
import { type OutputSyntax, plainText } from './output/reader.js';
import { type ChatTemplate, chooseTemplate, renderPrompt, renderRoughly, sizeOf, sourceOf, stopsOf } from './prompt/render.js';

export interface PreparedPrompt {
  ids: number[];
  droppedMessages: number;
  /** GBNF, or null for free text. */
  grammar: string | null;
  grammarTriggers: readonly string[];
  grammarRequired: boolean;
  /** Where a message ends by the template's form. */
  stops: readonly string[];
  syntax: OutputSyntax;
  /** Control tokens that structure the answer, with their texts. */
  controlMarkers: ReadonlyMap<number, string>;
}

/** Rejects with `context_overflow`, `invalid_request`, `invalid_model`, `cancelled`. */
export async function prepare(lease: Lease, { input, format }: AnswerRequest, signal: AbortSignal, now: Date): Promise<PreparedPrompt> {
  if (input.kind === 'messages') return prepareConversation(lease, input, format, signal, now);
  const form = answerForm({ format, tools: [], toolChoice: 'none', singleToolCall: false, think: undefined, source: '', opensThought: false });
  const { prompt, addSpecial } = input;
  const isIds = Array.isArray(prompt) && typeof (prompt as readonly unknown[])[0] === 'number';
  if (!isIds) await refuseFarTooLong(lease, sizeOf(prompt), () => ({ prompt, addSpecial }), signal);
  const ids = isIds ? [...prompt as readonly number[]] : await lease.model.tokenize(prompt, { addSpecial, signal });
  if (ids.length === 0) throw new LecternError('invalid_request', 'The prompt has no tokens.', { about: 'prompt' });
  mustFit(lease, ids.length);
  return { ids, droppedMessages: 0, grammar: form.grammar, grammarTriggers: form.grammarTriggers, grammarRequired: form.grammarRequired, stops: [], syntax: plainText, controlMarkers: new Map() };
}

async function prepareConversation(lease: Lease, conversation: Conversation, format: OutputFormat, signal: AbortSignal, now: Date): Promise<PreparedPrompt> {
  const template = chooseTemplate(lease.entry) ?? await formWithoutTemplate(lease);
  const source = sourceOf(template);
  const { tools, toolChoice, singleToolCall = false, think, before = [] } = conversation;
  const offered = toolChoice === 'none' ? [] : tools;
  const [bosText, eosText] = [tokenText(lease, 'bos'), tokenText(lease, 'eos')];
  const forms = new Map<boolean, AnswerForm>();
  const formFor = (opensThought: boolean): AnswerForm => {
    const form = forms.get(opensThought) ?? formOf({ format, tools: offered, toolChoice, singleToolCall, think, source, opensThought });
    forms.set(opensThought, form);
    return form;
  };
  const options = { tools: offered, now, bosText: before.length > 0 ? '' : bosText, eosText, ...(think === undefined ? {} : { think }) };
  const toolsSize = sizeOf(offered);
  const fitted = await fit(lease, {
    messages: withModelMessages(lease, conversation),
    dropOldest: conversation.dropOldest ?? false,
    before,
    sizeOf: (messages) => sizeOf(messages) + toolsSize,
    renderRoughly: (messages) => {
      const { parts, addSpecial } = renderRoughly(template, messages, options);
      return { prompt: parts, addSpecial };
    },
    render: (messages) => {
      const { parts, addSpecial } = renderPrompt(template, messages, options);
      const form = formFor(endsInThought(parts, source));
      const prompt = form.promptEnd === '' ? parts : [...parts, { text: form.promptEnd, special: true }];
      return { prompt, addSpecial, rendered: form };
    },
  }, signal);
  const { grammar, grammarTriggers, grammarRequired, syntax, markers } = fitted.rendered;
  const controls = await Promise.all(markers.map(async (marker) => [await controlToken(lease.model, marker), marker] as const));
  return {
    ids: fitted.ids, droppedMessages: fitted.droppedMessages, grammar, grammarTriggers, grammarRequired, syntax, stops: stopsOf(template),
    controlMarkers: new Map(controls.flatMap(([id, marker]) => (id === null ? [] : [[id, marker] as const]))),
  };
}

/** A failure that does not say which of the two it is about has only one where only one was asked for. */
function formOf(question: FormQuestion): AnswerForm {
  try {
    return answerForm(question);
  } catch (thrown) {
    const about = question.tools.length === 0 ? 'format' as const : question.format.kind === 'text' ? 'tools' as const : undefined;
    if (!(thrown instanceof LecternError) || thrown.code !== 'invalid_request' || thrown.about !== undefined || about === undefined) throw thrown;
    throw new LecternError(thrown.code, thrown.message, { cause: thrown, about });
  }
}

/** Vocabularies that know how a message begins and ends have a form without a template. */
async function formWithoutTemplate(lease: Lease): Promise<ChatTemplate> {
  return { kind: await specialToken(lease.model, '<|im_start|>') === null ? 'plain' : 'chatml' };
}

/** An Ollama store's model may have a system message and an opening of its own; the client's system message stands in place of the first. */
function withModelMessages(lease: Lease, { messages, before }: Conversation): Message[] {
  const { system, messages: opening } = lease.entry;
  const isRole = (role: string): role is Message['role'] => ['system', 'user', 'assistant', 'tool'].includes(role);
  const own = before === undefined ? opening.flatMap(({ role, content }): Message[] => (isRole(role) ? [{ role, content }] : [])) : [];
  const all = [...own, ...messages];
  if (all.length === 0) throw new LecternError('invalid_request', 'The conversation has no messages.');
  return system === null || system === '' || messages[0]?.role === 'system' ? all : [{ role: 'system', content: system }, ...all];
}

function endsInThought(parts: readonly PromptPart[], source: string): boolean {
  const thoughts = thoughtsOf(source);
  const last = parts.at(-1);
  return thoughts !== null && last?.special === true && last.text.trimEnd().endsWith(thoughts.open);
}
