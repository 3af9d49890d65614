// Every rule of the form's options: what is accepted, what is refused in which words, what is named as ignored.
import t from 'tap';
import { form, multipart, startTestService } from '../support/http-service.js';

const service = await startTestService();
t.teardown(() => service.close());

async function post(fields: Record<string, string | string[]>): Promise<{ status: number; detail: unknown; ignored: string | undefined }> {
  const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf', fields) });
  return { status: answer.statusCode, detail: (answer.json() as { detail: unknown }).detail, ignored: answer.headers['x-lectern-ignored-options'] as string | undefined };
}

const outputFormats = "Input should be 'md', 'json', 'yaml', 'html', 'html_split_page', 'text', 'doctags', 'vtt', 'doclang', 'dclx', 'chunks' or 'latex'";
const notAnInteger = 'Input should be a valid integer, unable to parse string as an integer';
const issue = (type: string, loc: (string | number)[], msg: string): object => ({ type, loc: ['body', ...loc], msg });

t.test('bad values are 422 with the place and the rule, and nothing else', async (t) => {
  const cases: [Record<string, string | string[]>, object[]][] = [
    [{ to_formats: ['md', 'docx'] }, [issue('enum', ['to_formats', 1], outputFormats)]],
    [{ to_formats: 'md,json' }, [issue('enum', ['to_formats', 0], outputFormats)]],
    [{ to_formats: '["md","json"]' }, [issue('enum', ['to_formats', 0], outputFormats)]],
    [{ to_formats: '' }, [issue('enum', ['to_formats', 0], outputFormats)]],
    [{ image_export_mode: 'inline' }, [issue('enum', ['image_export_mode'], "Input should be 'placeholder', 'embedded' or 'referenced'")]],
    [{ table_mode: 'exact' }, [issue('enum', ['table_mode'], "Input should be 'fast' or 'accurate'")]],
    [{ pipeline: 'magic' }, [issue('enum', ['pipeline'], "Input should be 'legacy', 'standard', 'native', 'vlm' or 'asr'")]],
    [{ do_ocr: 'maybe' }, [issue('bool_parsing', ['do_ocr'], 'Input should be a valid boolean, unable to interpret input')]],
    [{ images_scale: 'big' }, [issue('float_parsing', ['images_scale'], 'Input should be a valid number, unable to parse string as a number')]],
    [{ images_scale: 'nan' }, [issue('finite_number', ['images_scale'], 'Input should be a finite number')]],
    [{ images_scale: '1'.repeat(100_000) + 'x' }, [issue('float_parsing', ['images_scale'], 'Input should be a valid number, unable to parse string as a number')]],
    [{ page_range: '[1,5]' }, [issue('int_parsing', ['page_range', 0], notAnInteger), issue('missing', ['page_range', 1], 'Field required')]],
    [{ page_range: '3' }, [issue('missing', ['page_range', 1], 'Field required')]],
    [{ page_range: ['1', '2', '3'] }, [issue('too_long', ['page_range'], 'Tuple should have at most 2 items after validation, not 3')]],
    [{ page_range: ['1', 'x'] }, [issue('int_parsing', ['page_range', 1], notAnInteger)]],
    [{ page_range: '' }, [issue('int_parsing', ['page_range', 0], notAnInteger), issue('missing', ['page_range', 1], 'Field required')]],
    [{ page_range: ['0', '2'] }, [issue('value_error', ['page_range'], 'Value error, Invalid page range: start must be ≥ 1 and end must be ≥ start.')]],
    [{ page_range: ['5', '2'] }, [issue('value_error', ['page_range'], 'Value error, Invalid page range: start must be ≥ 1 and end must be ≥ start.')]],
    [{ pdf_heading_hierarchy_options: '{"max_level":"high"}' }, [issue('int_parsing', ['pdf_heading_hierarchy_options', 'max_level'], notAnInteger)]],
    [{ pdf_heading_hierarchy_options: '{"max_level":0}' }, [issue('greater_than_equal', ['pdf_heading_hierarchy_options', 'max_level'], 'Input should be greater than or equal to 1')]],
    [{ layout_custom_config: '[1]' }, [issue('dict_type', ['layout_custom_config'], 'Input should be a valid dictionary')]],
    [{ picture_description_local: '{}' }, [issue('missing', ['picture_description_local', 'repo_id'], 'Field required')]],
    [{ picture_description_api: '{"url":"nowhere"}' }, [issue('url_parsing', ['picture_description_api', 'url'], 'Input should be a valid URL, relative URL without a base')]],
    [{ chunking_options: '{}' }, [issue('union_tag_not_found', ['chunking_options'], "Unable to extract tag using discriminator 'chunker'")]],
    [{ chunking_options: '{"chunker":"x"}' }, [issue('union_tag_invalid', ['chunking_options'], "Input tag 'x' found using 'chunker' does not match any of the expected tags: 'hybrid', 'hierarchical'")]],
    [{ target_type: 's3' }, [issue('enum', ['target_type'], "Input should be 'inbody', 'presigned_url' or 'zip'")]],
    [{ callbacks: 'not a url' }, [issue('url_parsing', ['callbacks', 'url'], 'Input should be a valid URL, relative URL without a base')]],
    [{ do_ocr: 'x', table_mode: 'y' }, [
      issue('bool_parsing', ['do_ocr'], 'Input should be a valid boolean, unable to interpret input'),
      issue('enum', ['table_mode'], "Input should be 'fast' or 'accurate'"),
    ]],
    [
      { vlm_pipeline_model: 'granite_docling', vlm_pipeline_preset: 'default' },
      [issue('value_error', [], 'Value error, Cannot mix legacy VLM options (vlm_pipeline_model*) with new options (vlm_pipeline_preset/custom_config). Please use only one approach.')],
    ],
    [
      { picture_description_local: '{"repo_id":"a"}', picture_description_api: '{"url":"http://a"}' },
      [issue('value_error', [], 'Value error, The parameters picture_description_local and picture_description_api are mutually exclusive, only one of them can be set.')],
    ],
  ];
  for (const [fields, detail] of cases) {
    t.strictSame(await post(fields), { status: 422, detail, ignored: undefined }, JSON.stringify(fields).slice(0, 80));
  }
});

