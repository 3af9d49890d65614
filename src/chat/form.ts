/** The form that an answer must have: its grammar, from where on the grammar holds, and how its text is split into parts. */
import { createHash } from 'node:crypto';
import { LecternError } from '../errors.js';
import type { Conversation } from './answer.js';
import type { OutputFormat, Tool, ToolChoice } from './conversation.js';
import { choice, type Expression, repeat, sequence, text } from './grammar/expression.js';
import { Grammar } from './grammar/grammar.js';
import { JsonText } from './grammar/json-text.js';
import { schemaExpression } from './json-schema/schema.js';
import type { PromptPart } from '../engine/port.js';
import { channelMarkers, type ChannelSyntax } from './output/channels.js';
import type { OutputSyntax } from './output/reader.js';
import { type CalledTools, readersOf } from './tools/called-tools.js';
import { ToolCalls } from './tools/calls.js';
import { dialectOf, type ToolDialect } from './tools/dialect.js';

export interface FormQuestion {
  format: OutputFormat;
  /** The tools that the prompt describes. */
  tools: readonly Tool[];
  toolChoice: ToolChoice;
  singleToolCall: boolean;
  think: Conversation['think'];
  /** Of the chat template. */
  source: string;
  /** The rendered prompt ends inside of a thought. */
  opensThought: boolean;
}

export interface AnswerForm {
  grammar: string | null;
  grammarTriggers: readonly string[];
  /** The grammar holds in any case: an answer cannot end before its trigger. */
  grammarRequired: boolean;
  /** The template's text that is put behind the prompt, so that the answer begins where its grammar does. */
  promptEnd: string;
  syntax: Omit<OutputSyntax, 'readCall' | 'readCutCall'>;
  /** What a call of the answer may call; null where it calls nothing. */
  calls: CalledTools | null;
  /** Texts that structure the answer and may be control tokens. */
  markers: readonly string[];
  /** Keywords, with their places, that the grammar does not hold: of the schema of the format, and of each tool that may be called. */
  unenforced: { format: readonly string[]; tools: Readonly<Record<string, readonly string[]>> };
}

/** How the text of such an answer is read. */
export function syntaxOf({ syntax, calls }: AnswerForm): OutputSyntax {
  return { ...syntax, ...readersOf(calls) };
}

/** Whether its grammar, if it has one, is the same for all requests: then it costs no time that a client decides. */
export function isFixedForm({ format, tools }: FormQuestion): boolean {
  return format.kind !== 'schema' && tools.length === 0;
}

/** Null for templates of models that do not think aloud. */
export function thoughtsOf(source: string): { open: string; close: string } | null {
  for (const [open, close] of [['<think>', '</think>'], ['[THINK]', '[/THINK]']] as const) if (source.includes(open) || source.includes(close)) return { open, close };
  return null;
}

/** Whether the rendered prompt ends inside of a thought. */
export function endsInThought(parts: readonly PromptPart[], source: string): boolean {
  const thoughts = thoughtsOf(source);
  const last = parts.at(-1);
  return thoughts !== null && last?.special === true && last.text.trimEnd().endsWith(thoughts.open);
}

const made = new Map<string, AnswerForm>();
const mostKept = 32;

/** Clients ask with the same schema and tools again and again; their form is kept. Throws `invalid_request` where the grammar cannot be had, naming what of it. */
export function answerForm(question: FormQuestion): AnswerForm {
  const key = keyOf(question);
  const known = made.get(key);
  if (known !== undefined) return known;
  const form = makeOrSimplify(question);
  const [oldest] = made.keys();
  if (made.size >= mostKept && oldest !== undefined) made.delete(oldest);
  made.set(key, form);
  return form;
}

/** Where a grammar for all that schemas say is too large, or has no text at all, what is not strict is kept without the keywords that take alternatives or counting. */
function makeOrSimplify(question: FormQuestion): AnswerForm {
  try {
    return makeForm(question, false);
  } catch (thrown) {
    if (!(thrown instanceof LecternError) || thrown.code !== 'invalid_request') throw thrown;
    try {
      return makeForm(question, true);
    } catch {
      throw thrown;
    }
  }
}

/** Throws `invalid_request` for what nests too deep for any use. */
function keyOf(question: FormQuestion): string {
  try {
    return createHash('sha256').update(JSON.stringify(question)).digest('hex');
  } catch (thrown) {
    throw new LecternError('invalid_request', 'The schema or a tool nests too deep.', { cause: thrown });
  }
}

/** Templates of gpt-oss: messages in channels. */
function hasChannels(source: string): boolean {
  return source.includes('<|channel|>') && source.includes('<|message|>');
}

