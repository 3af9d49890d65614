/** What the check of a finished answer against its schema found: a field of the service's own beside those of each contract, and a header. */
import type { FastifyReply } from 'fastify';
import type { Answer, AnswerChoice } from '../chat/answer.js';

/** The field `lectern` of a choice, or of an answer that has one choice; nothing where the grammar held all of the schema. */
export function describeCheck(choice: Pick<AnswerChoice, 'check'> | undefined): { lectern?: Record<string, unknown> } {
  const check = choice?.check;
  if (check === undefined) return {};
  return { lectern: { schema_valid: check.isValid, schema_errors: check.errors, unenforced: check.unenforced } };
}

/** For whole answers: `x-lectern-schema-valid`, true where every choice that was checked is valid. */
export function addCheckHeader(reply: FastifyReply, { choices }: Answer): void {
  const checks = choices.flatMap(({ check }) => check ?? []);
  if (checks.length > 0) void reply.header('x-lectern-schema-valid', String(checks.every(({ isValid }) => isValid)));
}
