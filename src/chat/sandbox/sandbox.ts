/** Processes of their own for the work whose time a client or a model's author decides: the event loop stays free, and what runs over its limits ends alone. */
import type { AnswerForm, FormQuestion } from '../form.js';
import type { SchemaQuestion } from '../json-schema/check.js';
import { SandboxPool } from './pool.js';
import type { StartProcess } from './process.js';
import type { RenderedText, RenderQuestion } from './verbs.js';

/** Each rejects with what is wrong with its question, with `invalid_model` or `invalid_request` where it takes too long or too much memory, and with `cancelled`. */
export interface Sandbox {
  /** The value of a JSON text in pieces. Rejects with `queue_full` while too many bodies wait. */
  readJson(pieces: readonly Uint8Array[]): Promise<unknown>;
  render(question: RenderQuestion): Promise<RenderedText>;
  /** The grammar and the syntax of an answer. */
  form(question: FormQuestion): Promise<AnswerForm>;
  /** Rejects with `invalid_model`, naming what is not understood. */
  checkGoTemplate(source: string): Promise<void>;
  /** What is not valid in a finished answer, in sentences; none where all is. */
  check(questions: readonly SchemaQuestion[]): Promise<string[]>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  start: StartProcess;
  /** Requests that are prepared at the same time. */
  size: number;
  onLoss: (lastWords: string) => void;
}

/** Bodies of up to 16 MiB that wait in memory. */
const mostBodies = 64;

/** Bodies have a process of their own: a request with a turn never waits for those that are only read. */
export function createSandbox({ start, size, onLoss }: SandboxOptions): Sandbox {
  const bodies = new SandboxPool({ start, size: 1, mostWaiting: mostBodies, onLoss });
  const turns = new SandboxPool({ start, size, mostWaiting: Infinity, onLoss });
  return {
    readJson: (pieces) => bodies.run('readJson', null, pieces),
    render: (question) => turns.run('render', question) as Promise<RenderedText>,
    form: (question) => turns.run('form', question) as Promise<AnswerForm>,
    checkGoTemplate: async (source) => { await turns.run('checkGoTemplate', source); },
    check: (questions) => turns.run('check', questions) as Promise<string[]>,
    close: async () => { await Promise.all([bodies.close(), turns.close()]); },
  };
}
