/** The tools over documents: convert one, cut one into chunks, ask how a task stands, fetch its result, cancel it. */
import { z } from 'zod';
import { ownTaskResult, type ServedConversion, type ServedProgress, startTask, type TaskFields, taskResult, taskStatus } from '../client/convert-document.js';
import { LecternError } from '../errors.js';
import { documentInput, type DocumentInput, nameOf, readDocument } from './document-input.js';
import { uriOf } from './started-tasks.js';
import type { McpToolCall, ToolHost, ToolText } from './tool.js';

export const formats = ['md', 'json', 'html', 'text', 'doctags', 'latex'] as const;
export type Format = (typeof formats)[number];

const pages = z.string().regex(/^[1-9]\d*(-([1-9]\d*)?)?$/, 'must be like 3, 3-7 or 3-').optional().describe('Only these pages: 3, 3-7 or 3-.');
const password = z.string().optional().describe('Of an encrypted PDF.');
const wait = z.boolean().default(true).describe('false: returns the id of the task at once; task_status and get_result take it.');
const taskId = z.string().min(1).describe('The id of the task.');

export const convertInput = (readsFiles: boolean) => ({
  ...documentInput(readsFiles),
  format: z.enum(formats).default('md').describe('What to make of it. Default: md, markdown.'),
  pages, password, wait,
});
export const chunkInput = (readsFiles: boolean) => ({
  ...documentInput(readsFiles),
  max_tokens: z.number().int().min(1).optional().describe('Tokens of a chunk at most, headings included. Default: 256.'),
  pages, password, wait,
});
export const statusInput = { task_id: taskId, wait_s: z.number().min(0).max(55).default(0).describe('Seconds to wait for the end of the task.') };
export const resultInput = { task_id: taskId, format: z.enum(formats).optional().describe('Where a task was converted to several formats: which. Default: the first.') };
export const cancelInput = { task_id: taskId };

interface Reading extends DocumentInput {
  pages?: string | undefined;
  password?: string | undefined;
  wait: boolean;
}

interface Chunks {
  chunks: { chunk_index: number; text: string; num_tokens: number | null; headings: string[] | null; page_numbers: number[] | null }[];
}

/** The document first; what was lost of it, where something was, second. Throws for a document that failed as a whole. */
export async function convertDocument(host: ToolHost, input: Reading & { format: Format }, call: McpToolCall): Promise<ToolText> {
  const { name, id } = await start(host, 'convert', input, { to_formats: input.format, image_export_mode: 'placeholder' }, call);
  if (!input.wait) return accepted(name, id);
  return textOf(name, await ownTaskResult<ServedConversion>(host.service, id, waiting(call)), input.format);
}

/** The chunks as a JSON list. */
export async function chunkDocument(host: ToolHost, input: Reading & { max_tokens?: number | undefined }, call: McpToolCall): Promise<ToolText> {
  const chunking = input.max_tokens === undefined ? {} : { max_tokens: String(input.max_tokens) };
  const { name, id } = await start(host, 'chunk', input, {}, call, chunking);
  if (!input.wait) return accepted(name, id);
  return [describeChunks(await ownTaskResult<Chunks>(host.service, id, waiting(call)))];
}

export async function statusTool({ service }: ToolHost, input: { task_id: string; wait_s: number }, { signal }: McpToolCall): Promise<ToolText> {
  return [JSON.stringify(await taskStatus(service, input.task_id, input.wait_s, signal))];
}

export async function resultTool({ service }: ToolHost, { task_id: id, format }: { task_id: string; format?: Format | undefined }, call: McpToolCall): Promise<ToolText> {
  const result = await taskResult<ServedConversion | Chunks>(service, id, { ...waiting(call), signal: call.signal });
  return 'chunks' in result ? [describeChunks(result)] : textOf(`Task ${id}`, result, format ?? formatIn(result));
}

export async function cancelTool({ service }: ToolHost, { task_id: id }: { task_id: string }, { signal }: McpToolCall): Promise<ToolText> {
  return [JSON.stringify(await service.json(`v1/tasks/${encodeURIComponent(id)}`, { method: 'DELETE', signal }))];
}

/** The first format that a result has. */
export function formatIn({ document }: ServedConversion): Format {
  return formats.find((format) => (document[`${format}_content`] ?? null) !== null) ?? 'md';
}

export function describeChunks({ chunks }: Chunks): string {
  return JSON.stringify(chunks.map(({ chunk_index: index, text, num_tokens: tokens, headings, page_numbers: numbers }) => ({ index, text, tokens, headings: headings ?? [], pages: numbers ?? [] })), null, 1);
}

async function start(
  host: ToolHost, kind: 'convert' | 'chunk', input: Reading, options: TaskFields['options'], { signal }: McpToolCall, chunking?: TaskFields['chunking'],
): Promise<{ name: string; id: string }> {
  const document = await readDocument(input, host.readsFiles);
  const name = nameOf(document);
  const id = await startTask(host.service, kind, document, {
    options: { ...options, ...(input.pages === undefined ? {} : { page_range: pageRange(input.pages) }), ...(input.password === undefined ? {} : { pdf_password: input.password }) },
    ...(chunking === undefined ? {} : { chunking }),
  }, signal);
  host.results.add({ id, name, kind });
  return { name, id };
}

function accepted(name: string, id: string): ToolText {
  return [JSON.stringify({ task_id: id, name, result: uriOf(id) })];
}

/** However small a document is: sixty kilobytes can be four hundred pages. */
function waiting({ signal, progress }: McpToolCall): Parameters<typeof taskResult>[2] {
  const tell = ({ stage, position, pagesDone, pagesTotal }: ServedProgress): void => progress?.(pagesDone, pagesTotal || undefined, position === null ? stage : `${stage}, place ${position}`);
  return { signal, onProgress: tell };
}

export function textOf(name: string, { status, document, errors }: ServedConversion, format: Format): ToolText {
  const reasons = errors.map(({ error_message: message, page_no: page }) => (page === null ? message : `page ${page}: ${message}`)).join('; ');
  if (status !== 'success' && status !== 'partial_success') throw new LecternError('invalid_document', `${name} could not be converted: ${reasons || status}`);
  const content = document[`${format}_content`] ?? null;
  if (content === null) throw new LecternError('invalid_request', `${name} was not converted to ${format}, but to ${formatIn({ status, document, errors })}.`);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  if (errors.length === 0) return [text];
  return [text, status === 'success' ? `${name} is whole; of how it was read: ${reasons}` : `Parts of ${name} are missing: ${reasons}`];
}

function pageRange(text: string): [string, string] {
  const [first = '', last] = text.split('-');
  return [first, last === undefined ? first : last === '' ? String(Number.MAX_SAFE_INTEGER) : last];
}
