/** `lectern chat [MODEL]`: a conversation with a model of a running service; a pipe is one question and its answer. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { chat as ask, chooseModel, type ChatMessage } from '../client/language.js';
import { Service } from '../client/service.js';
import { LecternError } from '../errors.js';
import type { Command } from './run.js';
import { chatUsage as usage } from './usage.js';

export const chat: Command = async (args, environment) => {
  const { values, positionals } = parseWords(args);
  if (positionals.length > 1) throw new LecternError('invalid_request', usage);
  const service = new Service(values.url ?? environment['LECTERN_URL']);
  const model = await chooseModel(service, positionals[0], 'completion');
  const options = { model, temperature: readNumber('--temperature', values.temperature), seed: readNumber('--seed', values.seed) };
  const messages: ChatMessage[] = values.system === undefined ? [] : [{ role: 'system', content: values.system }];
  const answer = async (question: string, signal: AbortSignal): Promise<void> => {
    messages.push({ role: 'user', content: question });
    const reply = await ask(service, { ...options, messages, signal, onText: (text) => process.stdout.write(text) });
    process.stdout.write('\n');
    if (reply.finishReason === 'length') process.stderr.write('lectern: the answer was cut at its greatest length.\n');
    messages.push({ role: 'assistant', content: reply.text });
  };
  if (process.stdin.isTTY) await converse(model, messages, answer);
  else await answerPipe(answer);
  return 0;
};

async function answerPipe(answer: (question: string, signal: AbortSignal) => Promise<void>): Promise<void> {
  const question = (await readAll(process.stdin)).trimEnd();
  if (question === '') throw new LecternError('invalid_request', 'There is no question on standard input.');
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new LecternError('cancelled')));
  await answer(question, stop.signal);
}

/** Ctrl-C ends an answer, and between answers the conversation, as Ctrl-D does. */
async function converse(model: string, messages: ChatMessage[], answer: (question: string, signal: AbortSignal) => Promise<void>): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: `${model}> ` });
  let writing: AbortController | null = null;
  lines.on('SIGINT', () => (writing === null ? lines.close() : writing.abort(new LecternError('cancelled'))));
  const closed = once(lines, 'close');
  lines.on('line', (line) => {
    if (writing !== null) return;
    if (line.trim() === '') return lines.prompt();
    const before = messages.length;
    writing = new AbortController();
    void answer(line, writing.signal).catch((thrown: unknown) => {
      // What was not answered was not said: the next question must not follow another one.
      messages.length = before;
      process.stderr.write(`\nlectern: ${thrown instanceof LecternError ? thrown.message : String(thrown)}\n`);
    }).finally(() => {
      writing = null;
      lines.prompt();
    });
  });
  lines.prompt();
  await closed;
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
    throw new LecternError('invalid_request', `${(cause as Error).message}\n${usage}`, { cause });
  }
}
