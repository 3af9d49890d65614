/** What the HTTP contracts have in common: a conversation with its tools, and what an answer is made of. No wire format here. */
import type { CallOptions, GenerateOptions } from '../engine/port.js';

/** How the next tokens are chosen and when to stop; what is absent is the model's own default, then the contract's. */
export type Sampling = Omit<GenerateOptions, keyof CallOptions | 'addSpecial' | 'grammar' | 'grammarTriggers' | 'grammarRequired' | 'reuse' | 'onTokens'>;

export interface ToolCall {
  /** As the client knows it; made by us for calls of the model. */
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** What the model thought before it answered. */
  reasoning?: string;
  toolCalls?: ToolCall[];
  /** Of a tool's answer: the call it belongs to and the tool's name, where the client says so. */
  toolCallId?: string;
  toolName?: string;
}

export interface Tool {
  name: string;
  description?: string;
  /** JSON schema of the arguments. */
  parameters: Record<string, unknown>;
  /** Its arguments must keep all of the schema. */
  strict?: boolean;
  /** The client's own object, `{type: 'function', function: {...}}`, for templates that print it. */
  raw: Record<string, unknown>;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/** The form that an answer must have; `schema` is a JSON schema. What no grammar can keep of it is refused where it is strict, and left out otherwise. */
export type OutputFormat = { kind: 'text' } | { kind: 'json' } | { kind: 'schema'; schema: unknown; strict?: boolean };

/** A call that the limit of tokens cut off. */
export interface CutCall {
  id: string;
  name: string;
  /** As far as they were written: the beginning of a JSON object, or nothing. */
  arguments: string;
}

/** A piece of an answer, in order. A tool call comes whole; `source` is what the model wrote of one that was cut. */
export type OutputPart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'toolCall'; call: ToolCall }
  | { kind: 'cutCall'; call: CutCall; source: string };