/** What a grammar holds begins behind a header that is put behind the prompt: a model chooses no channel then. */
function channelForm({ format, tools, toolChoice, singleToolCall }: FormQuestion, json: JsonText, simple: boolean): AnswerForm {
  const dialect = { form: 'bare', opener: '', argumentsKey: 'arguments', single: false } as const;
  if (tools.length === 0 && toolChoice !== 'none' && toolChoice !== 'auto') throw new LecternError('invalid_request', 'tool_choice asks for a call, and there are no tools.');
  const calls = tools.length === 0 || toolChoice === 'none' ? null : new ToolCalls(json, dialect, tools, toolChoice, singleToolCall, simple);
  const called = calls?.called ?? null;
  const mustCall = calls !== null && toolChoice !== 'auto';
  const [only, ...others] = called?.tools ?? [];
  if (mustCall && others.length > 0) throw new LecternError('invalid_request', 'This model\'s form of calls names the tool outside of what a grammar holds: with several tools, tool_choice must name one.');
  const ofFormat: string[] = [];
  const held = mustCall ? calls.onlyArguments : formatExpression(format, json, ofFormat, simple);
  const begins: ChannelSyntax['begins'] = held === null ? 'header' : mustCall && only !== undefined ? { call: only.name } : 'final';
  const promptEnd = begins === 'header' ? '' : begins === 'final' ? '<|channel|>final<|message|>' : `<|channel|>commentary to=functions.${begins.call} <|constrain|>json<|message|>`;
  const channels = { tools: called?.tools ?? [], begins, onlyOne: singleToolCall || mustCall };
  const syntax = { thoughts: null, beginsThinking: false, beginsCalling: false, callMarkers: [], markersOnlyAtBegin: false, wholeCalls: null, channels };
  return { grammar: held === null ? null : printed(json, held), grammarTriggers: [], grammarRequired: false, promptEnd, syntax, calls: called, markers: channelMarkers, unenforced: { format: ofFormat, tools: { ...calls?.unenforced } } };
}

function makeForm(question: FormQuestion, simple: boolean): AnswerForm {
  const json = new JsonText(new Grammar());
  if (hasChannels(question.source)) return channelForm(question, json, simple);
  const { dialect, calls } = callsOf(question, json, simple);
  const thoughts = thoughtsOf(question.source);
  const ofFormat: string[] = [];
  const format = formatExpression(question.format, json, ofFormat, simple);
  const mustCall = calls !== null && question.toolChoice !== 'auto';
  const isHeld = format !== null || mustCall;
  // Where an answer has a form and the request asks for no thought, there is none, unless the template began one: the model could not choose.
  const opens = isHeld && !question.opensThought && thoughts !== null && question.think !== undefined && question.think !== false;
  const thinksFirst = question.opensThought || opens;
  const beginsCalling = mustCall && !thinksFirst;
  const held = mustCall ? (beginsCalling ? calls.calls : calls.callsWithOpener)
    : format === null ? null : calls === null ? format : choice(calls.callsWithOpener, format);
  const bare = dialect?.form === 'bare' && calls !== null;
  const callMarkers = calls === null || dialect === null ? [] : bare ? calls.bareBeginnings : [dialect.opener];
  const wholeCalls = calls === null || isHeld ? null : { tools: calls.called.tools, onlyOne: question.singleToolCall };
  const syntax = { thoughts, beginsThinking: thinksFirst, beginsCalling, callMarkers, markersOnlyAtBegin: bare, wholeCalls, channels: null };
  const markers = [...(thoughts === null ? [] : [thoughts.open, thoughts.close]), ...(bare ? [] : callMarkers)];
  const promptEnd = opens ? `${thoughts.open}\n` : beginsCalling ? dialect?.opener ?? '' : '';
  const unenforced = { format: ofFormat, tools: { ...calls?.unenforced } };
  const form = (root: Expression | null, grammarTriggers: readonly string[]): AnswerForm => {
    const triggers = root === null ? [] : grammarTriggers;
    return { grammar: root === null ? null : printed(json, root), grammarTriggers: triggers, grammarRequired: isHeld && triggers.length > 0, promptEnd, syntax, calls: calls?.called ?? null, markers, unenforced };
  };
  if (held !== null) {
    // Behind a thought models break the line once or twice.
    return thinksFirst && thoughts !== null ? form(sequence(repeat(text('\n'), 0, 2), held), [thoughts.close]) : form(held, []);
  }
  if (calls === null || dialect === null) return form(null, []);
  if (!bare) return form(calls.calls, [dialect.opener]);
  return thinksFirst && thoughts !== null ? form(sequence(repeat(text('\n'), 0, 2), calls.callsOrText), [thoughts.close]) : form(calls.callsOrText, []);
}

function callsOf({ tools, toolChoice, singleToolCall, source }: FormQuestion, json: JsonText, simple: boolean): { dialect: ToolDialect | null; calls: ToolCalls | null } {
  if (tools.length === 0 && toolChoice !== 'none' && toolChoice !== 'auto') throw new LecternError('invalid_request', 'tool_choice asks for a call, and there are no tools.');
  if (tools.length === 0 || toolChoice === 'none') return { dialect: null, calls: null };
  const dialect = dialectOf(source);
  if (dialect === null) throw new LecternError('invalid_request', 'The model\'s chat template takes no tools, or has its calls in a form that is not known here.');
  return { dialect, calls: new ToolCalls(json, dialect, tools, toolChoice, singleToolCall, simple) };
}

/** Null for free text. */
function formatExpression(format: OutputFormat, json: JsonText, leftOut: string[], simple: boolean): Expression | null {
  if (format.kind === 'text') return null;
  if (format.kind === 'json') return json.object;
  try {
    return schemaExpression(json, format.schema, 'schema', format.strict !== true, leftOut, simple);
  } catch (thrown) {
    if (!(thrown instanceof LecternError)) throw thrown;
    throw new LecternError(thrown.code, thrown.message, { cause: thrown, about: 'format' });
  }
}

function printed(json: JsonText, root: Expression): string {
  const source = json.grammar.print(root);
  if (source === null) throw new LecternError('invalid_request', 'The schema allows no value at all.');
  return source;
}
