/** Results of tasks as resources of the protocol: those of this connection are listed, and any task that the caller may see can be read by its id. */
import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { type ServedConversion, taskResult } from '../client/convert-document.js';
import type { Service } from '../client/service.js';
import { LecternError } from '../errors.js';
import { describeChunks, type Format, formatIn, formats, textOf } from './document-tools.js';
import { scheme } from './started-tasks.js';

export const resultTemplates = [
  { uriTemplate: `${scheme}{task_id}`, name: 'result', title: 'Result of a task', description: 'The document, or its chunks as JSON. A result is kept for 4 hours by default.' },
  { uriTemplate: `${scheme}{task_id}/{format}`, name: 'result-format', title: 'Result of a task in one of its formats', description: `The format is one of ${formats.join(', ')}, as the task was asked for.` },
];

const mediaTypes: Record<Format, string> = { md: 'text/markdown', json: 'application/json', html: 'text/html', text: 'text/plain', doctags: 'text/plain', latex: 'application/x-latex' };

/** Throws `not_found` for an address that is none of a result or whose task is not there, `invalid_state` for a task that has not ended. */
export async function readResult(service: Service, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const [, id = '', format] = /^lectern:\/\/results\/([\w-]+)(?:\/([a-z]+))?$/.exec(uri) ?? [];
  if (id === '') throw new LecternError('not_found', `There is no resource ${uri.slice(0, 200)}, only ${resultTemplates.map(({ uriTemplate }) => uriTemplate).join(' and ')}.`);
  if (format !== undefined && !formats.includes(format as Format)) throw new LecternError('not_found', `There is no format ${format.slice(0, 100)}, only ${formats.join(', ')}.`);
  const { task_status: status } = await service.json<{ task_status: string }>(`v1/status/poll/${id}`, { signal });
  if (status === 'pending' || status === 'started') throw new LecternError('invalid_state', `The task has not ended: it is ${status}.`);
  const result = await taskResult<ServedConversion | Parameters<typeof describeChunks>[0]>(service, id, { signal });
  if ('chunks' in result) return { contents: [{ uri, mimeType: 'application/json', text: describeChunks(result) }] };
  const chosen = format as Format | undefined ?? formatIn(result);
  return { contents: textOf(`The document of ${uri}`, result, chosen).slice(0, 1).map((text) => ({ uri, mimeType: mediaTypes[chosen], text })) };
}
