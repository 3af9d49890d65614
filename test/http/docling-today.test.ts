// What clients of docling-serve 1.38 send and expect: names of today, forms that are filled in whole, versions of documents, capabilities.
import t from 'tap';
import type { InjectOptions } from 'fastify';
import { inputFormat, outputFormat, pdfBackend, pipeline } from '../../src/http/conversion/option-models.js';
import { form, startTestService } from '../support/http-service.js';

const service = await startTestService();
t.teardown(() => service.close());
const table = Buffer.from('a,b\nlong cell here,2\n').toString('base64');

interface Answer {
  status: number;
  detail: unknown;
  ignored: string | undefined;
  /** Of the conversion, where one began. */
  options: (typeof service.payloads)[number]['options'] | undefined;
}

async function answerOf(request: InjectOptions): Promise<Answer> {
  const before = service.payloads.length;
  const answer = await service.app.inject(request);
  return {
    status: answer.statusCode, detail: (answer.json() as { detail?: unknown }).detail, ignored: answer.headers['x-lectern-ignored-options'] as string | undefined,
    options: service.payloads[before]?.options,
  };
}

const postForm = (fields: Record<string, string | string[]>, headers: Record<string, string> = {}, url = '/v1/convert/file'): Promise<Answer> => {
  const { payload, headers: own } = form('a.csv', fields);
  return answerOf({ method: 'POST', url, payload, headers: { ...own, ...headers } });
};
const postJson = (options: object, headers: Record<string, string> = {}): Promise<Answer> =>
  answerOf({ method: 'POST', url: '/v1/convert/source', payload: { sources: [{ kind: 'file', base64_string: table, filename: 't.csv' }], options }, headers });

t.test('the whole form of a command line: nothing refused, nothing ignored', async (t) => {
  const { status, ignored } = await postForm({
    from_formats: [...inputFormat.words], to_formats: ['md', 'json'], do_ocr: 'true', force_ocr: 'false', pipeline: 'standard', page_range: ['1', '9223372036854775807'],
    abort_on_error: 'false', do_table_structure: 'true', target_type: 'inbody',
  });
  t.strictSame([status, ignored], [200, undefined]);
  for (const name of ['rtf', 'mhtml', 'iwork_keynote', 'iwork_numbers', 'afp']) t.ok(inputFormat.words.includes(name), name);
});

