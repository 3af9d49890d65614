/** Reads the multipart form of a conversion: documents straight to disk, text fields into memory, in whatever order they come. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { measureJson } from '../../chat/sandbox/json-text.js';
import { LecternError } from '../../errors.js';
import { HttpFailure, type Issue } from '../error-reply.js';
import type { HttpSettings } from '../settings.js';
import { FormMeter, longestTextBytes, mostBodyBytes, mostParts, mostTextBytes, partTooLong, tooManyParts } from './form-limits.js';
import { baseName, type CreateInput, inputName, receive, type ReceivedDocument } from './upload.js';

const partsPerTurn = 20;

export interface ReceivedForm {
  fields: Map<string, string[]>;
  /** At most as many as the service takes. */
  documents: ReceivedDocument[];
  /** As many as the client sent. */
  documentCount: number;
  /** Names of file parts that are no documents. */
  strangeFiles: string[];
  issues: Issue[];
}

/** Throws 400 for broken multipart, 413 for a document or a body past the limit. A body of another type is a form without fields. */
export async function receiveForm(request: FastifyRequest, create: CreateInput, settings: HttpSettings): Promise<ReceivedForm> {
  const form: ReceivedForm = { fields: new Map(), documents: [], documentCount: 0, strangeFiles: [], issues: [] };
  if (!request.isMultipart()) return form;
  const limits = { parts: mostParts, fieldSize: longestTextBytes, fileSize: Infinity };
  const meter = new FormMeter(request.raw, request.headers['content-type'], mostBodyBytes(settings));
  try {
    const parts = request.parts({ limits, ...filesHaveNames });
    let textBytes = 0;
    for (let count = 1; ; count += 1) {
      // One chunk of the body may hold a thousand parts: other requests come between.
      if (count % partsPerTurn === 0) await nextTurn();
      const { done, value: part } = await meter.race(parts.next());
      if (done) break;
      if (typeof (part.fieldname as string | undefined) !== 'string') {
        throw new HttpFailure(400, 'The Content-Disposition header field "name" must be provided.');
      }
      if (part.type === 'file' && (part.filename as string | undefined) === undefined) {
        textBytes += receiveJson(part.fieldname, await textOf(part), form);
        if (textBytes > mostTextBytes) throw tooMuchText();
        meter.fieldEnds();
      } else if (part.type === 'file') {
        meter.fileBegins();
        meter.fileEnds(await receiveFile(part, form, create, settings, meter.signal));
      } else {
        textBytes += receivePlainText(part, form);
        if (textBytes > mostTextBytes) throw tooMuchText();
        meter.fieldEnds();
      }
    }
  } catch (thrown) {
    request.raw.unpipe();
    throw asFormFailure(thrown);
  } finally {
    meter.stop();
  }
  return form;
}

/** A part without a file name is text, whatever its type says; text that calls itself JSON is read here, because the package parses it whatever it holds. */
const filesHaveNames = { isPartAFile: (_field: string | undefined, type: string | undefined, filename: string | undefined) => filename !== undefined || isJson(type) };

function isJson(type: string | undefined): boolean {
  return type?.startsWith('application/json') === true;
}

function tooMuchText(): HttpFailure {
  return new HttpFailure(413, `The text fields of the form exceed ${mostTextBytes} bytes.`);
}

async function textOf({ file }: MultipartFile): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of file as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > longestTextBytes) throw partTooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Here all fields are text: the JSON of a string is that string. Throws 400 for what is none, or holds too many values. */
function receiveJson(name: string, text: string, form: ReceivedForm): number {
  measureJson(Buffer.from(text));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpFailure(400, 'A part calls itself JSON and is none.');
  }
  return receiveText(name, typeof value === 'string' ? value : JSON.stringify(value), form);
}

/** Answers the size of the file. */
async function receiveFile(part: MultipartFile, form: ReceivedForm, create: CreateInput, settings: HttpSettings, signal: AbortSignal): Promise<number> {
  if (part.fieldname !== 'files') {
    form.strangeFiles.push(part.fieldname);
    return receive(part.file, null, settings.maxFileSize, signal);
  }
  const index = form.documentCount++;
  const isWelcome = index < settings.maxFiles;
  const name = inputName(index);
  const sizeBytes = await receive(part.file, isWelcome ? await create(name) : null, settings.maxFileSize, signal);
  const filename = baseName(part.filename) || (index === 0 ? 'file.pdf' : `file_${index}.pdf`);
  if (isWelcome) form.documents.push({ input: name, filename, sizeBytes });
  return sizeBytes;
}

function receivePlainText(part: MultipartValue, form: ReceivedForm): number {
  if (part.valueTruncated) throw partTooLong();
  return receiveText(part.fieldname, typeof part.value === 'string' ? part.value : JSON.stringify(part.value), form);
}

/** Returns the bytes that it takes. */
function receiveText(name: string, text: string, form: ReceivedForm): number {
  if (name === 'files') {
    const msg = "Value error, Expected UploadFile, received: <class 'str'>";
    form.issues.push({ type: 'value_error', loc: ['body', 'files', form.documentCount++], msg });
  } else {
    form.fields.set(name, [...(form.fields.get(name) ?? []), text]);
  }
  return Buffer.byteLength(text) + name.length;
}

function asFormFailure(thrown: unknown): unknown {
  if (thrown instanceof HttpFailure || thrown instanceof LecternError) return thrown;
  const { code, message, syscall } = thrown as NodeJS.ErrnoException;
  if (code === 'FST_PARTS_LIMIT') return tooManyParts();
  if (code === 'FST_MP_PREMATURE_CLOSE' || code === 'ECONNRESET') return new LecternError('cancelled', 'The client went away.');
  if (syscall !== undefined) return thrown;
  return new HttpFailure(400, message.includes('Boundary not found') ? 'Missing boundary in multipart.' : 'Invalid multipart data.');
}
