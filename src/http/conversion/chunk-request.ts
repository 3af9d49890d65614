/** What a request of the chunk routes asks for: a conversion under other names, and how its documents are cut. */
import type { FastifyRequest } from 'fastify';
import { defaultMaxTokens, type ChunkOptions } from '../../convert/options.js';
import { HttpFailure, invalid, type Issue } from '../error-reply.js';
import type { HttpSettings } from '../settings.js';
import { checkCallbacks, checkCount, checkSources, checkTarget, readFormCallbacks, readSources, type ConvertRequest } from './convert-request.js';
import { receiveForm } from './form.js';
import { flag, isRecord, list, type ValueOf } from './kinds.js';
import { hierarchicalChunkerOptions, hybridChunkerOptions, targetName } from './option-models.js';
import { checkLimits, readFormOptions, readJsonOptions } from './options.js';
import { callback, targets } from './request-models.js';
import { receiveSourceBody } from './source-body.js';
import type { CreateInput } from './upload.js';

export const chunkers = ['hybrid', 'hierarchical'] as const;
export type Chunker = (typeof chunkers)[number];

type ReadRequest = (request: FastifyRequest, create: CreateInput, settings: HttpSettings) => Promise<ConvertRequest>;

const modelOf = { hybrid: hybridChunkerOptions, hierarchical: hierarchicalChunkerOptions };

type AnyChunkerOptions = Omit<ValueOf<typeof hierarchicalChunkerOptions>, 'chunker'> & Partial<Omit<ValueOf<typeof hybridChunkerOptions>, 'chunker'>>;

/** undefined when issues were added. */
function readChunking(chunker: Chunker, value: unknown, at: string[], issues: Issue[]): ChunkOptions | undefined {
  const read = modelOf[chunker].read(value, at, issues) as AnyChunkerOptions | undefined;
  if (read === undefined) return undefined;
  return {
    chunker, markdownTables: read.use_markdown_tables, markdownImages: read.use_markdown_images, imagePlaceholder: read.image_placeholder,
    includeRawText: read.include_raw_text, tokenizer: isRecord(value) && value['tokenizer'] !== undefined ? read.tokenizer ?? null : null, maxTokens: read.max_tokens ?? defaultMaxTokens, mergePeers: read.merge_peers ?? true,
  };
}

function chunkTarget(kind: ValueOf<typeof targets>['kind']): 'inbody' | 'zip' {
  if (kind === 'presigned_url') throw new HttpFailure(422, 'presigned_url target is not supported for chunk endpoints.');
  return checkTarget(kind);
}

/** The fields that begin so, without the beginning. */
function fieldsUnder(prefix: string, fields: Map<string, string[]>): Map<string, string[]> {
  return new Map([...fields].filter(([name]) => name.startsWith(prefix)).map(([name, texts]) => [name.slice(prefix.length), texts]));
}

/** Issues as they stand in the form: under the names with their beginning. */
function prefixed(issues: Issue[], prefix: string): Issue[] {
  return issues.map((issue) => ({ ...issue, loc: issue.loc.map((part, index) => (index === 1 ? `${prefix}${String(part)}` : part)) }));
}

const formNames = new Set(['files', 'target_type', 'callbacks', 'include_converted_doc']);

/** Of /v1/chunk/…/file. Documents are in `create`'s files afterwards. */
export function chunkFormReader(chunker: Chunker): ReadRequest {
  return async (request, create, settings) => {
    const form = await receiveForm(request, create, settings);
    const { fields } = form;
    const [convertIssues, chunkIssues, issues]: [Issue[], Issue[], Issue[]] = [[], [], []];
    const options = readFormOptions(fieldsUnder('convert_', fields), new Set(), convertIssues);
    const asked = Object.fromEntries([...fieldsUnder('chunking_', fields)].filter(([, texts]) => texts.at(-1) !== '').map(([name, texts]) => [name, texts.at(-1)]));
    const chunking = readChunking(chunker, asked, ['body'], chunkIssues);
    issues.push(...prefixed(convertIssues, 'convert_'), ...prefixed(chunkIssues, 'chunking_'));
    if (form.documentCount === 0) issues.push({ type: 'missing', loc: ['body', 'files'], msg: 'Field required' });
    issues.push(...form.issues);
    const word = fields.get('target_type')?.at(-1) ?? '';
    const target = word === '' ? 'inbody' : targetName.read(word, ['body', 'target_type'], issues);
    const document = fields.get('include_converted_doc')?.at(-1) ?? '';
    const withDocument = document === '' ? false : flag.read(document, ['body', 'include_converted_doc'], issues);
    const callbacks = readFormCallbacks(fields.get('callbacks') ?? [], issues);
    if (options === undefined || chunking === undefined || target === undefined || withDocument === undefined || issues.length > 0) throw invalid(issues);
    const strange = [...fields.keys()].filter((name) => !formNames.has(name) && !/^(?:convert|chunking)_/.test(name));
    options.unknown.push(...[...strange, ...form.strangeFiles].map((name) => ['body', name]));
    checkLimits(options, settings);
    checkCallbacks(callbacks, settings);
    checkCount('files', form.documentCount, settings);
    const documents = form.documents.map(({ input, filename }) => ({ input, filename }));
    return { documents, options, target: chunkTarget(target), callbacks, chunks: { options: chunking, tokenizerAt: ['body', 'chunking_tokenizer'], withDocument } };
  };
}

const bodyNames = new Set(['convert_options', 'sources', 'include_converted_doc', 'target', 'callbacks', 'chunking_options']);

/** Of /v1/chunk/…/source. */
export function chunkSourceReader(chunker: Chunker): ReadRequest {
  return async (request, create, settings) => {
    const body = await receiveSourceBody(request, create, settings);
    const { value } = body;
    if (!isRecord(value)) throw invalid([{ type: 'model_attributes_type', loc: ['body'], msg: 'Input should be a valid dictionary or object to extract fields from' }]);
    const issues: Issue[] = [];
    const options = readJsonOptions(value['convert_options'] ?? {}, ['body', 'convert_options'], issues);
    const asked = value['chunking_options'] ?? {};
    const chunking = readChunking(chunker, asked, ['body', 'chunking_options'], issues);
    const documents = readSources(value, body, issues);
    const target = value['target'] === undefined ? 'inbody' : targets.read(value['target'], ['body', 'target'], issues)?.kind;
    const withDocument = value['include_converted_doc'] === undefined ? false : flag.read(value['include_converted_doc'], ['body', 'include_converted_doc'], issues);
    const callbacks = value['callbacks'] === undefined ? [] : list(callback).read(value['callbacks'], ['body', 'callbacks'], issues);
    if (options === undefined || chunking === undefined || documents === undefined || target === undefined || withDocument === undefined || callbacks === undefined) {
      throw invalid(issues);
    }
    options.unknown.push(...Object.keys(value).filter((name) => !bodyNames.has(name)).map((name) => ['body', name]));
    checkLimits(options, settings);
    checkCallbacks(callbacks, settings);
    checkCount('sources', documents.length, settings);
    checkSources(documents, settings);
    return { documents, options, target: chunkTarget(target), callbacks, chunks: { options: chunking, tokenizerAt: ['body', 'chunking_options', 'tokenizer'], withDocument } };
  };
}
