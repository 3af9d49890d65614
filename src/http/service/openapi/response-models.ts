/** The shapes of answers, by the contract's names, for the description of the API. Answers are not built from these. */
import { anyObject, decimal, flag, integer, list, literal, mapOf, nullable, oneOf, text, url, type Kind } from '../../conversion/kinds.js';
import { field, model } from '../../conversion/models.js';
import { doclingDocument } from './document-models.js';

const conversionStatus = oneOf('ConversionStatus', 'How a document or task stands.', ['pending', 'started', 'failure', 'success', 'partial_success', 'skipped']);
const taskType = oneOf('TaskType', 'What a task does.', ['convert', 'chunk']);
const componentType = oneOf('DoclingComponentType', 'Where an error arose.', ['document_backend', 'model', 'doc_assembler', 'user_input', 'pipeline']);
const failureCategory = oneOf('FailureCategory', 'What kind of failure it is.', [
  'policy', 'capacity', 'source_unavailable', 'target_unavailable', 'timeout', 'internal', 'backend_failure', 'inference_failure', 'unknown',
]);
const failurePhase = oneOf('FailurePhase', 'When a failure came.', ['admission', 'source_enumeration', 'execution', 'orchestration']);
const profilingScope = oneOf('ProfilingScope', 'What was timed.', ['page', 'document']);
const qualityGrade = oneOf('QualityGrade', 'A score as a word.', ['poor', 'fair', 'good', 'excellent', 'unspecified']);

const timestamp: Kind<string> = { ...text, describe: () => ({ type: 'string', format: 'date-time' }) };
const artifactType: Kind<string> = {
  ...text,
  describe: () => ({ type: 'string', enum: ['json', 'html', 'markdown', 'text', 'doctags', 'doclang', 'dclx', 'resource_bundle'] }),
};
/** Present in every answer, null where not asked for. */
const content = (help: string) => field(nullable(text), help, null);

const errorItem = model('ErrorItem', 'What went wrong with a document or a page of it.', {
  component_type: field(componentType, 'Where it arose.'),
  module_name: field(text, 'The part of the program.'),
  error_message: field(text, 'What went wrong.'),
  category: field(failureCategory, 'The kind of failure.', 'unknown'),
  page_no: field(nullable(integer()), 'The page, from 1; null for the whole document.', null),
});

const exportDocument = model('ExportDocumentResponse', 'A document in the formats that were asked for.', {
  filename: field(text, 'Name of the document.'),
  md_content: content('Markdown.'),
  json_content: field(nullable(doclingDocument), 'The document model.', null),
  html_content: content('HTML.'),
  text_content: content('Plain text.'),
  doctags_content: content('DocTags.'),
  doclang_content: content('DocLang; always null here.'),
  latex_content: field(nullable(text), 'Lectern: LaTeX, where to_formats asks for it.', null),
  pages: field(nullable(list(anyObject)), 'Lectern: the markdown of each page, where include_pages asks for it.', null),
});

const profilingItem = model('ProfilingItem', 'Times of one stage.', {
  scope: field(profilingScope, 'What was timed.'),
  count: field(integer(), 'How often it ran.', 0),
  times: field(list(decimal()), 'Seconds of each run.', []),
  start_timestamps: field(list(timestamp), 'When each run began.', []),
});

const score = (help: string) => field(nullable(decimal()), help, null);
/** One description stands for the document and, within it, for each page. */
const pageScores: Kind<Record<string, unknown>> = { ...anyObject, describe: () => ({ $ref: '#/components/schemas/ConfidenceScores' }) };
const confidence = nullable(model('ConfidenceScores', 'How sure the result is, from 0 to 1.', {
  parse_score: score('Of the text.'),
  layout_score: score('Of the layout.'),
  table_score: score('Of the tables.'),
  ocr_score: score('Of text read from pictures.'),
  mean_score: score('The mean.'),
  low_score: score('The score that all pages but the worst twentieth reach.'),
  mean_grade: field(qualityGrade, 'The mean as a word.', 'unspecified'),
  low_grade: field(qualityGrade, 'low_score as a word.', 'unspecified'),
  pages: field(nullable(mapOf(pageScores)), 'Of each page, by its number from 1.', {}),
}));

const outcome = {
  errors: field(list(errorItem), 'What went wrong.', []),
  timings: field(mapOf(profilingItem), 'Times of the stages.', {}),
  confidence: field(confidence, 'How sure the result is.', null),
};

export const convertDocumentResponse = model('ConvertDocumentResponse', 'One converted document.', {
  document: field(exportDocument, 'The document.'),
  status: field(conversionStatus, 'How it went.'),
  processing_time: field(decimal(), 'Seconds.'),
  ...outcome,
});

const publicFailure = model('PublicFailureInfo', 'Why a task failed.', {
  category: field(failureCategory, 'The kind of failure.'),
  message: field(text, 'What happened.'),
  retryable: field(flag, 'Whether another try may help.'),
  phase: field(failurePhase, 'When it came.'),
  details: field(mapOf(text), 'More of it.', {}),
});

