/** What a conversion request asks for, from a form or a JSON body alike, checked against the service's rules. */
import { measureJson } from '../../chat/sandbox/json-text.js';
import type { FastifyRequest } from 'fastify';
import type { ChunkOptions } from '../../convert/options.js';
import type { TaskDocument } from '../../convert/task/payload.js';
import { LecternError } from '../../errors.js';
import { HttpFailure, invalid, type Issue, type Location } from '../error-reply.js';
import { checkUrl } from '../outbound/destination.js';
import type { HttpSettings } from '../settings.js';
import { receiveForm } from './form.js';
import { isRecord, list, type ValueOf } from './kinds.js';
import { targetName } from './option-models.js';
import { checkLimits, readFormOptions, readJsonOptions, type GivenOptions } from './options.js';
import { callback, sources, targets, type Callback } from './request-models.js';
import { receiveSourceBody, type ReceivedBody } from './source-body.js';
import { baseName, type CreateInput } from './upload.js';

/** Reads the body of a request: documents go into files of the slot. Throws HttpFailure for what is wrong with it. */
export type ReadRequest = (request: FastifyRequest, create: CreateInput, settings: HttpSettings) => Promise<ConvertRequest>;

export interface ConvertRequest {
  /** At least one. */
  documents: TaskDocument[];
  options: GivenOptions;
  target: 'inbody' | 'zip';
  callbacks: Callback[];
  /** Of the chunk routes: how the documents are cut, and whether the answer holds them too. */
  chunks?: { options: ChunkOptions; tokenizerAt: string[]; withDocument: boolean };
}

const formNames = new Set(['files', 'target_type', 'callbacks']);
const bodyNames = new Set(['options', 'sources', 'target', 'callbacks']);

/** Of /v1/convert/file. Documents lie in the files of `create` afterwards. */
export async function readFormRequest(request: FastifyRequest, create: CreateInput, settings: HttpSettings): Promise<ConvertRequest> {
  const form = await receiveForm(request, create, settings);
  const issues: Issue[] = [];
  const options = readFormOptions(form.fields, formNames, issues);
  if (form.documentCount === 0) issues.push({ type: 'missing', loc: ['body', 'files'], msg: 'Field required' });
  issues.push(...form.issues);
  const word = form.fields.get('target_type')?.at(-1) ?? '';
  const target = word === '' ? 'inbody' : targetName.read(word, ['body', 'target_type'], issues);
  const callbacks = readFormCallbacks(form.fields.get('callbacks') ?? [], issues);
  if (options === undefined || target === undefined || issues.length > 0) throw invalid(issues);
  options.unknown.push(...form.strangeFiles.map((name) => ['body', name]));
  checkLimits(options, settings);
  checkCallbacks(callbacks, settings);
  checkCount('files', form.documentCount, settings);
  return { documents: form.documents.map(({ input, filename }) => ({ input, filename })), options, target: checkTarget(target), callbacks };
}

/** A callback in a form is an address alone, or the whole object as JSON. */
export function readFormCallbacks(texts: string[], issues: Issue[]): Callback[] {
  const read = texts.filter((text) => text !== '').map((text) => {
    let value: unknown = { url: text };
    measureJson(Buffer.from(text));
    try {
      const parsed = JSON.parse(text) as unknown;
      if (isRecord(parsed)) value = parsed;
    } catch {
      // No JSON: then it is the address itself, and judged as such.
    }
    return callback.read(value, ['body', 'callbacks'], issues);
  });
  return read.filter((one) => one !== undefined);
}

/** Of /v1/convert/source. */
export async function readSourceRequest(request: FastifyRequest, create: CreateInput, settings: HttpSettings): Promise<ConvertRequest> {
  const body = await receiveSourceBody(request, create, settings);
  const at: Location = ['body'];
  const { value } = body;
  if (!isRecord(value)) throw invalid([{ type: 'model_attributes_type', loc: at, msg: 'Input should be a valid dictionary or object to extract fields from' }]);
  const issues: Issue[] = [];
  const options = readJsonOptions(value['options'] === undefined ? {} : value['options'], ['body', 'options'], issues);
  const documents = readSources(value, body, issues);
  const target = value['target'] === undefined ? 'inbody' : targets.read(value['target'], ['body', 'target'], issues)?.kind;
  const callbacks = value['callbacks'] === undefined ? [] : list(callback).read(value['callbacks'], ['body', 'callbacks'], issues);
  if (options === undefined || documents === undefined || target === undefined || callbacks === undefined) throw invalid(issues);
  options.unknown.push(...Object.keys(value).filter((name) => !bodyNames.has(name)).map((name) => ['body', name]));
  checkLimits(options, settings);
  checkCallbacks(callbacks, settings);
  checkCount('sources', documents.length, settings);
  checkSources(documents, settings);
  return { documents, options, target: checkTarget(target), callbacks };
}

