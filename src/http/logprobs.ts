/** Log probabilities of an answer's tokens in the form that OpenAI's and Ollama's contracts share. */
import type { AnswerTokens } from '../chat/answer.js';
import type { Lease } from '../models/types.js';
import { tokenText } from './token-texts.js';

/** One after the other, for jsonPieces(): a long answer has tens of thousands, with up to 20 alternatives each. */
export function* describeLogprobs(lease: Lease, { logprobs = [] }: AnswerTokens): Generator<Record<string, unknown>> {
  for (const { id, logprob, top } of logprobs) yield { ...describeToken(lease, id, logprob), top_logprobs: top.map((other) => describeToken(lease, other.id, other.logprob)) };
}

function describeToken(lease: Lease, id: number, logprob: number): Record<string, unknown> {
  return { token: tokenText(lease, id), logprob, bytes: [...lease.model.tokenBytes(id)] };
}
