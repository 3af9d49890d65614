/** Checks a finished answer against what its grammar could not hold of a schema. No answer is written again: the same seed gives the same answer, and the client decides. */
import { LecternError } from '../errors.js';
import type { SchemaCheck } from './answer.js';
import type { OutputPart, Tool } from './conversation.js';
import type { SchemaQuestion } from './json-schema/check.js';
import type { Sandbox } from './sandbox/sandbox.js';

/** What is to be checked when the answer is finished. */
export interface Checks {
  /** Null where the grammar holds all of the schema, or there is none. */
  format: { schema: unknown; unenforced: readonly string[] } | null;
  /** Tools whose calls are to be checked, by name. */
  tools: ReadonlyMap<string, { parameters: Tool['parameters']; unenforced: readonly string[] }>;
}

export const nothingToCheck: Checks = { format: null, tools: new Map() };

/** Null where there was nothing to check, or nothing to say of it. Null also where the sandbox cannot check now. Rejects with `cancelled` alone: a check that takes too long is an answer that was not found valid. */
export async function checkChoice(sandbox: Pick<Sandbox, 'check'>, { format, tools }: Checks, parts: readonly OutputPart[]): Promise<SchemaCheck | null> {
  const questions: SchemaQuestion[] = [];
  const unenforced = new Set<string>();
  const ask = (question: SchemaQuestion, left: readonly string[]): void => {
    questions.push(question);
    for (const place of left) unenforced.add(place);
  };
  let calls = 0;
  for (const part of parts) {
    if (part.kind !== 'toolCall' && part.kind !== 'cutCall') continue;
    calls += 1;
    const { call } = part;
    const tool = tools.get(call.name);
    const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    // Of a call that was cut the reason is known; what a grammar held needs no further word.
    if (tool === undefined || (part.kind === 'cutCall' && tool.unenforced.length === 0)) continue;
    ask({ schema: tool.parameters, text, where: `Call ${call.id} of '${call.name}': ` }, tool.unenforced);
  }
  if (format !== null && calls === 0) ask({ schema: format.schema, text: parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''), where: '' }, format.unenforced);
  if (questions.length === 0) return null;
  const errors = await sandbox.check(questions).catch((thrown: unknown) => {
    if (thrown instanceof LecternError && thrown.code === 'invalid_request') return [thrown.message];
    // A process that was lost, or is not to be had, says nothing of the answer.
    if (thrown instanceof LecternError && thrown.code !== 'cancelled') return null;
    throw thrown;
  });
  if (errors === null) return null;
  if (errors.length === 0 && unenforced.size === 0) return null;
  return { isValid: errors.length === 0, errors, unenforced: [...unenforced] };
}
