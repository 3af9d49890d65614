/** The sandbox process: runs one verb after another, each within its time, and ends with the service. */
import { Socket } from 'node:net';
import { Script } from 'node:vm';
import { LecternError } from '../../errors.js';
import { channelDescriptor, type Job, receive, send, sentError } from './messages.js';
import { longestMs, overLimit, type Verb, verbs } from './verbs.js';

const runWork = new Script('lecternWork()');

/** Runs `work`, and throws where it takes longer than `limitMs`: V8 interrupts loops and regular expressions, though no built-in function. */
export function within<T>(limitMs: number, work: () => T, late: () => LecternError): T {
  const holder = globalThis as { lecternWork?: () => T };
  holder.lecternWork = work;
  try {
    return runWork.runInThisContext({ timeout: limitMs }) as T;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw late();
    throw thrown;
  } finally {
    delete holder.lecternWork;
  }
}

function run(channel: Socket, { id, verb, question }: Job, bytes: Buffer): void {
  try {
    const work = Object.hasOwn(verbs, verb) ? verbs[verb as Verb] as (question: unknown, bytes: Buffer) => unknown : undefined;
    if (work === undefined) throw new LecternError('internal', `The sandbox has no verb ${verb}.`);
    send(channel, { id, ok: true, value: within(longestMs, () => work(question, bytes), () => overLimit(verb as Verb, 'time')) });
  } catch (thrown) {
    send(channel, { id, ok: false, error: sentError(thrown) });
  }
}

/** `restrict` gives up what the work does not need, before the first of it. Settles when the channel closes. Throws `invalid_request` where no service started this process, and what `restrict` throws. */
export async function serveSandbox(restrict: () => void): Promise<void> {
  let channel: Socket;
  try {
    channel = new Socket({ fd: channelDescriptor, readable: true, writable: true });
  } catch (cause) {
    throw new LecternError('invalid_request', 'The service starts its sandbox processes itself.', { cause });
  }
  // Control-C in a terminal reaches this process too, and the service needs it for the requests that it still answers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  restrict();
  const closed = new Promise<void>((resolve) => { channel.on('close', resolve); });
  channel.on('error', () => channel.destroy());
  receive(channel, (message, bytes) => run(channel, message as Job, bytes), () => channel.destroy());
  send(channel, { id: 0, ok: true, value: null });
  await closed;
}