t.test('JSON text that is none says so and names the field', async (t) => {
  const { status, detail } = await post({ ocr_custom_config: '{oops', layout_custom_config: '{also' });
  t.equal(status, 422);
  t.match(detail, [{ type: 'json_invalid', loc: ['body', 'ocr_custom_config'], msg: /^Invalid JSON: / }, { type: 'json_invalid', loc: ['body', 'layout_custom_config'] }]);
});

t.test('the limits of the service, in the contract\'s sentences', async (t) => {
  const cases: [Record<string, string>, string][] = [
    [{ document_timeout: '0' }, 'document_timeout must be greater than 0.'],
    [{ document_timeout: '604801' }, 'document_timeout exceeds the configured maximum of 604800.0 seconds.'],
    [{ images_scale: '2.5' }, 'images_scale exceeds the configured maximum of 2.0.'],
    [{ images_scale: '-1' }, 'images_scale must be greater than 0.'],
    [{ ocr_preset: 'foo' }, "ocr_preset 'foo' is not allowed. Allowed values: ['auto', 'easyocr', 'kserve_v2_ocr', 'nemotron-ocr', 'ocrmac', 'rapidocr', 'tesseract', 'tesserocr']."],
    [{ vlm_pipeline_custom_config: '{"a":1}' }, 'Custom VLM configuration is disabled by server policy.'],
    [{ target_type: 'presigned_url' }, 'Presigned URL target requires artifact storage to be configured and enabled on the server.'],
    [{ callbacks: 'https://example.org/hook' }, 'Callbacks are disabled by server policy.'],
  ];
  for (const [fields, detail] of cases) t.strictSame(await post(fields), { status: 422, detail, ignored: undefined }, JSON.stringify(fields));
  t.match(await post({ ocr_lang: ['en', 'klingon'] }), { status: 422, detail: "ocr_lang 'klingon' is not known. Near values: ['ukrainian', 'tongan', 'albanian']." });
});

