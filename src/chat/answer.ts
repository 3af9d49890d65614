/** What an answer is asked with and what it is, whatever the contract: the seam between the HTTP rooms and complete.ts. */
import type { PackedPrompt, Prompt, TokenLogprob } from '../engine/port.js';
import type { Message, OutputFormat, OutputPart, Sampling, Tool, ToolChoice } from './conversation.js';

export interface Conversation {
  kind: 'messages';
  messages: Message[];
  tools: Tool[];
  toolChoice: ToolChoice;
  /** At most one call in an answer. Default: as many as the model likes. */
  singleToolCall?: boolean;
  /** Whether the model is to reason before it answers, where its template knows how; absent: as the template likes. */
  think?: boolean | 'low' | 'medium' | 'high' | 'max';
  /** Variables of the chat template that the client sets; those of the conversation itself are kept. */
  templateVariables?: Readonly<Record<string, unknown>>;
  /** Leave out the oldest whole messages where the prompt would not fit (never the system message and the last one). */
  dropOldest?: boolean;
  /** Token ids of an earlier conversation that stand before this one's. */
  before?: readonly number[];
}

/** A prompt that is used as it stands. */
export interface RawPrompt {
  kind: 'prompt';
  prompt: Exclude<Prompt, PackedPrompt>;
  addSpecial: boolean;
}

export interface AnswerRequest {
  input: Conversation | RawPrompt;
  format: OutputFormat;
  sampling: Sampling;
  /** Answers to the same prompt, written one after another. Seeds rise by one. Default 1. */
  choices?: number;
  /** Tell the prompt's token ids in the answer. */
  wantsPromptIds?: boolean;
  /** Log probabilities that the answer keeps at most, those of alternatives included; 0: they go to the listener alone. Default: `mostLogprobs`. */
  logprobRoom?: number;
}

/** Log probabilities that a whole answer keeps. One takes some 50 bytes in memory and 80 as JSON: 130 MB for these. */
export const mostLogprobs = 1_000_000;

export function countLogprobs(logprobs: readonly TokenLogprob[]): number {
  return logprobs.reduce((sum, { top }) => sum + 1 + top.length, 0);
}

/** Called while the answer is written, in order. */
export interface AnswerListener {
  /** The prompt is rendered and fits: an answer will come. */
  onStart?(promptTokens: number): void;
  /** What has become certain of choice `choice`; the parts of one burst in one call. */
  onParts?(choice: number, parts: OutputPart[], tokens: AnswerTokens): void;
}

export interface AnswerTokens {
  /** All that were written, with those of a stop string. */
  ids: number[];
  /** Of the tokens behind the text, where asked and kept. */
  logprobs?: TokenLogprob[];
}

/** What a finished choice turned out to be. */
export interface SchemaCheck {
  isValid: boolean;
  /** Sentences about what is not valid. */
  errors: readonly string[];
  /** Keywords with their places that the grammar did not hold. */
  unenforced: readonly string[];
}

export interface AnswerChoice {
  parts: OutputPart[];
  tokens: AnswerTokens;
  reasoningTokens: number;
  finishReason: 'stop' | 'length' | 'toolCalls';
  stopString: string | null;
  /** Where the answer's grammar did not hold all of a schema. */
  check?: SchemaCheck;
}

export interface Answer {
  choices: AnswerChoice[];
  /** The prompt counts once; so do its cached tokens (those of the first choice). */
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  /** Of these, the tokens of what the model thought before it answered, with the marks around it. */
  reasoningTokens: number;
  /** Whole messages that were left out. */
  droppedMessages: number;
  /** That passes verified ahead of the answer, and how many of them were right. */
  draftTokens: number;
  acceptedTokens: number;
  /** Where asked. */
  promptIds?: number[];
  prefillMs: number;
  decodeMs: number;
}
