// The clients of the contract's section 7, request by request, over a real socket against the real converter.
import t from 'tap';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import WebSocket from 'ws';
import { fixturesDirectory } from '../support/fixtures.js';
import { multipart } from '../support/http-service.js';
import { startService } from '../support/start-service.js';
import { until } from '../support/until.js';

const service = await startService();
t.teardown(() => service.close());
const { url } = service;

const fixture = (name: string): Buffer => readFileSync(join(fixturesDirectory(), `${name}.pdf`));
const book = fixture('book-chapter');
const heading = 'The Clerk Who Could Not Lose';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json(): never;
}

/** As a library without comforts sends it: given bytes, given headers, HTTP/1.1. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body?: Buffer | string): Promise<Answer> {
  const request = httpRequest(`${url}${path}`, { method, headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) } });
  request.end(body);
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const whole = Buffer.concat(chunks);
  return { status: response.statusCode ?? 0, headers: response.headers, body: whole, json: () => JSON.parse(whole.toString()) as never };
}

const json = { 'content-type': 'application/json', accept: 'application/json' };
const base64 = (content: Buffer): string => content.toString('base64');

interface Converted {
  document: { filename: string; md_content: string | null; json_content: { schema_name: string; version: string; texts: unknown[]; pages: object } | null; html_content: string | null; text_content: string | null; doctags_content: string | null };
  status: string;
  errors: unknown[];
  processing_time: number;
}
interface Status {
  task_id: string;
  task_status: string;
  task_position: number | null;
}

async function untilDone(id: string, wait = ''): Promise<Status> {
  let status: Status | undefined;
  await until('the task ends', async () => {
    status = (await send('GET', `/v1/status/poll/${id}${wait}`)).json() as Status;
    return status.task_status === 'success' || status.task_status === 'failure';
  });
  return status as Status;
}

t.test('Open WebUI: the file under its full path, placeholder mode, reads md_content', async (t) => {
  const { payload, headers } = multipart([
    { name: 'image_export_mode', value: 'placeholder' },
    { name: 'do_ocr', value: 'True' },
    { name: 'ocr_engine', value: 'tesseract' },
    { name: 'ocr_lang', value: 'eng' },
    { name: 'ocr_lang', value: 'deu' },
    { name: 'pdf_backend', value: 'dlparse_v4' },
    { name: 'table_mode', value: 'accurate' },
    { name: 'pipeline', value: 'standard' },
    { name: 'files', filename: '/app/backend/data/uploads/0b3f_book.pdf', value: book, type: 'application/pdf' },
  ]);
  const answer = await send('POST', '/v1/convert/file', { ...headers, 'x-api-key': 'Bearer sk-1', accept: '*/*', 'accept-encoding': 'gzip, deflate' }, payload);
  t.equal(answer.status, 200);
  const { document, status } = answer.json() as Converted;
  t.equal(status, 'success');
  t.equal(document.filename, '0b3f_book.pdf');
  t.match(document.md_content, heading);
  t.equal(document.json_content, null, 'md is the default, alone');
  t.strictSame(String(answer.headers['x-lectern-ignored-options']).split(', '), ['pdf_backend'], 'the engine that it names is used');
});

t.test('Open WebUI: what fails is seen in status and errors', async (t) => {
  const { payload, headers } = multipart([{ name: 'files', filename: 'broken.pdf', value: '%PDF-1.7 and nothing more', type: 'application/pdf' }]);
  const answer = (await send('POST', '/v1/convert/file', headers, payload)).json() as Converted;
  t.match(answer, { status: 'failure', document: { md_content: null }, errors: [{ error_message: /./ }] });
});

