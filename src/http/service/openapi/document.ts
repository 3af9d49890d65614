/** Builds the OpenAPI document of the service, from the same tables that read the requests. */
import { flag, list, nullable, text, type Components, type JsonSchema, type Kind } from '../../conversion/kinds.js';
import { describeField, type Fields, type Model } from '../../conversion/models.js';
import { hierarchicalChunkerOptions, hybridChunkerOptions, targetName } from '../../conversion/option-models.js';
import { optionNames, optionTable, type Option } from '../../conversion/option-table.js';
import { chunkers } from '../../conversion/chunk-request.js';
import { batchSources, batchTargets, callback, sources, targets } from '../../conversion/request-models.js';
import { capabilitiesResponse } from '../capabilities.js';
import { contractVersion } from '../health.js';
import { failuresOf } from './failures.js';
import { languagePaths } from './language-paths.js';
import { otherPaths } from './other-paths.js';
import {
  chunkDocumentResponse, clearResponse, convertDocumentResponse, healthResponse, httpValidationError, presignedConvert, presignedCounts,
  readinessResponse, taskFailureResult, taskStatusResponse,
} from './response-models.js';

type Operation = Record<string, unknown>;
export type OpenApi = Record<string, unknown> & { paths: Record<string, Record<string, Operation>>; components: Record<string, Record<string, JsonSchema>> };