t.test('formats that no release had yet refuse nothing, also under the strict setting', async (t) => {
  t.match(await postForm({ from_formats: ['pdf', 'hologram'] }), { status: 200, ignored: undefined });
  t.match(await postJson({ from_formats: ['hologram', 'csv'] }), { status: 200, ignored: undefined });
  const strict = await startTestService({ strictOptions: true });
  t.teardown(() => strict.close());
  t.equal((await strict.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf', { from_formats: 'hologram' }) })).statusCode, 200);
  t.match(await postJson({ from_formats: [7] }), { status: 422, detail: [{ type: 'enum', loc: ['body', 'options', 'from_formats', 0] }] }, 'what is no name is refused');
});

t.test('the values of today', async (t) => {
  t.ok((['latex'] as const).every((word) => outputFormat.words.includes(word)) && pipeline.words.includes('native') && pdfBackend.words.includes('_docling_parse'));
  for (const backend of ['_docling_parse', 'docling_parse', 'threaded_docling_parse']) t.match(await postJson({ pdf_backend: backend }), { status: 200, ignored: undefined }, backend);
  t.match(await postJson({ pdf_backend: 'pypdfium2' }), { status: 200, ignored: 'pdf_backend' });
  t.match(await postJson({ pipeline: 'native', table_mode: 'accurate', force_ocr: true }), { status: 200, options: { doOcr: false, forceOcr: false, tableMode: 'fast' } }, 'neither recognition nor networks');
  t.equal((await postJson({ pipeline: 'native' })).ignored, undefined);
  t.match(await postJson({ to_formats: ['latex', 'md'] }), { status: 200, ignored: undefined, options: { outputs: ['latex', 'md'] } });
  t.match(await postJson({ vlm_pipeline_model_local: { repo_id: 'a', response_format: 'mineru2', inference_framework: 'vllm' } }), { status: 200, ignored: 'vlm_pipeline_model_local' });
});

t.test('languages as tags, as codes of engines and by name', async (t) => {
  for (const language of ['iso:de', 'iso:de-Latn', 'deu', 'ch', 'english', 'latin', 'chi_sim', 'korean', 'ch_sim', 'japan', 'iw', 'de-DE', 'zh-Hant', 'pt-BR']) {
    t.match(await postJson({ ocr_lang: [language] }), { status: 200, options: { ocrLanguages: [language] } }, language);
  }
  t.match(await postJson({ ocr_lang: ['iso:germn'] }), { status: 422, detail: "ocr_lang 'iso:germn' is not known. Near values: ['german', 'georgian', 'persian']." });
});

t.test('in a form a field with its default counts as not sent, so that the older name of the engine counts', async (t) => {
  t.match(await postForm({ ocr_engine: 'tesseract' }), { status: 200, options: { ocrPreset: 'tesseract' } });
  t.match(await postForm({ ocr_engine: 'tesseract', ocr_preset: 'auto' }), { status: 200, options: { ocrPreset: 'tesseract' } });
  t.match(await postForm({ ocr_engine: 'tesseract', ocr_preset: 'rapidocr' }), { status: 200, options: { ocrPreset: 'rapidocr' }, ignored: /ocr_engine/ });
  t.match(await postForm({ ocr_engine: 'nonsense' }), { status: 422, detail: /^ocr_preset 'nonsense' is not allowed\./ });
  t.match(await postForm({ ocr_engine: 'auto' }), { status: 200, options: { ocrPreset: 'auto' }, ignored: undefined });
  t.match(await postJson({ ocr_engine: 'tesseract', ocr_preset: 'auto' }), { status: 200, options: { ocrPreset: 'auto' } }, 'in JSON what is given is meant');
  t.match(await postForm({ convert_ocr_engine: 'tesseract' }, {}, '/v1/chunk/hierarchical/file'), { status: 200, options: { ocrPreset: 'tesseract' } });
});

t.test('compact tables', async (t) => {
  t.match(await postJson({ md_compact_tables: true }), { status: 200, ignored: undefined, options: { mdCompactTables: true } });
  t.match(await postForm({ md_compact_tables: 'yes' }), { status: 200, ignored: undefined, options: { mdCompactTables: true } });
  t.match(await postForm({ convert_md_compact_tables: 'true' }, {}, '/v1/chunk/hierarchical/file'), { status: 200, ignored: undefined, options: { mdCompactTables: true } });
  t.match(await postJson({ md_compact_tables: 'maybe' }), { status: 422, detail: [{ type: 'bool_parsing', loc: ['body', 'options', 'md_compact_tables'] }] });
  t.match(await postJson({}), { options: { mdCompactTables: false } });
});

t.test('models that read charts', async (t) => {
  t.match(await postJson({ chart_extraction_preset: 'granite_vision_v4' }), { status: 200, ignored: 'chart_extraction_preset' });
  t.match(await postJson({ chart_extraction_preset: 'default' }), { status: 200, ignored: undefined });
  t.match(await postForm({ chart_extraction_preset: 'nonsense' }), { status: 422, detail: "chart_extraction_preset 'nonsense' is not allowed. Allowed values: ['default', 'granite_vision_v4', 'granite_vision_v4_mlx', 'granite_vision_v3_3']." });
  t.match(await postForm({ chart_extraction_custom_config: '{"a":1}' }), { status: 422, detail: 'Custom chart extraction configuration is disabled by server policy.' });
  t.match(await postJson({ chart_extraction_preset: 'default', chart_extraction_custom_config: { a: 1 } }), { status: 422, detail: [{ msg: 'Value error, Cannot specify both chart_extraction_preset and chart_extraction_custom_config.' }] });
});

t.test('the version of the document that the client reads', async (t) => {
  const named = (version: string): Record<string, string> => ({ 'accept-docling-document-version': version });
  t.match(await postJson({}, named('1.4.0')), { status: 422, detail: "unsupported Accept-Docling-Document-Version '1.4.0'; oldest supported is 1.5.0" });
  t.match(await postForm({}, named('banana')), { status: 422, detail: "unparseable Accept-Docling-Document-Version 'banana'" });
  t.match(await postForm({}, named('0.9.0')), { status: 422 });
  for (const path of ['/v1/convert/file/async', '/v1/convert/source', '/v1/convert/source/async', '/v1/convert/source/batch']) {
    t.match((await service.app.inject({ method: 'POST', url: path, headers: named('1.4.0') })).json(), { detail: /^unsupported Accept-Docling/ }, path);
  }
  t.match(await postJson({}, named('1.8.0')), { status: 200, options: { documentVersion: 8 } });
  for (const version of ['1.10.0', '1.11.3', '2.0.0', '']) t.match(await postJson({}, named(version)), { status: 200, options: { documentVersion: null } }, version);
  t.match(await postForm({}, named('1.4.0'), '/v1/chunk/hierarchical/file'), { status: 200 }, 'chunks have no version');
});

t.test('storage and batches are refused by name', async (t) => {
  const put = await service.app.inject({ method: 'POST', url: '/v1/convert/source', payload: { sources: [{ kind: 'file', base64_string: table, filename: 't.csv' }], target: { kind: 's3', endpoint: 'e', bucket: 'b', region: 'eu' } } });
  t.match([put.statusCode, put.json()], [422, { detail: "target kind 's3' is not allowed. Allowed values: ['inbody', 'zip']." }], 'keys are optional since a service may have its own');
  const half = await service.app.inject({ method: 'POST', url: '/v1/convert/source', payload: { sources: [{ kind: 'file', base64_string: table, filename: 't.csv' }], target: { kind: 's3', endpoint: 'e', bucket: 'b', access_key: 'name' } } });
  t.match([half.statusCode, half.json()], [422, { detail: [{ type: 'value_error', loc: ['body', 'target', 's3'], msg: 'Value error, access_key and secret_key must be given together, or neither.' }] }], 'half a pair of keys');
  const batch = await service.app.inject({ method: 'POST', url: '/v1/convert/source/batch', payload: {} });
  t.match([batch.statusCode, batch.json()], [422, { detail: /storage connectors/ }]);
});

t.test('capabilities are those of the service', async (t) => {
  const open = await startTestService({ httpSources: ['docs.example.org'], maxFiles: 7, maxPages: 90 }, { textModels: async () => [{ name: 'bars' }] });
  t.teardown(() => open.close());
  const of = async (one: typeof service): Promise<Record<string, never>> => (await one.app.inject('/v1/capabilities')).json();
  t.match(await of(service), {
    versions: { 'docling-serve': '1.38.2' }, sources: ['file'], targets: { allowed: ['inbody', 'zip'], default: 'inbody' }, image_export_modes: ['embedded', 'placeholder', 'referenced'],
    limits: { max_document_timeout: 604800, max_images_scale: 2, max_sources_per_request: 3, max_file_size: 1000 }, features: { api_key_required: false, artifact_storage: false, websocket: true },
  });
  t.match(await of(open), { sources: ['file', 'http'], limits: { max_sources_per_request: 7, max_num_pages: 90 } });
  const { stages, output_formats: formats } = await of(open) as unknown as { stages: Record<string, { option: string; presets: { id: string }[] }>; output_formats: string[] };
  t.ok(stages['ocr']?.presets.some(({ id }) => id === 'bars'), 'an installed model is a preset');
  // What is named is taken, and not ignored.
  for (const { option, presets } of Object.values(stages)) {
    if (option === 'ocr_preset') continue;
    for (const { id } of presets) t.match(await postJson({ [option]: id }), { status: 200, ignored: undefined }, `${option} ${id}`);
  }
  t.match(await postJson({ to_formats: formats }), { status: 200, ignored: undefined });
  t.notOk(stages['chart_extraction']);
});
