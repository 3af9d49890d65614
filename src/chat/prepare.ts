/** What stands before the first token of an answer: the prompt's ids, the grammar that the answer keeps, and how its text is read. */
import { LecternError } from '../errors.js';
import type { Lease } from '../models/types.js';
import type { AnswerRequest, Conversation } from './answer.js';
import { type Checks, nothingToCheck } from './check.js';
import type { PromptPart } from '../engine/port.js';
import type { Message, OutputFormat, Tool } from './conversation.js';
import { type Beginning, fit, mustFit, refuseFarTooLong } from './fit.js';
import { type AnswerForm, answerForm, type FormQuestion, isFixedForm, syntaxOf } from './form.js';
import { controlToken, specialToken, tokenText } from './model-texts.js';
import { type OutputSyntax, plainText } from './output/reader.js';
import { beginningOf, withPart } from './prompt/packed.js';
import { chooseTemplate, sizeOf, sourceOf, stopsOf, type TemplateSource } from './prompt/render.js';
import type { Sandbox } from './sandbox/sandbox.js';
import type { RenderQuestion } from './sandbox/verbs.js';

/** What renders prompts, compiles schemas and checks answers beside the event loop. */
export type Preparer = Pick<Sandbox, 'render' | 'form' | 'check'>;

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
  /** What is to be checked when the answer is finished. */
  checks: Checks;
}

/** Rejects with `context_overflow`, `invalid_request`, `invalid_model`, `cancelled`. */
export async function prepare(sandbox: Preparer, lease: Lease, { input, format }: AnswerRequest, signal: AbortSignal, now: Date): Promise<PreparedPrompt> {
  if (input.kind === 'messages') return prepareConversation(sandbox, lease, input, format, signal, now);
  const form = await formOf(sandbox, { format, tools: [], toolChoice: 'none', singleToolCall: false, think: undefined, source: '', opensThought: false });
  const { prompt, addSpecial } = input;
  const isIds = (asked: typeof prompt): asked is readonly number[] => Array.isArray(asked) && typeof (asked as readonly unknown[])[0] === 'number';
  if (!isIds(prompt)) {
    const parts: readonly PromptPart[] = typeof prompt === 'string' ? [{ text: prompt, special: false }] : prompt;
    const beginning = async (mostCharacters: number): Promise<Beginning> => {
      const { parts: kept, isCut } = beginningOf(parts, mostCharacters);
      return { prompt: kept, addSpecial, isCut };
    };
    await refuseFarTooLong(lease, sizeOf(prompt), beginning, signal);
  }
  const ids = isIds(prompt) ? [...prompt] : await lease.model.tokenize(prompt, { addSpecial, signal });
  if (ids.length === 0) throw new LecternError('invalid_request', 'The prompt has no tokens.', { about: 'prompt' });
  mustFit(lease, ids.length);
  return { ids, droppedMessages: 0, grammar: form.grammar, grammarTriggers: form.grammarTriggers, grammarRequired: form.grammarRequired, stops: [], syntax: plainText, controlMarkers: new Map(), checks: checksOf(form, format, []) };
}

/** What a conversation's prompt is rendered from. Throws `invalid_model` and `invalid_request`. */
export async function promptQuestion(lease: Lease, conversation: Conversation, now: Date): Promise<Omit<RenderQuestion, 'roughly'> & { options: { tools: readonly Tool[] } }> {
  const { tools, toolChoice, think, templateVariables, before = [] } = conversation;
  return {
    template: chooseTemplate(lease.entry) ?? await formWithoutTemplate(lease),
    messages: withModelMessages(lease, conversation),
    options: {
      tools: toolChoice === 'none' ? [] : tools, now, bosText: before.length > 0 ? '' : tokenText(lease, 'bos'), eosText: tokenText(lease, 'eos'), ...(think === undefined ? {} : { think }),
      ...(templateVariables === undefined ? {} : { variables: templateVariables }),
    },
  };
}

async function prepareConversation(
  sandbox: Preparer, lease: Lease, conversation: Conversation, format: OutputFormat, signal: AbortSignal, now: Date,
): Promise<PreparedPrompt> {
  const question = await promptQuestion(lease, conversation, now);
  const { template, options } = question;
  const source = sourceOf(template);
  const { toolChoice, singleToolCall = false, think, before = [] } = conversation;
  const offered = options.tools;
  const forms = new Map<boolean, AnswerForm>();
  const formFor = async (opensThought: boolean): Promise<AnswerForm> => {
    const form = forms.get(opensThought) ?? await formOf(sandbox, { format, tools: offered, toolChoice, singleToolCall, think, source, opensThought });
    forms.set(opensThought, form);
    return form;
  };
  const toolsSize = sizeOf(offered);
  const fitted = await fit(lease, {
    messages: question.messages,
    dropOldest: conversation.dropOldest ?? false,
    before,
    sizeOf: (messages) => sizeOf(messages) + toolsSize,
    renderRoughly: (messages, mostCharacters) => sandbox.render({ template, messages, options, roughly: { mostCharacters } }),
    render: async (messages) => {
      const { prompt, addSpecial, opensThought } = await sandbox.render({ template, messages, options, roughly: null });
      const form = await formFor(opensThought);
      return { prompt: form.promptEnd === '' ? prompt : withPart(prompt, { text: form.promptEnd, special: true }), addSpecial, rendered: form };
    },
  }, signal);
  const { grammar, grammarTriggers, grammarRequired, markers } = fitted.rendered;
  const controls = await Promise.all(markers.map(async (marker) => [await controlToken(lease.model, marker), marker] as const));
  return {
    ids: fitted.ids, droppedMessages: fitted.droppedMessages, grammar, grammarTriggers, grammarRequired, syntax: syntaxOf(fitted.rendered), stops: stopsOf(template),
    controlMarkers: new Map(controls.flatMap(([id, marker]) => (id === null ? [] : [[id, marker] as const]))),
    checks: checksOf(fitted.rendered, format, offered),
  };
}

/** Calls that models write in a form of their own are held by no grammar: they are checked whatever their schema. */
function checksOf({ unenforced, syntax }: AnswerForm, format: OutputFormat, tools: readonly Tool[]): Checks {
  const left = (name: string): readonly string[] => (Object.hasOwn(unenforced.tools, name) ? unenforced.tools[name] ?? [] : []);
  const checked = tools.filter(({ name }) => left(name).length > 0 || syntax.wholeCalls !== null);
  if (unenforced.format.length === 0 && checked.length === 0) return nothingToCheck;
  return {
    format: format.kind === 'schema' && unenforced.format.length > 0 ? { schema: format.schema, unenforced: unenforced.format } : null,
    tools: new Map(checked.map(({ name, parameters }) => [name, { parameters, unenforced: left(name) }])),
  };
}

/** A failure that does not say which of the two it is about has only one where only one was asked for. */
async function formOf(sandbox: Preparer, question: FormQuestion): Promise<AnswerForm> {
  try {
    return isFixedForm(question) ? answerForm(question) : await sandbox.form(question);
  } catch (thrown) {
    const about = question.tools.length === 0 ? 'format' as const : question.format.kind === 'text' ? 'tools' as const : undefined;
    if (!(thrown instanceof LecternError) || thrown.code !== 'invalid_request' || thrown.about !== undefined || about === undefined) throw thrown;
    throw new LecternError(thrown.code, thrown.message, { cause: thrown, about });
  }
}

/** Vocabularies that know how a message begins and ends have a form without a template. */
async function formWithoutTemplate(lease: Lease): Promise<TemplateSource> {
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