t.test('the SDKs: presigned first, then inbody, WebSocket, result', async (t) => {
  const submit = (target: string) => {
    const { payload, headers } = multipart([
      { name: 'target_type', value: target }, { name: 'to_formats', value: 'md' }, { name: 'to_formats', value: 'json' },
      { name: 'files', filename: 'book.pdf', value: book, type: 'application/pdf' },
    ]);
    return send('POST', '/v1/convert/file/async', { ...headers, 'x-api-key': 'k', 'accept-docling-document-version': '1.10.0' }, payload);
  };
  const refused = await submit('presigned_url');
  t.equal(refused.status, 422);
  const { detail } = refused.json() as { detail: unknown };
  t.type(detail, 'string', 'a list would end the SDK');
  t.match(detail, 'artifact storage to be configured');
  const accepted = await submit('inbody');
  t.equal(accepted.status, 200);
  const { task_id: id } = accepted.json() as Status;

  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/status/ws/${id}?api_key=k`);
  const frames: { message: string; task: Status | null; error: string | null }[] = [];
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as (typeof frames)[number];
    frames.push(frame);
    if (frame.message === 'update') socket.send('next');
  });
  const [code] = await once(socket, 'close');
  t.equal(code, 1000);
  t.match([frames[0], frames[1]], [{ message: 'connection' }, { message: 'update' }]);
  t.match(frames.at(-1), { message: 'update', task: { task_id: id, task_status: 'success' }, error: null });

  const result = await send('GET', `/v1/result/${id}`, { 'x-api-key': 'k' });
  t.equal(result.status, 200);
  t.match(result.headers['content-type'], 'application/json');
  const { document } = result.json() as Converted;
  t.match(document.json_content, { schema_name: 'DoclingDocument', version: '1.10.0' });
  t.ok((document.json_content?.texts.length ?? 0) > 5);
  t.match(result.body.toString(), '"json_content":{"schema_name":"DoclingDocument"', 'the name of the schema comes first');
});

t.test('the SDKs: the texts they match on', async (t) => {
  const unknown = '5d3c1f2e-0000-4000-8000-000000000000';
  t.strictSame((await send('GET', `/v1/status/poll/${unknown}?wait=5.0`)).json(), { detail: 'Task not found.' });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/status/ws/${unknown}`);
  const [frame] = await once(socket, 'message');
  t.match(JSON.parse(String(frame)), { message: 'error', task: null, error: 'Task not found.' });
  const { payload, headers } = multipart([{ name: 'target_type', value: 'zip' }, { name: 'files', filename: 'a.pdf', value: '%PDF-broken' }]);
  const { task_id: id } = (await send('POST', '/v1/convert/file/async', headers, payload)).json() as Status;
  await untilDone(id, '?wait=5.0');
  t.match((await send('GET', `/v1/result/${id}`)).json(), { detail: /^Task result not found/ });
});

t.test('LightRAG: field files, poll, md_content', async (t) => {
  const { payload, headers } = multipart([{ name: 'files', filename: 'book.pdf', value: book, type: 'application/octet-stream' }]);
  const { task_id: id } = (await send('POST', '/v1/convert/file/async', headers, payload)).json() as Status;
  t.equal((await untilDone(id)).task_status, 'success');
  t.match((await send('GET', `/v1/result/${id}`)).json() as Converted, { document: { md_content: heading } });
});

t.test('Langflow: JSON, poll, json_content, no errors', async (t) => {
  const body = JSON.stringify({
    options: { to_formats: ['json'], image_export_mode: 'placeholder', do_ocr: false },
    sources: [{ kind: 'file', base64_string: base64(book), filename: 'book.pdf' }],
  });
  const accepted = await send('POST', '/v1/convert/source/async', json, body);
  t.equal(accepted.status, 200);
  const { task_id: id } = accepted.json() as Status;
  await untilDone(id);
  const { status, errors, document } = (await send('GET', `/v1/result/${id}`)).json() as Converted;
  t.strictSame([status, errors], ['success', []]);
  t.equal(document.json_content?.schema_name, 'DoclingDocument');
});

t.test('RAGFlow: its probes, the 422 it expects, the plain request', async (t) => {
  t.equal((await send('HEAD', '/openapi.json')).status, 200);
  t.equal((await send('HEAD', '/docs')).status, 200);
  const sources = [{ kind: 'file', base64_string: base64(book), filename: 'book.pdf' }];
  const chunked = { options: { from_formats: ['pdf'], to_formats: ['json', 'md', 'text'], chunking_options: { max_tokens: 512 } }, sources };
  t.equal((await send('POST', '/v1/convert/source', json, JSON.stringify(chunked))).status, 422);
  const plain = { options: { from_formats: ['pdf'], to_formats: ['json', 'md', 'text'] }, sources };
  const answer = await send('POST', '/v1/convert/source', json, JSON.stringify(plain));
  t.equal(answer.status, 200);
  t.equal(answer.headers['x-lectern-ignored-options'], undefined);
  t.match((answer.json() as Converted).document, { md_content: heading, text_content: heading });
});

t.test('n8n: a bearer, probes, one JSON text as page range, zip', async (t) => {
  const bearer = { authorization: 'Bearer k' };
  for (const path of ['/health', '/ready', '/version']) t.equal((await send('GET', path, bearer)).status, 200, path);
  const range = multipart([{ name: 'page_range', value: '[1,2]' }, { name: 'files', filename: 'book.pdf', value: book }]);
  t.equal((await send('POST', '/v1/convert/file', { ...bearer, ...range.headers }, range.payload)).status, 422);
  const zip = multipart([{ name: 'target_type', value: 'zip' }, { name: 'to_formats', value: 'md' }, { name: 'files', filename: 'book.pdf', value: book }]);
  const answer = await send('POST', '/v1/convert/file', { ...bearer, ...zip.headers }, zip.payload);
  t.equal(answer.headers['content-type'], 'application/zip');
  t.match(answer.body.subarray(0, 4), Buffer.from('PK\u0003\u0004'));
  t.match(answer.body.toString('latin1'), 'book.md');
  t.strictSame((await send('GET', '/v1/clear/converters', bearer)).json(), { status: 'ok' });
  t.equal((await send('GET', '/v1/memory/stats', bearer)).status, 403);
});