t.test('what is accepted reaches the converter', async (t) => {
  const before = service.payloads.length;
  const { status, ignored } = await post({
    to_formats: ['md', 'json', 'md'], image_export_mode: 'embedded', do_ocr: 'False', force_ocr: '', table_mode: 'fast', page_range: ['2', ' 7 '],
    document_timeout: '1e2', images_scale: '1.5', include_page_images: 'ON', ocr_lang: ['de', 'en'], do_table_structure: 'no', abort_on_error: 'Y',
    md_page_break_placeholder: '<!-- {page} -->', include_pages: '1', keep_furniture: 'true', keep_notes: 'on', keep_html: 'true', pdf_password: 'geheim', do_pdf_heading_hierarchy: '0',
  });
  t.equal(status, 200);
  t.equal(ignored, 'ocr_lang', 'there is no text recognition yet');
  t.match(service.payloads[before], {
    target: 'inbody',
    options: {
      outputs: ['md', 'json'], imageExportMode: 'embedded', doOcr: false, forceOcr: false, tableMode: 'fast', pageRange: [2, 7], documentTimeoutS: 100,
      imagesScale: 1.5, includeImages: true, includePageImages: true, ocrLanguages: ['de', 'en'], doTableStructure: false, abortOnError: true,
      mdPageBreakPlaceholder: '<!-- {page} -->', includePages: true, keepFurniture: true, keepNotes: true, keepHtml: true, password: 'geheim', doPdfHeadingHierarchy: false, maxPages: 10_000,
    },
  });
  t.equal(service.payloads[before]?.options.outputs.length, 2);
  await post({ ocr_lang: ['deu+eng', 'fr, it', ''] });
  t.strictSame(service.payloads.at(-1)?.options.ocrLanguages, ['deu', 'eng', 'fr', 'it'], 'several in one field');
});

t.test('without pictures in the result none are cut out', async (t) => {
  const before = service.payloads.length;
  await post({ include_images: 'true', include_page_images: 'true' });
  t.match(service.payloads[before]?.options, { includeImages: false, includePageImages: false, imageExportMode: 'placeholder' });
});

t.test('what cannot be honoured and what is unknown is named in one header, and counted in the log', async (t) => {
  const { status, ignored } = await post({
    pipeline: 'vlm', do_picture_description: 'true', do_chart_extraction: 'true', pdf_backend: 'pypdfium2', table_structure_preset: 'tableformer_v2',
    to_formats: ['md', 'yaml'], force_ocr: 'true', 'weird name,\u00e4': 'x', layout_preset: 'default', ocr_engine: 'easyocr', do_code_enrichment: 'true',
  });
  t.equal(status, 200);
  t.strictSame(ignored?.split(', ').sort(), [
    'do_chart_extraction', 'do_code_enrichment', 'do_picture_description', 'force_ocr', 'ocr_engine', 'pdf_backend', 'pipeline',
    'table_structure_preset', 'to_formats', 'weird%20name%2C%C3%A4',
  ].sort());
  t.ok(service.log.some(({ message, fields }) => message.includes('ignored') && fields['ignored'] === 10), 'how many: names may be anybody\'s words');
});

t.test('a value that is the default anyway is not named', async (t) => {
  const { ignored } = await post({
    pipeline: 'standard', do_picture_description: 'false', pdf_backend: 'docling_parse', ocr_preset: 'auto', from_formats: 'pdf', do_ocr: 'true',
    picture_description_area_threshold: '0.05', ocr_engine: 'auto', table_cell_matching: 'true',
  });
  t.equal(ignored, undefined);
});

t.test('a thousand unknown names do not make a header of a thousand', async (t) => {
  const { status, ignored } = await post(Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`unknown_${index}`, 'x'])));
  t.equal(status, 200);
  t.ok(ignored !== undefined && ignored.length < 1100 && ignored.endsWith(', ...'), String(ignored?.length));
});

t.test('under the strict setting both are 422', async (t) => {
  const strict = await startTestService({ strictOptions: true });
  t.teardown(() => strict.close());
  const refuse = await strict.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf', { pipeline: 'vlm', foo: 'x' }) });
  t.equal(refuse.statusCode, 422);
  t.strictSame(refuse.json(), { detail: [
    { type: 'value_error', loc: ['body', 'pipeline'], msg: 'Value error, this service cannot honour the value' },
    { type: 'extra_forbidden', loc: ['body', 'foo'], msg: 'Extra inputs are not permitted' },
  ] });
  const fine = await strict.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf', { to_formats: 'md' }) });
  t.equal(fine.statusCode, 200);
});