const option = (name: string): Option<unknown> => (optionTable as unknown as Record<string, Option<unknown>>)[name] as Option<unknown>;
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** OpenAPI 3.1.0. */
export function describeApi(withLanguage: boolean): OpenApi {
  const components: Components = new Map();
  const paths = {
    ...servicePaths(components),
    ...convertPaths(components),
    ...chunkPaths(components),
    ...taskPaths(components),
    ...(withLanguage ? languagePaths(components) : {}),
    ...otherPaths(withLanguage, components),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Docling Serve',
      version: contractVersion,
      description: 'The v1 contract of docling-serve, and the language models of OpenAI\'s and Ollama\'s contracts, kept by Lectern. A key is needed only where the service has an access list that asks for one.',
    },
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { APIKeyAuth: { type: 'apiKey', in: 'header', name: 'X-Api-Key' }, BearerAuth: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describeOption(name: string, components: Components, asForm: boolean): JsonSchema {
  const one = option(name);
  const extra = one.deprecated ? { deprecated: true } : {};
  if (!asForm || !one.kind.jsonText) return { ...describeField(one, components), ...extra };
  return { type: 'string', contentMediaType: 'application/json', description: `${one.help} As JSON text.`, ...extra };
}

function describeOptions(components: Components): JsonSchema {
  const properties = Object.fromEntries(optionNames.map((name) => [name, describeOption(name, components, false)]));
  components.set('ConvertDocumentsOptions', { type: 'object', title: 'ConvertDocumentsOptions', description: 'How documents are converted.', properties });
  return ref('ConvertDocumentsOptions');
}

const files = { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream', format: 'binary' }, description: 'The documents.' };
const callbacksField = { kind: list(callback), default: [], help: 'Where progress is posted.' };
const tenant = { name: 'X-Tenant-Id', in: 'header', required: false, schema: nullable(text).describe(new Map()), description: 'Keeps the tasks of several clients apart.' };
const documentVersion = {
  name: 'Accept-Docling-Document-Version', in: 'header', required: false, schema: nullable(text).describe(new Map()),
  description: 'The newest version of DoclingDocument that the client reads, from 1.5.0: json_content keeps to it.',
};
const taskId = { name: 'task_id', in: 'path', required: true, schema: { type: 'string' }, description: 'The task.' };

function convertPaths(components: Components): OpenApi['paths'] {
  components.set('ConvertSourcesRequest', objectOf('ConvertSourcesRequest', 'Documents in JSON and how to convert them.', {
    options: describeOptions(components),
    sources: { ...list(sources).describe(components), minItems: 1 },
    target: { ...targets.describe(components), description: 'Where the result goes: inbody where nothing is said.' },
    callbacks: describeField(callbacksField, components),
  }, ['sources']));
  components.set('BatchConvertSourcesRequest', objectOf('BatchConvertSourcesRequest', 'Documents in stores; described and refused.', {
    options: ref('ConvertDocumentsOptions'),
    sources: { ...list(batchSources).describe(components), minItems: 1 },
    target: nullable(batchTargets).describe(components),
    targets: nullable(list(batchTargets)).describe(components),
    callbacks: describeField(callbacksField, components),
  }, ['sources']));
  const result = [convertDocumentResponse, presignedCounts, presignedConvert];
  const form = (name: string): JsonSchema => {
    components.set(name, objectOf(name, 'Documents as files and how to convert them.', {
      files,
      target_type: { ...targetName.describe(components), default: 'inbody' },
      callbacks: { type: 'array', items: { type: 'string' }, default: [], description: 'Addresses, or objects as JSON text.' },
      ...Object.fromEntries(optionNames.map((one) => [one, describeOption(one, components, true)])),
    }, ['files']));
    return ref(name);
  };
  const post = (id: string, path: string, summary: string, body: JsonSchema, isForm: boolean, answer: Model<unknown>[], zip: boolean): OpenApi['paths'] => ({
    [path]: { post: operation('convert', id, summary, [tenant, documentVersion], components, answer, zip, requestBody(body, isForm)) },
  });
  const json = ref('ConvertSourcesRequest');
  return {
    ...post('process_url_v1_convert_source_post', '/v1/convert/source', 'Convert documents in JSON and wait', json, false, result, true),
    ...post('process_file_v1_convert_file_post', '/v1/convert/file', 'Convert files and wait', form('Body_process_file_v1_convert_file_post'), true, result, true),
    ...post('process_url_async_v1_convert_source_async_post', '/v1/convert/source/async', 'Convert documents in JSON as a task', json, false, [taskStatusResponse], false),
    ...post('process_source_batch_v1_convert_source_batch_post', '/v1/convert/source/batch', 'Convert what lies in stores (refused)', ref('BatchConvertSourcesRequest'), false, [taskStatusResponse], false),
    ...post('process_file_async_v1_convert_file_async_post', '/v1/convert/file/async', 'Convert files as a task', form('Body_process_file_async_v1_convert_file_async_post'), true, [taskStatusResponse], false),
  };
}

function chunkPaths(components: Components): OpenApi['paths'] {
  const paths: OpenApi['paths'] = {};
  for (const chunker of chunkers) {
    const options = chunker === 'hybrid' ? hybridChunkerOptions : hierarchicalChunkerOptions;
    const title = chunker === 'hybrid' ? 'Hybrid' : 'Hierarchical';
    const request = `${title}ChunkerOptionsDocumentsRequest`;
    components.set(request, objectOf(request, 'Documents in JSON and how to cut them.', {
      convert_options: ref('ConvertDocumentsOptions'),
      sources: list(sources).describe(components),
      include_converted_doc: { ...flag.describe(components), default: false },
      target: { ...targets.describe(components), description: 'Where the result goes: inbody where nothing is said.' },
      callbacks: describeField(callbacksField, components),
      chunking_options: options.describe(components),
    }, ['sources']));
    for (const suffix of ['', '/async']) {
      const task = suffix === '' ? '' : '_as_async_task';
      const answer = suffix === '' ? [chunkDocumentResponse] : [taskStatusResponse];
      const id = (from: string): string =>
        `Chunk_${from}s_with_${title}Chunker${task}_v1_chunk_${chunker}_${from}${suffix.replace('/', '_')}_post`;
      const form = `Body_${id('file')}`;
      components.set(form, objectOf(form, 'Documents as files and how to cut them.', chunkForm(options, components), ['files']));
      const summary = `Cut documents into chunks, ${chunker}`;
      paths[`/v1/chunk/${chunker}/source${suffix}`] = {
        post: operation('chunk', id('source'), summary, [tenant], components, answer, suffix === '', requestBody(ref(request), false)),
      };
      paths[`/v1/chunk/${chunker}/file${suffix}`] = {
        post: operation('chunk', id('file'), summary, [tenant], components, answer, suffix === '', requestBody(ref(form), true)),
      };
    }
  }
  return paths;
}

function chunkForm(options: { fields: Fields }, components: Components): Record<string, JsonSchema> {
  const convert = optionNames.filter((name) => name !== 'to_formats').map((name) => [`convert_${name}`, describeOption(name, components, true)]);
  const chunking = Object.entries(options.fields).filter(([name]) => name !== 'chunker').map(([name, one]) => [`chunking_${name}`, describeField(one, components)]);
  return {
    files,
    include_converted_doc: { type: 'boolean', default: false },
    target_type: { ...targetName.describe(components), default: 'inbody' },
    ...Object.fromEntries([...convert, ...chunking]) as Record<string, JsonSchema>,
  };
}

function taskPaths(components: Components): OpenApi['paths'] {
  const results = [convertDocumentResponse, presignedCounts, presignedConvert, chunkDocumentResponse, taskFailureResult];
  const wait = { name: 'wait', in: 'query', required: false, schema: { type: 'number', default: 0 }, description: 'Seconds to wait for the end; at most 55.' };
  const older = { name: 'older_then', in: 'query', required: false, schema: { type: 'number', default: 3600 }, description: 'Seconds since their end.' };
  return {
    '/v1/status/poll/{task_id}': {
      get: operation('tasks', 'task_status_poll_v1_status_poll__task_id__get', 'How a task stands', [taskId, wait, tenant], components, [taskStatusResponse]),
    },
    '/v1/result/{task_id}': {
      get: operation('tasks', 'task_result_v1_result__task_id__get', 'The result of a task', [taskId, tenant], components, results, true),
    },
    '/v1/tasks/{task_id}': {
      delete: operation('tasks', 'cancel_task_v1_tasks__task_id__delete', 'Cancel a task, or forget one that has ended', [taskId, tenant], components, [taskStatusResponse]),
    },
    '/v1/clear/converters': { get: operation('clear', 'clear_converters_v1_clear_converters_get', 'Nothing to clear here', [], components, [clearResponse]) },
    '/v1/clear/results': { get: operation('clear', 'clear_results_v1_clear_results_get', 'Forget old results, of others for administrators only; the header x-lectern-cleared tells how many', [older, tenant], components, [clearResponse]) },
  };
}

function servicePaths(components: Components): OpenApi['paths'] {
  const get = (tag: string, id: string, summary: string, answer: Kind<unknown>[], media?: Operation): Record<string, Operation> => ({ get: operation(tag, id, summary, [], components, answer, false, undefined, media) });
  const plain = (schema: JsonSchema): Operation => ({ 'application/json': { schema } });
  return {
    '/openapi-3.0.json': get('health', 'openapi_30_openapi_3_0_json_get', 'This description as OpenAPI 3.0', [], plain(anyObject)),
    '/health': get('health', 'health_health_get', 'Whether the service lives', [healthResponse]),
    '/ready': get('health', 'readiness_ready_get', 'Whether the service takes work', [readinessResponse]),
    '/v1/capabilities': get('health', 'capabilities_v1_capabilities_get', 'What the service can do', [capabilitiesResponse]),
    '/version': get('health', 'version_info_version_get', 'Versions', [], plain({ type: 'object', additionalProperties: anyText })),
    '/metrics': get('health', 'metrics_metrics_get', 'Numbers for Prometheus, as text', [], { 'text/plain': { schema: anyText } }),
    '/v1/memory/stats': get('management', 'memory_stats_v1_memory_stats_get', 'Switched off', [], plain(anyObject)),
    '/v1/memory/counts': get('management', 'memory_counts_v1_memory_counts_get', 'Switched off', [], plain(anyObject)),
  };
}

function objectOf(title: string, description: string, properties: Record<string, JsonSchema>, required: string[]): JsonSchema {
  return { type: 'object', title, description, properties, required };
}

function requestBody(schema: JsonSchema, isForm: boolean): Operation {
  return { required: true, content: { [isForm ? 'multipart/form-data' : 'application/json']: { schema } } };
}

const json = (schema: JsonSchema): Operation => ({ content: { 'application/json': { schema } } });
const anyText: JsonSchema = { type: 'string' };
const anyObject: JsonSchema = { type: 'object', additionalProperties: true };
/** What docling-serve's 422 holds, and the sentences that it has in the place of the list. */
const invalidRequest = { anyOf: [ref('HTTPValidationError'), ref('HttpError')] };

function operation(
  tag: string, operationId: string, summary: string, parameters: JsonSchema[], components: Components, answers: Kind<unknown>[], zip = false, body?: Operation, media?: Operation,
): Operation {
  httpValidationError.describe(components);
  const schemas = answers.map((answer) => answer.describe(components));
  const schema = schemas.length === 1 ? schemas[0] : schemas.length === 0 ? {} : { anyOf: schemas };
  const isOpen = tag === 'health' || tag === 'management';
  return {
    tags: [tag],
    summary,
    operationId,
    ...(isOpen ? {} : { security: [{}, { APIKeyAuth: [] }, { BearerAuth: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...failuresOf('docling', components, [507]),
      200: { description: 'Done', content: media ?? { 'application/json': { schema }, ...(zip ? { 'application/zip': { schema: { type: 'string', format: 'binary' } } } : {}) } },
      422: { description: 'Something is wrong with the request', ...json(invalidRequest) },
    },
  };
}
