/** The conversation of `lectern chat`: its messages, the model and how it chooses tokens, and the commands that change them. */
import { readFile, writeFile } from 'node:fs/promises';
import type { ChatMessage, ChatReply } from '../client/language-requests.js';
import { LecternError } from '../errors.js';
import { expandHome } from './sources.js';

export interface ChatSampling {
  temperature?: number | undefined;
  seed?: number | undefined;
}

/** Sends the messages to the model; writes the answer as it comes. */
export type AskModel = (request: { model: string; messages: ChatMessage[]; signal: AbortSignal } & ChatSampling) => Promise<ChatReply>;

/** Throws where the service has no such model, or one that cannot chat. */
export type CheckModel = (name: string, signal: AbortSignal) => Promise<void>;

interface SlashCommand {
  /** As help shows it. */
  form: string;
  help: string;
  /** Resolves to a sentence for the user, or ''. Throws `invalid_request`. */
  run(rest: string, signal: AbortSignal): Promise<string>;
}

export class ChatConversation {
  private messages: ChatMessage[] = [];

  constructor(private readonly askModel: AskModel, private readonly checkModel: CheckModel, public model: string, private system: string | undefined, private readonly sampling: ChatSampling) {}

  readonly commands: Record<string, SlashCommand> = {
    clear: { form: '/clear', help: 'forget the conversation', run: async () => this.clear() },
    retry: { form: '/retry', help: 'answer the last question again', run: async (_rest, signal) => this.retry(signal) },
    model: { form: '/model [NAME]', help: 'show or change the model', run: async (name, signal) => this.changeModel(name, signal) },
    system: { form: '/system [TEXT]', help: 'show or change the instructions', run: async (text) => this.changeSystem(text) },
    set: { form: '/set temperature|seed NUMBER', help: 'change how tokens are chosen; without a number as the service has it', run: async (rest) => this.set(rest) },
    save: { form: '/save FILE', help: 'write the conversation as JSON', run: async (file) => this.save(file) },
    load: { form: '/load FILE', help: 'go on with a saved conversation', run: async (file, signal) => this.load(file, signal) },
  };

  /** A question without an answer is left out of the conversation: the next question must not follow another one. */
  async ask(question: string, signal: AbortSignal): Promise<ChatReply> {
    const asked: ChatMessage = { role: 'user', content: question };
    const before: ChatMessage[] = this.system === undefined ? [] : [{ role: 'system', content: this.system }];
    const reply = await this.askModel({ model: this.model, ...this.sampling, messages: [...before, ...this.messages, asked], signal });
    this.messages.push(asked, { role: 'assistant', content: reply.text });
    return reply;
  }

  private clear(): string {
    this.messages = [];
    return 'The conversation is forgotten.';
  }

  private async retry(signal: AbortSignal): Promise<string> {
    const last = this.messages.at(-2);
    if (last === undefined) throw new LecternError('invalid_request', 'There is no question yet.');
    const kept = this.messages;
    this.messages = kept.slice(0, -2);
    await this.ask(last.content, signal).catch((thrown: unknown) => {
      this.messages = kept;
      throw thrown;
    });
    return '';
  }

  private async changeModel(name: string, signal: AbortSignal): Promise<string> {
    if (name === '') return `The model is ${this.model}.`;
    await this.checkModel(name, signal).catch((thrown: unknown) => { throw this.kept(thrown); });
    this.model = name;
    return `The model is ${this.model}.`;
  }

  /** The same failure, and which model goes on. */
  private kept(thrown: unknown): unknown {
    return thrown instanceof LecternError && thrown.code !== 'cancelled' ? new LecternError(thrown.code, `${thrown.message} The model stays ${this.model}.`, { cause: thrown }) : thrown;
  }

  private changeSystem(text: string): string {
    if (text !== '') this.system = text;
    return this.system === undefined ? 'There are no instructions.' : `The instructions: ${this.system}`;
  }

  private set(rest: string): string {
    const [name, text, ...more] = rest.split(/\s+/);
    const value = text === undefined ? undefined : Number(text);
    if ((name !== 'temperature' && name !== 'seed') || more.length > 0 || (value !== undefined && !Number.isFinite(value))) {
      throw new LecternError('invalid_request', `It is written ${this.commands['set']?.form}.`);
    }
    this.sampling[name] = value;
    return `${name}: ${value ?? 'as the service has it'}.`;
  }

  private async save(file: string): Promise<string> {
    const path = pathOf(file, '/save');
    await writeFile(path, `${JSON.stringify({ model: this.model, system: this.system, messages: this.messages }, null, 2)}\n`, { mode: 0o600 }).catch((cause: Error) => {
      throw new LecternError('forbidden', `${path} cannot be written: ${cause.message}.`, { cause });
    });
    return `${this.messages.length} messages are in ${path}.`;
  }

  private async load(file: string, signal: AbortSignal): Promise<string> {
    const path = pathOf(file, '/load');
    const saved = await readFile(path, 'utf8').then((text) => JSON.parse(text) as unknown).catch((cause: Error) => {
      throw new LecternError('not_found', `${path} cannot be read: ${cause.message}.`, { cause });
    });
    if (!isSaved(saved)) throw new LecternError('invalid_document', `${path} holds no conversation of /save.`);
    // The conversation can go on with another model than its own.
    const missing = saved.model === this.model ? null : await this.checkModel(saved.model, signal).then(() => null, (thrown: unknown) => thrown);
    [this.system, this.messages] = [saved.system, saved.messages];
    if (missing !== null) throw this.kept(missing);
    this.model = saved.model;
    return `${saved.messages.length} messages with ${saved.model}.`;
  }
}

function pathOf(file: string, command: string): string {
  if (file === '') throw new LecternError('invalid_request', `${command} needs the name of a file.`);
  return expandHome(file);
}

function isSaved(value: unknown): value is { model: string; system: string | undefined; messages: ChatMessage[] } {
  const { model, system, messages } = (value ?? {}) as Record<string, unknown>;
  return typeof model === 'string' && (system === undefined || typeof system === 'string') && Array.isArray(messages)
    && messages.every((one) => typeof (one as ChatMessage | null)?.content === 'string' && ['user', 'assistant'].includes((one as ChatMessage).role));
}
