/** The tokens of a conversation's prompt, whatever the context of its model. */
import type { Lease } from '../models/types.js';
import type { Conversation } from './answer.js';
import { promptQuestion, type Preparer } from './prepare.js';

/** Their number. Rejects with `invalid_request` for what the template refuses, `invalid_model`, `cancelled`. */
export async function countPrompt(sandbox: Pick<Preparer, 'render'>, lease: Lease, conversation: Conversation, signal: AbortSignal, now: Date): Promise<number> {
  const { prompt, addSpecial } = await sandbox.render({ ...await promptQuestion(lease, conversation, now), roughly: null });
  return lease.model.countTokens(prompt, { addSpecial, signal });
}

/** Their ids. Rejects as countPrompt() does. */
export async function promptTokens(sandbox: Pick<Preparer, 'render'>, lease: Lease, conversation: Conversation, signal: AbortSignal, now: Date): Promise<number[]> {
  const { prompt, addSpecial } = await sandbox.render({ ...await promptQuestion(lease, conversation, now), roughly: null });
  return lease.model.tokenize(prompt, { addSpecial, signal });
}
