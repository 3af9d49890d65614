/** Reads the JSON body of a conversion without ever holding its documents: base64 goes to disk as it arrives, the rest is parsed. */
import type { FastifyRequest } from 'fastify';
import { mostValues } from '../../chat/sandbox/json-text.js';
import { LecternError } from '../../errors.js';
import { HttpFailure, invalid } from '../error-reply.js';
import type { InputFile } from '../../tasks/types.js';
import type { HttpSettings } from '../settings.js';
import { Base64Decoder, NotBase64 } from './base64.js';
import { JsonSplitter, type Piece } from './json-splitter.js';
import { type CreateInput, inputName, tooLarge } from './upload.js';

/** One base64 value of the body. */
export interface ReceivedContent {
  /** Null where the service takes no further document: counted, not kept. */
  input: string | null;
  sizeBytes: number;
  /** Why it is no base64. */
  fault: string | null;
}

export interface ReceivedBody {
  /** The JSON value; in it each document's base64 is a word that `contents` knows. */
  value: unknown;
  contents: Map<unknown, ReceivedContent>;
}

/** The body without its documents. */
const mostRestBytes = 2 * 1024 * 1024;

/** Throws 422 for what is no JSON object, 413 for a document past the limit. */
export async function receiveSourceBody(request: FastifyRequest, create: CreateInput, settings: HttpSettings): Promise<ReceivedBody> {
  if (!isJson(request.headers['content-type'])) throw notAnObject();
  const splitter = new JsonSplitter(mostRestBytes, mostValues);
  const contents = new ContentWriter(create, settings);
  try {
    // The stream must live on after a failure, or the client would not get to read the answer.
    for await (const chunk of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const piece of splitter.push(chunk)) await contents.take(piece);
      if (splitter.overflow === 'long') throw new HttpFailure(413, `The request without its documents exceeds ${mostRestBytes} bytes.`);
      if (splitter.overflow === 'many') throw new HttpFailure(413, `The request holds more than ${mostValues} values.`);
      if (splitter.overflow === 'deep') throw notJson(0);
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ECONNRESET') throw new LecternError('cancelled', 'The client went away.');
    throw thrown;
  } finally {
    await contents.close();
  }
  const received = contents.received.map((content, index) => [`${splitter.mark}${index}`, content] as const);
  return { value: parseRest(splitter.rest()), contents: new Map(received) };
}

function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/([^;\s]+\+)?json\s*(;|$)/i.test(contentType ?? '');
}

function notAnObject(): HttpFailure {
  return invalid([{ type: 'model_attributes_type', loc: ['body'], msg: 'Input should be a valid dictionary or object to extract fields from' }]);
}

function notJson(position: number): HttpFailure {
  return invalid([{ type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error' }]);
}

function parseRest(rest: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(rest);
  } catch {
    throw new HttpFailure(400, 'There was an error parsing the body');
  }
  const missing = invalid([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
  if (rest.length === 0) throw missing;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(Number(/at position (\d+)/.exec((error as Error).message)?.[1] ?? 0));
  }
  if (value === null) throw missing;
  return value;
}

/** Puts the values into files, one after the other. */
class ContentWriter {
  readonly received: ReceivedContent[] = [];
  private current: ReceivedContent | null = null;
  private decoder = new Base64Decoder();
  private file: InputFile | null = null;
  private kept = 0;

  constructor(private readonly create: CreateInput, private readonly settings: HttpSettings) {}

  async take(piece: Piece): Promise<void> {
    if (piece.type === 'begin') await this.begin(piece.list);
    else if (piece.type === 'data') await this.write(piece.bytes.length, (decoder) => decoder.push(piece.bytes));
    else await this.end();
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = null;
  }

  private async begin(list: string): Promise<void> {
    const isWelcome = list === 'sources' && this.kept < this.settings.maxFiles;
    const input = isWelcome ? inputName(this.kept++) : null;
    this.current = { input, sizeBytes: 0, fault: null };
    this.received.push(this.current);
    this.decoder = new Base64Decoder();
    this.file = input === null ? null : await this.create(input);
  }

  private async write(textLength: number, decode: (decoder: Base64Decoder) => Buffer): Promise<void> {
    const content = this.current;
    if (content === null) return;
    let bytes: Buffer = Buffer.alloc(0);
    try {
      if (content.fault === null) bytes = decode(this.decoder);
    } catch (thrown) {
      if (!(thrown instanceof NotBase64)) throw thrown;
      content.fault = thrown.message;
    }
    // What is no base64 counts too, or it could go on for ever.
    content.sizeBytes += content.fault === null ? bytes.length : Math.floor(textLength * 0.75);
    if (content.sizeBytes > this.settings.maxFileSize) throw tooLarge(this.settings.maxFileSize);
    if (bytes.length > 0) await this.file?.write(bytes);
  }

  private async end(): Promise<void> {
    await this.write(0, (decoder) => decoder.end());
    await this.file?.finish();
    this.file = null;
    this.current = null;
  }
}
