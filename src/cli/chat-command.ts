/** `lectern chat [MODEL]`: a conversation with a model of a running service; a pipe is one question and its answer. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { chat as ask, chooseModel, requireModel } from '../client/language-requests.js';
import { Service, ServiceUnreachable } from '../client/service.js';
import { LecternError } from '../errors.js';
import { defaultStateDirectory, type Environment } from '../settings/settings.js';
import { ChatConversation, type AskModel, type CheckModel } from './chat-conversation.js';
import { converse } from './chat-session.js';
import { isOn, textOption, type Command } from './command.js';
import { exitCodes } from './exit-codes.js';
import { printJson } from './lines-and-tables.js';
import { explainMissing } from './missing-model.js';
import { onStopSignal } from './stop-signals.js';

export const chat: Command = async (input) => {
  const { words: [named], environment } = input;
  const address = textOption(input, 'url') ?? environment['LECTERN_URL'];
  const json = isOn(input, 'json');
  const service = new Service(address);
  const sampling = { temperature: readNumber('--temperature', textOption(input, 'temperature')), seed: readNumber('--seed', textOption(input, 'seed')) };
  const model = await chooseModel(service, named, 'completion').catch((thrown: unknown) => {
    if (address !== undefined || !(thrown instanceof ServiceUnreachable)) throw thrown;
    throw new LecternError('not_found', `${thrown.message} \`lectern serve\` starts one; --url or LECTERN_URL names one elsewhere.`, { cause: thrown });
  });
  if (named === undefined) process.stderr.write(`lectern: ${model} answers.\n`);
  const askModel: AskModel = async (request) => {
    const reply = await ask(service, { ...request, onText: (text) => (json ? undefined : process.stdout.write(text)) })
      .catch(async (thrown: unknown) => { throw await explainMissing(thrown, service, request.model); });
    if (!json) process.stdout.write('\n');
    if (reply.finishReason === 'length') process.stderr.write('lectern: the answer was cut at its greatest length.\n');
    return reply;
  };
  const checkModel: CheckModel = (name, signal) => requireModel(service, name, 'completion', signal).catch(async (thrown: unknown) => { throw await explainMissing(thrown, service, name); });
  const conversation = new ChatConversation(askModel, checkModel, model, textOption(input, 'system'), sampling);
  if (process.stdin.isTTY && !json) {
    if (named !== undefined) await checkModel(named, new AbortController().signal);
    const history = historyFile(environment);
    await converse({ input: process.stdin, output: process.stderr, conversation, history: readHistory(history), keepHistory: (lines) => writeHistory(history, lines) });
  } else {
    const reply = await answerPipe(conversation);
    if (json) printJson({ model, ...reply });
  }
  return exitCodes.ok;
};

async function answerPipe(conversation: ChatConversation): ReturnType<ChatConversation['ask']> {
  const question = (await readAll(process.stdin)).trimEnd();
  if (question === '') throw new LecternError('invalid_request', 'There is no question on standard input.');
  const stop = new AbortController();
  onStopSignal(() => stop.abort(new LecternError('cancelled')));
  return conversation.ask(question, stop.signal);
}

function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new LecternError('invalid_request', `${flag} must be a number, not "${text}".`);
  return value;
}

function historyFile(environment: Environment): string {
  return join(defaultStateDirectory(environment), 'chat-history');
}

/** The latest line first; empty where there is none that can be read. */
function readHistory(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Questions are the user's own: no other user may read them. A history that cannot be kept is no reason to end a conversation. */
function writeHistory(file: string, lines: string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  } catch {
    return;
  }
}
