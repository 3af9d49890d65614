/** The work of a sandbox process: functions of plain values whose time, for a hostile request or chat template, only the process's limits bound. */
import { LecternError } from '../../errors.js';
import type { PackedPrompt } from '../../engine/port.js';
import type { Message } from '../conversation.js';
import { answerForm, endsInThought, type AnswerForm, type FormQuestion } from '../form.js';
import { schemaErrors, type SchemaQuestion } from '../json-schema/check.js';
import { parseGo } from '../prompt/go-template/parser.js';
import { beginningOf, packParts } from '../prompt/packed.js';
import { readTemplate, renderPrompt, renderRoughly, type TemplateSource } from '../prompt/render.js';
import type { RenderOptions } from '../prompt/render-options.js';
import { parseJson } from './json-text.js';

export interface RenderQuestion {
  template: TemplateSource;
  messages: readonly Message[];
  options: RenderOptions;
  /** All of the prompt counts as the template's, and only the beginning is returned: enough to count its tokens by, in a third of the time. */
  roughly: { mostCharacters: number } | null;
}

export interface RenderedText {
  prompt: PackedPrompt;
  addSpecial: boolean;
  /** Only the beginning was asked for, and there is more. */
  isCut: boolean;
  /** The prompt ends inside of a thought. */
  opensThought: boolean;
}

export interface Verbs {
  /** Of the bytes beside the question. */
  readJson(question: null, bytes: Uint8Array): unknown;
  render(question: RenderQuestion): RenderedText;
  form(question: FormQuestion): AnswerForm;
  checkGoTemplate(source: string): void;
  check(questions: readonly SchemaQuestion[]): string[];
}

export type Verb = keyof Verbs;

/** Each throws LecternError for what is wrong with its question. */
export const verbs: Verbs = {
  readJson: (_question, bytes) => parseJson(bytes),
  render: ({ template, messages, options, roughly }) => {
    const read = readTemplate(template);
    const { parts, addSpecial } = roughly === null ? renderPrompt(read, messages, options) : renderRoughly(read, messages, options);
    const beginning = beginningOf(parts, roughly?.mostCharacters ?? Infinity);
    return { prompt: packParts(beginning.parts), addSpecial, isCut: beginning.isCut, opensThought: endsInThought(parts, 'source' in template ? template.source : '') };
  },
  form: answerForm,
  checkGoTemplate: (source) => { parseGo(source); },
  check: schemaErrors,
};

/**
 * Milliseconds that one verb may take. A conversation of a million characters renders in under one second, the largest schema within its own bounds
 * compiles in under two (`npm run bench -- stalls`).
 */
export const longestMs = 5_000;

/** Megabytes of a sandbox process's heap: a body of 16 MiB takes 100 of it. */
export const heapMebibytes = 512;

const subjects = {
  readJson: ['invalid_request', 'The request body'],
  render: ['invalid_model', 'The model\'s chat template'],
  form: ['invalid_request', 'The grammar of the answer\'s schema or tools'],
  checkGoTemplate: ['invalid_model', 'The model\'s Go template'],
  check: ['invalid_request', 'The check of the answer against its schema'],
} as const satisfies Record<Verb, unknown>;

/** What a caller gets where a verb was ended by its limits. */
export function overLimit(verb: Verb, limit: 'time' | 'memory'): LecternError {
  const [code, subject] = subjects[verb];
  return new LecternError(code, limit === 'time' ? `${subject} takes more than ${longestMs / 1000} seconds to work out.` : `${subject} takes more memory than there is for it.`);
}
