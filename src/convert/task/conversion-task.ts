/** What a conversion task does in the main process: each document through the pool, then one answer file for the client. */
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LecternError, asLecternError } from '../../errors.js';
import { expandArchives, type PlacedDocument } from './expand-archives.js';
import type { RunningTask, TaskContext } from '../../tasks/types.js';
import {
  convertDocumentInPool, failedOutcome, type ConversionLimits, type DocumentJob, type DocumentPorts,
} from './document-attempts.js';
import { conversionError } from '../failures.js';
import type { ConvertOutcome, Vocabulary } from '../request.js';
import type { ConversionStatus } from '../result.js';
import {
  sourceFile, type ConversionMeta, type ConversionPayload, type ConversionSummary, type DocumentSummary, type FetchRemote, type RemoteSource,
} from './payload.js';
import { baseName, below, zipEntries, type ZipDocument } from '../output/zip-entries.js';
import type { ZipRequest } from '../output/write-zip.js';

export type { ConversionLimits } from './document-attempts.js';

export interface ConversionServices extends Pick<DocumentPorts, 'pool' | 'readers' | 'networks' | 'log'> {
  limits: ConversionLimits;
  /** Called for every document that has ended. */
  onOutcome?: (outcome: ConvertOutcome, taskId: string) => void;
  /** The vocabulary for the name that a client gave, or gave not; without it chunks cannot be fitted. Rejects with `model_not_found`. */
  findVocabulary?: (name: string | null) => Promise<Vocabulary>;
  /** Without it a document that must be fetched fails. */
  fetchRemote?: FetchRemote;
}

interface ConvertedDocument extends ZipDocument {
  outcome: ConvertOutcome;
}

const maxSummaryErrors = 20;
const badness: ConversionStatus[] = ['success', 'partial_success', 'skipped', 'failure'];

/** The work of a conversion task, for the task table. Its failures are LecternErrors whose sentence the client may read. */
export async function runConversionTask(
  task: RunningTask<ConversionPayload>, context: TaskContext<ConversionMeta>, services: ConversionServices,
): Promise<ConversionSummary> {
  const beganAt = performance.now();
  const { payload } = task;
  const vocabulary = await vocabularyOf(payload, services);
  const documents = await convertAll(task, vocabulary, context, services);
  const processingTimeS = (performance.now() - beganAt) / 1000;
  const [only] = documents;
  // The files of an archive are more documents than one answer holds.
  const target = documents.length > 1 && !payload.options.chunking ? 'zip' : payload.target;
  const file = target === 'zip' ? 'converted_docs.zip' : 'result.json';
  const outputPath = join(context.outputsDirectory, file);
  if (payload.options.chunking) await deliverChunks(documents, processingTimeS, outputPath, target, context, services);
  else if (target === 'zip') await zipAll(documents, outputPath, context, services);
  else if (only) await writeAnswer(only, processingTimeS, outputPath, context.signal);
  if (payload.options.keepSource && documents.length === 1 && payload.documents.length === 1) await keepSource(payload, context);
  const statuses = documents.map(({ outcome }) => outcome.status);
  const status = badness.findLast((candidate) => statuses.includes(candidate)) ?? 'failure';
  return { file, status, documents: documents.map(summarise), processingTimeS };
}

/** The document as a file of the result: the uploads of a task are deleted at its end. */
async function keepSource({ documents: [document] }: ConversionPayload, { inputsDirectory, outputsDirectory }: TaskContext<ConversionMeta>): Promise<void> {
  if (document === undefined) return;
  const [from, to] = [join(inputsDirectory, document.input), join(outputsDirectory, sourceFile)];
  await link(from, to).catch(() => copyFile(from, to)).catch((thrown: unknown) => {
    // A document that another host did not send: the answer says why.
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  });
}

/** Null where no tokens are counted. */
async function vocabularyOf({ options: { chunking } }: ConversionPayload, { findVocabulary }: ConversionServices): Promise<Vocabulary | null> {
  if (chunking?.chunker !== 'hybrid') return null;
  if (findVocabulary === undefined) throw new LecternError('model_not_found', 'There is no model whose vocabulary could count tokens.');
  return findVocabulary(chunking.tokenizer);
}