t.test('docling-java: synchronous JSON, polls with whole seconds, a zip by its file name', async (t) => {
  const sources = [{ kind: 'file', base64_string: base64(book), filename: 'book.pdf' }];
  const answer = await send('POST', '/v1/convert/source', { ...json, 'x-api-key': 'k' }, JSON.stringify({ sources, options: { to_formats: ['md'] }, target: { kind: 'inbody' } }));
  t.match((answer.json() as Converted).document.md_content, heading);
  const { task_id: id } = (await send('POST', '/v1/convert/source/async', json, JSON.stringify({ sources, target: { kind: 'zip' } }))).json() as Status;
  t.equal((await untilDone(id, '?wait=10')).task_status, 'success');
  const zip = await send('GET', `/v1/result/${id}`, { accept: 'application/json, application/zip' });
  t.match(zip.headers, { 'content-type': 'application/zip', 'content-disposition': /attachment; filename="converted_docs\.zip"/ });
});

t.test('the original\'s own tests: every output, two files', async (t) => {
  const formats = ['md', 'json', 'html', 'text', 'doctags'].map((value) => ({ name: 'to_formats', value }));
  const one = multipart([...formats, { name: 'files', filename: 'book.pdf', value: book }]);
  const answer = await send('POST', '/v1/convert/file', one.headers, one.payload);
  const { document, processing_time: seconds } = answer.json() as Converted;
  t.match(document.md_content, heading);
  t.ok(document.html_content?.startsWith('<!DOCTYPE html>\n<html>\n<head>'));
  t.match(document.text_content, heading);
  t.ok(document.doctags_content?.startsWith('<doctag>'));
  t.match(JSON.stringify(document.json_content), /^\{"schema_name":"DoclingDocument"/);
  t.ok(seconds > 0);
  const two = multipart(['book.pdf', 'again.pdf'].map((filename) => ({ name: 'files', filename, value: book })));
  const zip = await send('POST', '/v1/convert/file', two.headers, two.payload);
  t.match([zip.status, zip.headers['content-type'], zip.headers['content-disposition']], [200, 'application/zip', 'attachment; filename="converted_docs.zip"']);
  t.notOk('x-lectern-failed-documents' in zip.headers, 'all are there');
});

t.test('a zip names the documents that are missing in it, as often as it is fetched', async (t) => {
  const documents = [['häßlich, alt.pdf', 'no PDF'], ['book.pdf', book], ['a.exe', 'MZ\0']] as const;
  const { payload, headers } = multipart(documents.map(([filename, value]) => ({ name: 'files', filename, value })));
  const zip = await send('POST', '/v1/convert/file', headers, payload);
  const failed = '2: h%C3%A4%C3%9Flich%2C%20alt.pdf, a.exe';
  t.strictSame([zip.status, zip.headers['x-lectern-failed-documents']], [200, failed]);
  t.equal((await send('GET', `/v1/result/${String(zip.headers['x-lectern-task-id'])}`, {})).headers['x-lectern-failed-documents'], failed);
});

t.test('ten at once answer as one after the other, and the service answers meanwhile', async (t) => {
  const names = ['book-chapter', 'aufsatz-silbentrennung'];
  const convert = async (index: number): Promise<string> => {
    const { payload, headers } = multipart([{ name: 'to_formats', value: 'md' }, { name: 'to_formats', value: 'json' }, { name: 'files', filename: 'x.pdf', value: fixture(names[index % names.length] as string) }]);
    const { document } = (await send('POST', '/v1/convert/file', headers, payload)).json() as Converted;
    return JSON.stringify(document);
  };
  const alone = [await convert(0), await convert(1)];
  let converted = 0;
  const crowd = Promise.all(Array.from({ length: 10 }, (_, index) => convert(index).then((document) => { converted++; return document; })));
  // How many were done when a probe was answered: a service that converts where it answers would answer none in between.
  const betweens = new Set<number>();
  while (converted < 10) {
    await send('GET', '/health');
    betweens.add(converted);
  }
  (await crowd).forEach((document, index) => t.ok(document === alone[index % 2], `number ${index} is equal byte for byte`));
  t.ok([...betweens].some((count) => count > 0 && count < 10), `/health was answered when ${[...betweens].join(', ')} were converted`);
});