const taskMeta = model('TaskProcessingMeta', 'How far a task is.', {
  num_docs: field(integer(), 'Documents of the task.'),
  num_processed: field(integer(), 'Documents done.', 0),
  num_succeeded: field(integer(), 'Of these: complete.', 0),
  num_partially_succeeded: field(integer(), 'Of these: with pages missing.', 0),
  num_failed: field(integer(), 'Of these: failed.', 0),
  pages_done: field(integer(), 'Lectern: pages done.', 0),
  pages_total: field(integer(), 'Lectern: pages of the documents opened so far.', 0),
  stage: field(text, 'Lectern: what is being done.', ''),
  queue_position: field(nullable(integer()), 'Lectern: place in the queue, from 1.', null),
});

export const taskStatusResponse = model('TaskStatusResponse', 'How a task stands.', {
  task_id: field(text, 'Name of the task.'),
  task_type: field(taskType, 'What it does.'),
  task_status: field(conversionStatus, 'How it stands: pending, started, success or failure.'),
  task_position: field(nullable(integer()), 'Place in the queue, from 1.', null),
  task_meta: field(nullable(taskMeta), 'How far it is.', null),
  error_message: field(nullable(text), 'Why it failed.', null),
  failure: field(nullable(publicFailure), 'Why it failed, in full.', null),
});

export const taskFailureResult = model('TaskFailureResult', 'A failed task as a result, as docling-serve sends it when it runs on Ray. Lectern never sends it: the result of a failed task is a 404.', {
  kind: field(literal('TaskFailureResult'), 'The kind of result.', 'TaskFailureResult'),
  failure: field(publicFailure, 'Why the task failed.'),
});

const chunk = model('ChunkedDocumentResultItem', 'One chunk of a document.', {
  filename: field(text, 'Name of the document.'),
  chunk_index: field(integer(), 'Place in the document, from 0.'),
  text: field(text, 'The chunk with its headings.'),
  raw_text: field(nullable(text), 'The chunk alone.', null),
  num_tokens: field(nullable(integer()), 'Its tokens.', null),
  headings: field(nullable(list(text)), 'Headings above it.', null),
  captions: field(nullable(list(text)), 'Captions in it.', null),
  doc_items: field(list(text), 'Items of the document it holds.'),
  page_numbers: field(nullable(list(integer())), 'Pages it comes from.', null),
  metadata: field(nullable(anyObject), 'More of it.', null),
});

const documentResult = model('DocumentResultItem', 'A document beside its chunks.', {
  kind: field(literal('ExportResult'), 'The kind of result.', 'ExportResult'),
  content: field(exportDocument, 'The document.'),
  status: field(conversionStatus, 'How it went.'),
  ...outcome,
});

export const chunkDocumentResponse = model('ChunkDocumentResponse', 'The chunks of documents.', {
  chunks: field(list(chunk), 'The chunks.'),
  documents: field(list(documentResult), 'The documents.'),
  processing_time: field(decimal(), 'Seconds.'),
});

const counts = {
  num_converted: field(integer(), 'Documents converted.'),
  num_succeeded: field(integer(), 'Of these: complete.'),
  num_partially_succeeded: field(integer(), 'Of these: with pages missing.', 0),
  num_failed: field(integer(), 'Of these: failed.'),
  processing_time: field(decimal(), 'Seconds.'),
};
export const presignedCounts = model('PresignedUrlConvertDocumentResponse', 'Counts of a conversion to an artifact store. Lectern has no such store and never sends it.', counts);

const artifactRef = model('ArtifactRef', 'A link to a result in a store.', {
  artifact_type: field(artifactType, 'What it is.'),
  mime_type: field(text, 'Its media type.'),
  uri: field(url(), 'The link.'),
  url_expires_at: field(nullable(timestamp), 'When the link ends.', null),
});
const artifactItem = model('DocumentArtifactItem', 'A document in a store.', {
  source_index: field(integer(), 'Place in the request.'),
  source_uri: field(text, 'Where it came from.'),
  filename: field(text, 'Its name.'),
  status: field(conversionStatus, 'How it went.'),
  artifacts: field(list(artifactRef), 'Its results.', []),
  ...outcome,
});
export const presignedConvert = model('PresignedUrlConvertResponse', 'Links to results in an artifact store. Lectern has no such store and never sends it.', {
  ...counts,
  documents: field(list(artifactItem), 'The documents.'),
});

const ok = { status: field(text, 'Always ok.', 'ok') };
export const healthResponse = model('HealthCheckResponse', 'The service lives.', ok);
export const readinessResponse = model('ReadinessResponse', 'The service takes work.', ok);
export const clearResponse = model('ClearResponse', 'It is done.', ok);

const location: Kind<unknown> = { ...anyObject, describe: () => ({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }) };
const anything: Kind<unknown> = { ...anyObject, describe: () => ({}) };
const validationError = model('ValidationError', 'One thing that is wrong with a request.', {
  loc: field(location, 'Where.'),
  msg: field(text, 'What.'),
  type: field(text, 'Which rule.'),
  input: field(anything, 'Never sent: what was given may be secret.', null),
  ctx: field(anything, 'Never sent.', null),
});
export const httpValidationError = model('HTTPValidationError', 'What is wrong with a request.', {
  detail: field(list(validationError), 'All that was found.', []),
});