async function convertAll(
  { id, payload }: RunningTask<ConversionPayload>, vocabulary: Vocabulary | null, context: TaskContext<ConversionMeta>, services: ConversionServices,
): Promise<ConvertedDocument[]> {
  const documents = await expandArchives(payload.documents, context, { ...services, signal: context.signal, onProgress: () => undefined });
  const meta: ConversionMeta = {
    num_docs: documents.length, num_processed: 0, num_succeeded: 0, num_partially_succeeded: 0, num_failed: 0,
    pages_done: 0, pages_total: 0, stage: 'starting',
  };
  const converted: ConvertedDocument[] = [];
  for (const [index, document] of documents.entries()) {
    const filename = baseName(document.filename);
    const directory = join(context.scratchDirectory, String(index));
    const before = { done: meta.pages_done, total: meta.pages_total };
    const job: DocumentJob = { inputPath: document.inputPath, filename, outputDirectory: directory, options: payload.options, vocabulary };
    const outcome = await convertOne(document, job, context, services, (stage, done, total) => {
      // A second try begins at the first page again; the reported progress never goes back.
      meta.pages_done = Math.max(meta.pages_done, before.done + done);
      meta.pages_total = Math.max(meta.pages_total, before.total + total);
      meta.stage = stage;
      context.setMeta(meta);
    });
    services.onOutcome?.(outcome, id);
    count(meta, outcome.status);
    context.setMeta(meta);
    if (payload.options.abortOnError) refuse(filename, outcome);
    converted.push({ filename: document.filename, directory, outcome });
  }
  return converted;
}

async function convertOne(
  document: PlacedDocument, job: DocumentJob, { signal, countBelow }: TaskContext<ConversionMeta>, services: ConversionServices,
  report: (stage: string, done: number, total: number) => void,
): Promise<ConvertOutcome> {
  if (document.remote) {
    report('fetching', 0, 0);
    const refusal = await fetchInput(document.remote, job, signal, services.fetchRemote);
    if (refusal) return refusal;
  }
  if (document.refusal !== undefined) return failedOutcome(job, [conversionError('user_input', 'archive', 'policy', document.refusal)]);
  report('converting', 0, 0);
  return convertDocumentInPool(job, {
    ...services, signal, onWriting: countBelow, onProgress: ({ stage, pagesDone, pagesTotal }) => report(stage, pagesDone, pagesTotal),
  });
}

/** Null when the file is there. */
async function fetchInput(
  remote: RemoteSource, job: DocumentJob, signal: AbortSignal, fetchRemote: FetchRemote | undefined,
): Promise<ConvertOutcome | null> {
  try {
    if (!fetchRemote) throw new LecternError('forbidden');
    await fetchRemote(remote, job.inputPath, signal);
    return null;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { code, message } = asLecternError(thrown);
    const category = code === 'forbidden' || code === 'too_large' ? 'policy' : 'source_unavailable';
    return failedOutcome(job, [conversionError('user_input', '', category, message)]);
  }
}

function count(meta: ConversionMeta, status: ConversionStatus): void {
  meta.num_processed++;
  if (status === 'success') meta.num_succeeded++;
  else if (status === 'partial_success') meta.num_partially_succeeded++;
  else meta.num_failed++;
}

/** `abort_on_error`: the first document that gives nothing ends the task. */
function refuse(filename: string, { status, errors }: ConvertOutcome): void {
  if (status === 'success' || status === 'partial_success') return;
  const [first] = errors;
  throw new LecternError('invalid_document', `Conversion failed for: ${filename} with status: ${status}. ${first?.error_message ?? ''}`.trim());
}

function summarise({ filename, outcome }: ConvertedDocument): DocumentSummary {
  const { status, pageCount, errors } = outcome;
  return { filename: baseName(filename), status, pageCount, errors: errors.slice(0, maxSummaryErrors), errorCount: errors.length };
}

/** The contract's response, section 3. The document goes through as the worker wrote it: it may be larger than this process's memory. */
async function writeAnswer({ directory, outcome }: ConvertedDocument, processingTimeS: number, path: string, signal: AbortSignal): Promise<void> {
  const { status, errors, timings, confidence, contentFile } = outcome;
  const rest = JSON.stringify({ status, errors, processing_time: processingTimeS, timings, confidence });
  await pipeline(async function* parts() {
    yield '{"document":';
    yield* createReadStream(below(directory, contentFile));
    yield `,${rest.slice(1)}`;
  }, createWriteStream(path, { mode: 0o600 }), { signal });
}

