/** A conversation as Jinja templates know it: the variables that transformers gives them. */
import { createHash } from 'node:crypto';
import { LecternError } from '../../errors.js';
import type { Message, Tool } from '../conversation.js';
import type { Mark } from './origins.js';
import type { RenderOptions } from './render-options.js';

/** Depth of a tool's schema or a call's arguments. */
const deepest = 200;

/** Every text that people, tools or models wrote goes through `mark`. */
export function jinjaVariables(source: string, messages: readonly Message[], options: RenderOptions, mark: Mark): Record<string, unknown> {
  const shortIds = /length\s*!=\s*9/.test(source);
  const { think, variables = {} } = options;
  return {
    // A client's texts are no control tokens, and what is the conversation's it cannot replace.
    ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, markDeep(value, mark)])),
    messages: messages.map((message) => jinjaMessage(message, mark, (id) => (shortIds ? shortId(id) : id))),
    tools: options.tools.length > 0 ? options.tools.map(({ raw }: Tool) => markDeep(raw, mark)) : null,
    add_generation_prompt: options.addGenerationPrompt ?? true,
    bos_token: options.bosText,
    eos_token: options.eosText,
    ...(think === undefined ? {} : { enable_thinking: think !== false, thinking: think !== false }),
    ...(typeof think === 'string' ? { reasoning_effort: think } : {}),
  };
}

function jinjaMessage(message: Message, mark: Mark, idOf: (id: string) => string): Record<string, unknown> {
  const { role, content, reasoning, toolCalls, toolCallId, toolName } = message;
  return {
    role,
    content: mark(content),
    ...(reasoning === undefined ? {} : { reasoning_content: mark(reasoning) }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : {
      tool_calls: toolCalls.map((call) => ({
        id: mark(idOf(call.id)), type: 'function', function: { name: mark(call.name), arguments: markDeep(call.arguments, mark) },
      })),
    }),
    ...(toolCallId === undefined ? {} : { tool_call_id: mark(idOf(toolCallId)) }),
    ...(toolName === undefined ? {} : { name: mark(toolName) }),
  };
}

/** Mistral's templates refuse ids that are not nine letters or digits. */
function shortId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** Every text in a JSON value, keys too: a property's name is the client's. Throws `invalid_request` for one that nests too deep. */
export function markDeep(value: unknown, mark: Mark, depth = 0): unknown {
  if (depth > deepest) throw new LecternError('invalid_request', `Tools and arguments may nest ${deepest} levels deep.`);
  if (typeof value === 'string') return mark(value);
  if (Array.isArray(value)) return value.map((item) => markDeep(item, mark, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mark(key), markDeep(item, mark, depth + 1)]));
}
