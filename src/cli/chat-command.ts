/** `lectern chat [MODEL]`: a conversation with a model of a running service; a pipe is one question and its answer. */
import { text as readAll } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { chat as ask, chooseModel, type ChatMessage } from '../client/language-requests.js';
import { Service, ServiceUnreachable } from '../client/service.js';
import { LecternError } from '../errors.js';
import { converse } from './chat-session.js';
import { explainMissing } from './missing-model.js';
import type { Command } from './command.js';
import { onStopSignal } from './stop-signals.js';
import { chatUsage as usage } from './usage.js';
import { argumentError } from './argument-error.js';

export const chat: Command = async (args, environment) => {
  const { values, positionals } = parseWords(args);
  if (positionals.length > 1) throw new LecternError('invalid_request', usage);
  const address = values.url ?? environment['LECTERN_URL'];
  const service = new Service(address);
  const model = await chooseModel(service, positionals[0], 'completion').catch((thrown: unknown) => {
    if (address !== undefined || !(thrown instanceof ServiceUnreachable)) throw thrown;
    throw new LecternError('not_found', `${thrown.message} \`lectern serve\` starts one; --url or LECTERN_URL names one elsewhere.`, { cause: thrown });
  });
  if (positionals[0] === undefined) process.stderr.write(`lectern: ${model} answers.\n`);
  const options = { model, temperature: readNumber('--temperature', values.temperature), seed: readNumber('--seed', values.seed) };
  const messages: ChatMessage[] = values.system === undefined ? [] : [{ role: 'system', content: values.system }];
  const instructions = messages.length;
  const answer = async (question: string, signal: AbortSignal): Promise<void> => {
    // A question without an answer is left out of the conversation: the next question must not follow another one.
    const asked: ChatMessage[] = [...messages, { role: 'user', content: question }];
    const reply = await ask(service, { ...options, messages: asked, signal, onText: (text) => process.stdout.write(text) })
      .catch(async (thrown: unknown) => { throw await explainMissing(thrown, service, model); });
    process.stdout.write('\n');
    if (reply.finishReason === 'length') process.stderr.write('lectern: the answer was cut at its greatest length.\n');
    messages.push({ role: 'user', content: question }, { role: 'assistant', content: reply.text });
  };
  if (process.stdin.isTTY) await converse({ input: process.stdin, output: process.stderr, model, answer, clear: () => { messages.length = instructions; } });
  else await answerPipe(answer);
  return 0;
};

async function answerPipe(answer: (question: string, signal: AbortSignal) => Promise<void>): Promise<void> {
  const question = (await readAll(process.stdin)).trimEnd();
  if (question === '') throw new LecternError('invalid_request', 'There is no question on standard input.');
  const stop = new AbortController();
  onStopSignal(() => stop.abort(new LecternError('cancelled')));
  await answer(question, stop.signal);
}

function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new LecternError('invalid_request', `${flag} must be a number, not "${text}".`);
  return value;
}

function parseWords(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { url: { type: 'string' }, system: { type: 'string' }, temperature: { type: 'string' }, seed: { type: 'string' } },
    });
  } catch (cause) {
    throw argumentError(cause, 'chat');
  }
}