/** The contract's answer of the chunk routes: the chunks of all documents in one list, then what is said of each document. */
async function writeChunkAnswer(documents: ConvertedDocument[], processingTimeS: number, path: string, signal: AbortSignal): Promise<void> {
  await pipeline(async function* parts() {
    yield '{"chunks":[';
    let separator = '';
    for (const { directory, outcome } of documents) {
      if (outcome.chunksFile === undefined) continue;
      const file = below(directory, outcome.chunksFile);
      if ((await stat(file)).size === 0) continue;
      yield separator;
      yield* createReadStream(file);
      separator = ',';
    }
    yield '],"documents":[';
    for (const [index, { directory, outcome }] of documents.entries()) {
      const { status, errors, timings, confidence } = outcome;
      yield `${index === 0 ? '' : ','}{"kind":"ExportResult","content":`;
      yield* createReadStream(below(directory, outcome.contentFile));
      yield `,${JSON.stringify({ status, errors, timings, confidence }).slice(1)}`;
    }
    yield `],"processing_time":${processingTimeS}}`;
  }, createWriteStream(path, { mode: 0o600 }), { signal });
}

async function deliverChunks(
  documents: ConvertedDocument[], processingTimeS: number, outputPath: string, target: ConversionPayload['target'],
  context: TaskContext<ConversionMeta>, services: ConversionServices,
): Promise<void> {
  const { signal, scratchDirectory } = context;
  if (target !== 'zip') return writeChunkAnswer(documents, processingTimeS, outputPath, signal);
  const answer = join(scratchDirectory, 'chunked_result.json');
  await writeChunkAnswer(documents, processingTimeS, answer, signal);
  const artifacts = zipEntries(documents.map(({ filename, directory, outcome }) => ({ filename, directory, outcome: { files: {}, artifacts: outcome.artifacts } })));
  await zipInPool([{ name: 'chunked_result.json', path: answer }, ...artifacts], outputPath, context, services);
}

async function zipAll(documents: ConvertedDocument[], outputPath: string, context: TaskContext<ConversionMeta>, services: ConversionServices): Promise<void> {
  const delivered = documents.filter(({ outcome }) => outcome.status === 'success' || outcome.status === 'partial_success');
  const entries = zipEntries(delivered);
  if (entries.length === 0) {
    throw new LecternError('invalid_document', `No document could be exported. ${whyNone(documents)}`);
  }
  await zipInPool(entries, outputPath, context, services);
}

/** Documents whose reasons an error names; the status of the task counts the others. */
const mostReasons = 10;

/** Why an archive would be empty: of several documents the first reason of each, by its name. */
function whyNone(documents: ConvertedDocument[]): string {
  const failed = documents.filter(({ outcome }) => outcome.errors.length > 0);
  if (failed.length === 0) return 'None of the formats asked for has a file.';
  const reasons = failed.slice(0, mostReasons).map(({ filename, outcome }) => {
    const reason = outcome.errors[0]?.error_message ?? '';
    return documents.length === 1 ? reason : `${baseName(filename)}: ${reason}`;
  });
  return [...reasons, ...(failed.length > mostReasons ? [`${failed.length - mostReasons} more failed.`] : [])].join(' ');
}

/** A worker packs: compressing is long work. */
async function zipInPool(
  entries: ZipRequest['entries'], outputPath: string, { signal, countBelow }: TaskContext<ConversionMeta>, { pool, limits }: ConversionServices,
): Promise<void> {
  await pool.run('zip', (at): ZipRequest => ({ entries: entries.map(({ name }, index) => ({ name, path: at(String(index)) })), outputPath: at('zip') }), {
    limits: { silenceMs: limits.pageMs, totalMs: limits.documentMs },
    signal,
    files: {
      inputs: Object.fromEntries(entries.map(({ path }, index) => [String(index), path])),
      outputs: { zip: { path: outputPath, kind: 'file' } },
      onWriting: countBelow,
    },
  });
}
