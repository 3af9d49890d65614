/** A conversation becomes the prompt of a model: by its Go template, its Jinja template, or a plain form where it has neither. */
import type { PromptPart } from '../../engine/port.js';
import { LecternError } from '../../errors.js';
import type { CatalogueEntry } from '../../models/types.js';
import type { Message } from '../conversation.js';
import { renderGo } from './go-render.js';
import { parseGo } from './go-template/parser.js';
import type { GoTemplate } from './go-template/tree.js';
import { type JinjaTemplate, longestSource, readJinja, renderJinja } from './jinja.js';
import { jinjaVariables } from './jinja-input.js';
import type { RenderOptions } from './render-options.js';
import { type Mark, type OriginQuestion, partsByOrigin } from './origins.js';

export interface RenderedPrompt {
  parts: PromptPart[];
  /** Whether the tokenizer is to add the begin token; false where the template wrote it. */
  addSpecial: boolean;
}

export type ChatTemplate =
  | { kind: 'jinja'; template: JinjaTemplate }
  | { kind: 'go'; source: string; template: GoTemplate }
  /** `<|im_start|>role ... <|im_end|>`. */
  | { kind: 'chatml' }
  /** `User: ...`, for models that know no control token of a conversation. */
  | { kind: 'plain' };

/** A template that was not read yet. */
export type TemplateSource = { kind: 'jinja' | 'go'; source: string } | { kind: 'chatml' } | { kind: 'plain' };

type Layers = Pick<CatalogueEntry, 'chatTemplate' | 'goTemplate'>;

const read = new Map<string, ChatTemplate>();
const mostKept = 32;

/**
 * The template layer of an Ollama store where there is one, for it is what the model's name stands for there; else the GGUF's own (the catalogue takes out
 * a layer that is not understood where the GGUF has one). Null where there is neither. Throws `invalid_model` for one that is too long for a template.
 */
export function chooseTemplate({ goTemplate, chatTemplate }: Layers): TemplateSource | null {
  const [kind, source] = goTemplate?.trim() ? ['go' as const, goTemplate] : ['jinja' as const, chatTemplate?.trim() ? chatTemplate : null];
  if (source === null) return null;
  if (source.length > longestSource) throw new LecternError('invalid_model', `The chat template has ${source.length} characters; at most ${longestSource} are read.`);
  return { kind, source };
}

/** Throws `invalid_model`, naming what is not understood. The trees of the last templates are kept. */
export function readTemplate(template: TemplateSource): ChatTemplate {
  if (!('source' in template)) return template;
  const { kind, source } = template;
  return kept(`${kind} ${source}`, () => (kind === 'go' ? { kind, source, template: parseGo(source) } : { kind, template: readJinja(source) }));
}

/** The template's text, by which its dialect of tool calls and thoughts is known. */
export function sourceOf(template: TemplateSource): string {
  return 'source' in template ? template.source : '';
}

/** Where a message of this form ends although its model has no token for it. */
export function stopsOf(template: TemplateSource): string[] {
  return template.kind === 'plain' ? ['\nUser:'] : template.kind === 'chatml' ? ['<|im_end|>'] : [];
}

/**
 * The joined texts of the parts are what the template gives, to the byte; only what the template itself wrote is special.
 * A last message of the assistant stays open. Throws `invalid_request` with the template's own sentence where it refuses the conversation.
 */
export function renderPrompt(template: ChatTemplate, messages: readonly Message[], options: RenderOptions): RenderedPrompt {
  const last = messages.at(-1);
  const opens = template.kind !== 'go' && options.addGenerationPrompt !== false && last?.role === 'assistant' && !last.toolCalls?.length;
  const parts = partsByOrigin(questionFor(template, opens ? messages.slice(0, -1) : messages, options));
  if (opens && last.content !== '') parts.push({ text: last.content, special: false });
  const begins = parts[0]?.special === true && options.bosText !== '' && parts[0].text.startsWith(options.bosText);
  return { parts, addSpecial: !begins };
}

/** The same prompt, all of it taken for the template's: enough to count its tokens by, for a third of the time. */
export function renderRoughly(template: ChatTemplate, messages: readonly Message[], options: RenderOptions): RenderedPrompt {
  const text = questionFor(template, messages, options).render((written) => written);
  return { parts: [{ text, special: true }], addSpecial: options.bosText === '' || !text.startsWith(options.bosText) };
}

function questionFor(template: ChatTemplate, messages: readonly Message[], options: RenderOptions): OriginQuestion {
  const trusted = [options.bosText, options.eosText];
  const surroundings = { now: options.now, inputSize: sizeOf(messages) + sizeOf(options.tools) };
  switch (template.kind) {
    case 'jinja': {
      const { source, words, sought } = template.template;
      const render = (mark: Mark): string => renderJinja(template.template, jinjaVariables(source, messages, options, mark), surroundings);
      return { render, trusted: [...trusted, source], words, sought };
    }
    case 'go': {
      const render = (mark: Mark): string => renderGo(template.template, messages, options, surroundings, mark);
      return { render, trusted: [...trusted, template.source, ...roles], words: wordsOf(template.template), sought: [] };
    }
    default: {
      if (options.tools.length > 0) throw new LecternError('invalid_request', 'The model has no chat template, so it takes no tools.');
      const form = template.kind === 'chatml' ? chatMl : plain;
      return { render: (mark) => form(messages, mark), trusted: ['<|im_start|>', '<|im_end|>', ...roles], words: new Set(), sought: [] };
    }
  }
}

const roles = ['system', 'user', 'assistant', 'tool'];

function chatMl(messages: readonly Message[], mark: Mark): string {
  return `${messages.map(({ role, content }) => `<|im_start|>${role}\n${mark(content)}<|im_end|>\n`).join('')}<|im_start|>assistant\n`;
}

function plain(messages: readonly Message[], mark: Mark): string {
  const speakers = { system: '', user: 'User: ', assistant: 'Assistant: ', tool: 'Tool: ' };
  return `${messages.map(({ role, content }) => `${speakers[role]}${mark(content)}\n\n`).join('')}Assistant:`;
}

/** The keys of a schema that the template reads, as JSON spells them. */
function wordsOf({ fields }: GoTemplate): Set<string> {
  return new Set([...fields].map((name) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`));
}

/** Characters of all texts, and one for every value. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 1;
  if (typeof value !== 'object' || value === null || depth > 300) return 1;
  let sum = 1;
  if (Array.isArray(value)) for (const item of value) sum += sizeOf(item, depth + 1);
  else for (const key of Object.keys(value)) sum += key.length + sizeOf((value as Record<string, unknown>)[key], depth + 1);
  return sum;
}

function kept(key: string, make: () => ChatTemplate): ChatTemplate {
  const known = read.get(key);
  if (known) return known;
  const made = make();
  const [oldest] = read.keys();
  if (read.size >= mostKept && oldest !== undefined) read.delete(oldest);
  read.set(key, made);
  return made;
}