t.test('files: missing, not files, too many, elsewhere', async (t) => {
  const send = async (parts: Parameters<typeof multipart>[0]) => service.app.inject({ method: 'POST', url: '/v1/convert/file', ...multipart(parts) });
  const none = await send([{ name: 'to_formats', value: 'md' }]);
  t.strictSame([none.statusCode, none.json()], [422, { detail: [issue('missing', ['files'], 'Field required')] }]);
  const text = await send([{ name: 'files', value: 'abc', type: 'application/octet-stream' }]);
  t.strictSame([text.statusCode, text.json()], [422, { detail: [issue('value_error', ['files', 0], "Value error, Expected UploadFile, received: <class 'str'>")] }]);
  const four = await send([1, 2, 3, 4].map((n) => ({ name: 'files', filename: `${n}.pdf`, value: 'x' })));
  t.strictSame([four.statusCode, four.json()], [422, { detail: 'Too many files: 4 exceeds the maximum of 3.' }]);
  const stray = await send([{ name: 'file', filename: 'b.pdf', value: 'x' }, { name: 'files', filename: 'a.pdf', value: 'y' }]);
  t.strictSame([stray.statusCode, stray.headers['x-lectern-ignored-options']], [200, 'file']);
  t.strictSame((await service.directories()).length, (await service.tasks.counts()).ended, 'no upload was left behind');
});

t.test('a broken form', async (t) => {
  const send = async (payload: string, type = 'multipart/form-data; boundary=b') =>
    service.app.inject({ method: 'POST', url: '/v1/convert/file', payload, headers: { 'content-type': type } });
  const part = '--b\r\ncontent-disposition: form-data; name="files"; filename="a.pdf"\r\n\r\nabc';
  const broken = { detail: 'Invalid multipart data.' };
  t.match([(await send('nonsense')).statusCode, (await send('nonsense')).json()], [400, broken]);
  t.match([(await send(part)).statusCode, (await send(part)).json()], [400, broken], 'cut off inside a file');
  t.match((await send(part, 'multipart/form-data')).json(), { detail: 'Missing boundary in multipart.' });
  const long = await send(`--b\r\ncontent-disposition: form-data; name="md_page_break_placeholder"\r\n\r\n${'x'.repeat(1024 * 1024 + 1)}\r\n--b--\r\n`);
  t.strictSame([long.statusCode, long.json()], [400, { detail: 'Part exceeded maximum size of 1024KB.' }]);
  const nameless = await send('--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n--b--\r\n');
  t.strictSame([nameless.statusCode, nameless.json()], [400, { detail: 'The Content-Disposition header field "name" must be provided.' }]);
  const urlencoded = await send('to_formats=md', 'application/x-www-form-urlencoded');
  t.match(urlencoded.json(), { detail: [issue('missing', ['files'], 'Field required')] });
  const crowd = await send(`${'--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(1001)}--b--\r\n`);
  t.strictSame([crowd.statusCode, crowd.json()], [400, { detail: 'Too many fields. Maximum number of fields is 1000.' }]);
  t.equal(service.tasks.counts().reserved, 0);
});

t.test('odd file names never become paths', async (t) => {
  const names: [string, string][] = [
    ['/app/backend/data/uploads/x.pdf', 'x.pdf'], ['..\\..\\evil.pdf', 'evil.pdf'], ['../../etc/passwd', 'passwd'], ['Übersicht 文書.pdf', 'Übersicht 文書.pdf'],
    ['', 'file.pdf'], ['..', 'file.pdf'], [`${'n'.repeat(5000)}.pdf`, `${'n'.repeat(5000)}.pdf`],
  ];
  for (const [sent, expected] of names) {
    const before = service.payloads.length;
    const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/file', ...form(sent) });
    t.equal(answer.statusCode, 200, sent.slice(0, 40));
    t.strictSame(service.payloads[before]?.documents, [{ input: 'document-0', filename: expected }]);
    t.strictSame(Object.keys(service.inputs[before] ?? {}), ['document-0']);
  }
});
