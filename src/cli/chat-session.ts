/** A conversation line by line: questions wait for the answer before them, and words with a slash are for the program. */
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { LecternError } from '../errors.js';
import type { ChatConversation } from './chat-conversation.js';

export interface ChatSession {
  input: NodeJS.ReadableStream;
  /** Where the prompt, complaints and help go: not the answers. */
  output: NodeJS.WritableStream;
  conversation: Pick<ChatConversation, 'model' | 'ask' | 'commands'>;
  /** Earlier lines, the latest first. */
  history?: string[];
  /** Gets all lines at the end, the latest first. */
  keepHistory?(lines: string[]): void;
}

/** Lines between two of these are one question, as in Ollama's command line. */
const fence = '"""';
const mostHistory = 1000;

/** Until the input ends or `/bye`; what was asked before that is answered. Ctrl-C ends an answer and drops the questions behind it, and between answers the conversation. */
export async function converse({ input, output, conversation, history = [], keepHistory }: ChatSession): Promise<void> {
  const lines = createInterface({ input, output, prompt: `${conversation.model}> `, history, historySize: mostHistory });
  const questions = questionsOf(lines);
  const waiting: string[] = [];
  let running = Promise.resolve();
  let [open, idle, isWarned] = [true, true, false];
  let working: AbortController | null = null;
  const say = (sentence: string): void => { output.write(sentence === '' ? '' : `${sentence}\n`); };
  const withSignal = async (work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    working = new AbortController();
    await work(working.signal).catch((thrown: unknown) => say(`\nlectern: ${thrown instanceof LecternError ? thrown.message : String(thrown)}`));
    working = null;
  };
  const respond = async (question: string): Promise<void> => {
    const [, name, rest = ''] = /^\/([a-z?]+)(?:\s+([^]*))?$/.exec(question.trim()) ?? [];
    if (name === undefined) {
      await withSignal((signal) => conversation.ask(question, signal));
      lines.setPrompt(`${conversation.model}> `);
      return;
    }
    const command = Object.hasOwn(conversation.commands, name) ? conversation.commands[name] : undefined;
    if (command !== undefined) await withSignal(async (signal) => say(await command.run(rest.trim(), signal)));
    else say(name === 'help' || name === '?' ? helpOf(conversation) : `There is no /${name}; /help lists what there is.`);
    lines.setPrompt(`${conversation.model}> `);
  };
  const work = async (): Promise<void> => {
    for (let question = waiting.shift(); question !== undefined; question = waiting.shift()) {
      if (question.trim() === '/bye') {
        waiting.length = 0;
        lines.close();
      } else if (question.trim() !== '') await respond(question);
      if (open && waiting.length === 0) lines.prompt();
    }
  };
  lines.on('SIGINT', () => {
    waiting.length = 0;
    const isBegun = questions.drop() || lines.line !== '';
    if (working !== null) return working.abort(new LecternError('cancelled'));
    if (!isBegun && isWarned) return lines.close();
    isWarned = true;
    // What was typed so far goes, as in a shell.
    lines.write(null, { ctrl: true, name: 'u' });
    lines.setPrompt(`${conversation.model}> `);
    say(`\n${isBegun ? 'The line is dropped.' : 'Ctrl-C once more, Ctrl-D or /bye ends the conversation.'}`);
    lines.prompt();
  });
  lines.on('line', (line) => {
    isWarned = false;
    const question = questions.add(line);
    if (question === null) return;
    waiting.push(question);
    if (!idle) return;
    idle = false;
    running = work().finally(() => { idle = true; });
  });
  lines.on('history', (kept: string[]) => { keepHistory?.(kept); });
  lines.once('close', () => { open = false; });
  lines.prompt();
  await once(lines, 'close');
  await running;
}

function helpOf({ commands }: Pick<ChatConversation, 'commands'>): string {
  const rows = [...Object.values(commands).map(({ form, help }) => [form, help] as const), ['/bye', 'end, as Ctrl-D does; Ctrl-C ends an answer, or drops what is typed'] as const];
  const width = Math.max(...rows.map(([form]) => form.length));
  return [...rows.map(([form, help]) => `${form.padEnd(width)}  ${help}`), `Lines between ${fence} and ${fence}, or with \\ at their ends, are one question.`].join('\n');
}

/** Puts lines together to questions; null while one is not complete. */
function questionsOf(lines: Interface): { add(line: string): string | null; /** Whether there was something. */ drop(): boolean } {
  let parts: string[] = [];
  let isFenced = false;
  const complete = (): string => {
    const question = parts.join('\n');
    parts = [];
    isFenced = false;
    return question;
  };
  const wait = (part: string): null => {
    parts.push(part);
    lines.setPrompt('... ');
    lines.prompt();
    return null;
  };
  return {
    add: (line) => {
      if (isFenced) {
        if (!line.trimEnd().endsWith(fence)) return wait(line);
        parts.push(line.trimEnd().slice(0, -fence.length));
        return complete();
      }
      if (parts.length === 0 && line.startsWith(fence)) {
        const rest = line.slice(fence.length);
        if (rest.trimEnd().endsWith(fence)) return rest.trimEnd().slice(0, -fence.length);
        isFenced = true;
        return wait(rest);
      }
      if (line.endsWith('\\') && !line.endsWith('\\\\')) return wait(line.slice(0, -1));
      parts.push(line);
      return complete();
    },
    drop: () => {
      const isOpen = isFenced || parts.length > 0;
      complete();
      return isOpen;
    },
  };
}
