/** What a chat template is rendered with, beside the messages. */
import type { Conversation } from '../answer.js';
import type { Tool } from '../conversation.js';

export interface RenderOptions {
  tools: readonly Tool[];
  think?: Conversation['think'];
  /** The client's own variables; templates in Go have none. */
  variables?: Readonly<Record<string, unknown>>;
  now: Date;
  /** Texts of the vocabulary's begin and end tokens; empty where it has none. */
  bosText: string;
  eosText: string;
  /** Whether the prompt ends where an answer begins. Default true. Go templates always do. */
  addGenerationPrompt?: boolean;
}