/** undefined when issues were added. */
export function readSources(value: Record<string, unknown>, { contents }: ReceivedBody, issues: Issue[]): TaskDocument[] | undefined {
  const at: Location = ['body', 'sources'];
  if (value['sources'] === undefined) {
    issues.push({ type: 'missing', loc: at, msg: 'Field required' });
    return undefined;
  }
  const read = list(sources).read(value['sources'], at, issues);
  if (read === undefined) return undefined;
  if (read.length === 0) {
    issues.push({ type: 'too_short', loc: at, msg: 'List should have at least 1 item after validation, not 0' });
    return undefined;
  }
  const before = issues.length;
  const documents = read.map((source, index) => toDocument(source, index, contents, issues));
  return issues.length > before ? undefined : documents;
}

function toDocument(source: ValueOf<typeof sources>, index: number, contents: ReceivedBody['contents'], issues: Issue[]): TaskDocument {
  if (source.kind === 'http') {
    const { url, headers } = source;
    const filename = baseName(decodePath(new URL(url).pathname)) || `file_${index}`;
    return { input: `remote-${index}`, filename, remote: { url, headers } };
  }
  const content = contents.get(source.base64_string);
  const fault = content === undefined ? 'the text could not be read' : content.fault;
  if (fault !== null) {
    issues.push({ type: 'value_error', loc: ['body', 'sources', index, 'file', 'base64_string'], msg: `Value error, Invalid base64: ${fault}` });
  }
  return { input: content?.input ?? '', filename: baseName(source.filename) || 'file.pdf' };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const mostCallbacks = 10;

/** Throws 422 for callbacks that the settings do not allow. */
export function checkCallbacks(callbacks: Callback[], settings: HttpSettings): void {
  if (callbacks.length === 0) return;
  if (settings.callbackHosts.length === 0) throw new HttpFailure(422, 'Callbacks are disabled by server policy.');
  if (callbacks.length > mostCallbacks) throw new HttpFailure(422, `Too many callbacks: ${callbacks.length} exceeds the maximum of ${mostCallbacks}.`);
  for (const { url } of callbacks) checkHost(url, settings.callbackHosts);
}

function checkHost(url: string, hosts: string[]): void {
  try {
    checkUrl(url, hosts);
  } catch (thrown) {
    if (thrown instanceof LecternError) throw new HttpFailure(422, thrown.message);
    throw thrown;
  }
}

/** Throws 422 past the number of documents that the service takes at once. */
export function checkCount(what: 'files' | 'sources', count: number, settings: HttpSettings): void {
  if (count > settings.maxFiles) throw new HttpFailure(422, `Too many ${what}: ${count} exceeds the maximum of ${settings.maxFiles}.`);
}

/** Throws 422 for documents that may not be fetched. */
export function checkSources(documents: TaskDocument[], settings: HttpSettings): void {
  for (const { input, remote } of documents) {
    if (remote === undefined) {
      // A key given twice in one source takes the place of another source's document.
      if (input === '') throw new HttpFailure(422, 'A source holds base64_string more than once.');
      continue;
    }
    if (settings.httpSources.length === 0) throw new HttpFailure(422, "source kind 'http' is not allowed. Allowed values: ['file'].");
    checkHost(remote.url, settings.httpSources);
  }
}

/** Throws 422 for targets that this service does not have. */
export function checkTarget(kind: ValueOf<typeof targets>['kind']): 'inbody' | 'zip' {
  if (kind === 'presigned_url') {
    throw new HttpFailure(422, 'Presigned URL target requires artifact storage to be configured and enabled on the server.');
  }
  if (kind !== 'inbody' && kind !== 'zip') throw new HttpFailure(422, `target kind '${kind}' is not allowed. Allowed values: ['inbody', 'zip'].`);
  return kind;
}
