/** A conversation line by line: questions wait for the answer before them, and words with a slash are for the program. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { LecternError } from '../errors.js';

export interface ChatSession {
  input: NodeJS.ReadableStream;
  /** Where the prompt, complaints and help go: not the answers. */
  output: NodeJS.WritableStream;
  model: string;
  /** Writes the answer and remembers both; rejects where there is none. */
  answer(question: string, signal: AbortSignal): Promise<void>;
  /** Forgets all questions and answers. */
  clear(): void;
}

const help = '/clear forgets the conversation, /bye ends it, as Ctrl-D does; Ctrl-C ends an answer.\n';

/** Until the input ends or `/bye`; what was asked before that is answered. Ctrl-C ends an answer and drops the questions behind it, and between answers the conversation. */
export async function converse({ input, output, model, answer, clear }: ChatSession): Promise<void> {
  const lines = createInterface({ input, output, prompt: `${model}> ` });
  const waiting: string[] = [];
  let writing: AbortController | null = null;
  let running = Promise.resolve();
  let open = true;
  const respond = async (question: string): Promise<void> => {
    writing = new AbortController();
    await answer(question, writing.signal).catch((thrown: unknown) => {
      output.write(`\nlectern: ${thrown instanceof LecternError ? thrown.message : String(thrown)}\n`);
    });
    writing = null;
  };
  const work = async (): Promise<void> => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      const word = line.trim();
      if (word === '/bye') {
        waiting.length = 0;
        lines.close();
      } else if (word === '/clear') clear();
      else if (/^\/[a-z?]+$/.test(word)) output.write(word === '/help' || word === '/?' ? help : `There is no ${word}: ${help}`);
      else if (word !== '') await respond(line);
      if (open && waiting.length === 0) lines.prompt();
    }
  };
  lines.on('SIGINT', () => {
    waiting.length = 0;
    if (writing === null) lines.close();
    else writing.abort(new LecternError('cancelled'));
  });
  let idle = true;
  lines.on('line', (line) => {
    waiting.push(line);
    if (!idle) return;
    idle = false;
    running = work().finally(() => { idle = true; });
  });
  lines.once('close', () => { open = false; });
  const closed = once(lines, 'close');
  lines.prompt();
  await closed;
  await running;
}
