// The JSON route: bodies of any size and cut, base64 to disk, sources and targets, and what is said of bad ones.
import t from 'tap';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Base64Decoder } from '../../src/http/conversion/base64.js';
import { JsonSplitter } from '../../src/http/conversion/json-splitter.js';
import { startTestService } from '../support/http-service.js';

const service = await startTestService();
t.teardown(() => service.close());
const json = { 'content-type': 'application/json' };
const file = (content: string | Buffer, filename = 'a.pdf'): object => ({ kind: 'file', base64_string: Buffer.from(content).toString('base64'), filename });

async function post(body: unknown, headers: Record<string, string> = json): Promise<{ status: number; body: { detail?: unknown }; ignored: unknown }> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable ? body : JSON.stringify(body);
  const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/source', payload, headers });
  const isJson = answer.headers['content-type'] === 'application/json';
  return { status: answer.statusCode, body: isJson ? answer.json() : {}, ignored: answer.headers['x-lectern-ignored-options'] };
}

const issues = (...all: [string, (string | number)[], string][]): object => ({ detail: all.map(([type, loc, msg]) => ({ type, loc: ['body', ...loc], msg })) });

t.test('a document arrives whole, wherever the stream is cut and however the text is written', async (t) => {
  const content = randomBytes(700);
  const base64 = content.toString('base64');
  const spellings = [
    base64,
    base64.replaceAll('/', '\\/'),
    base64.replace(/(.{76})/g, '$1\\r\\n'),
    base64.replace(/=+$/, ''),
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    base64.replaceAll('a', '\\u0061').replaceAll('B', '\\u0042'),
  ];
  for (const [index, spelling] of spellings.entries()) {
    const text = `{ "sources" : [ {"filename":"\\u00e4\\"{[:,]}.pdf","kind":"file","base64_string": "${spelling}"} ],"options":{"to_formats":["json"]}}`;
    for (const step of [1, 7, 64, 100_000]) {
      const chunks = Array.from({ length: Math.ceil(text.length / step) }, (_, part) => Buffer.from(text.slice(part * step, (part + 1) * step)));
      const before = service.payloads.length;
      const { status } = await post(Readable.from(chunks));
      t.equal(status, 200, `spelling ${index}, pieces of ${step}`);
      t.strictSame(service.payloads[before]?.documents, [{ input: 'document-0', filename: 'ä"{[:,]}.pdf' }]);
      t.ok(service.inputs[before]?.['document-0']?.equals(content));
    }
  }
});

t.test('options in JSON: kinds as they are, and the same rules', async (t) => {
  const ask = (options: unknown) => post({ sources: [file('x')], options });
  const before = service.payloads.length;
  const { status, ignored } = await ask({
    to_formats: ['md', 'text'], do_ocr: 0, page_range: [2, 9], document_timeout: 5, images_scale: '1.5', ocr: true, pdf_password: null,
    pdf_heading_hierarchy_options: { enabled: true }, chunking_options: null,
  });
  t.strictSame([status, ignored], [200, 'ocr']);
  t.match(service.payloads[before]?.options, { outputs: ['md', 'text'], doOcr: false, pageRange: [2, 9], documentTimeoutS: 5, imagesScale: 1.5 });
  const cases: [unknown, [string, (string | number)[], string][]][] = [
    [{ to_formats: 'md' }, [['list_type', ['options', 'to_formats'], 'Input should be a valid list']]],
    [{ do_ocr: null }, [['bool_type', ['options', 'do_ocr'], 'Input should be a valid boolean']]],
    [{ do_ocr: 2 }, [['bool_parsing', ['options', 'do_ocr'], 'Input should be a valid boolean, unable to interpret input']]],
    [{ images_scale: [] }, [['float_type', ['options', 'images_scale'], 'Input should be a valid number']]],
    [{ page_range: [1, 2.5] }, [['int_from_float', ['options', 'page_range', 1], 'Input should be a valid integer, got a number with a fractional part']]],
    [{ page_range: {} }, [['tuple_type', ['options', 'page_range'], 'Input should be a valid tuple']]],
    [{ ocr_preset: 5 }, [['string_type', ['options', 'ocr_preset'], 'Input should be a valid string']]],
    [{ chunking_options: { max_tokens: 5 } }, [['union_tag_not_found', ['options', 'chunking_options'], "Unable to extract tag using discriminator 'chunker'"]]],
    [null, [['model_attributes_type', ['options'], 'Input should be a valid dictionary or object to extract fields from']]],
  ];
  for (const [options, expected] of cases) t.strictSame((await ask(options)).body, issues(...expected), JSON.stringify(options));
  const engine = await ask({ ocr_engine: 'foo' });
  t.match(engine, { status: 422, body: { detail: /^ocr_preset 'foo' is not allowed\./ } }, 'the older name counts in JSON');
  t.equal((await ask({ ocr_engine: 'foo', ocr_preset: 'auto' })).status, 200);
});

t.test('sources and targets', async (t) => {
  const cases: [unknown, object][] = [
    [{}, issues(['missing', ['sources'], 'Field required'])],
    [{ file_sources: [file('x')] }, issues(['missing', ['sources'], 'Field required'])],
    [{ sources: [] }, issues(['too_short', ['sources'], 'List should have at least 1 item after validation, not 0'])],
    [{ sources: 'x' }, issues(['list_type', ['sources'], 'Input should be a valid list'])],
    [{ sources: [{ base64_string: 'AAAA' }] }, issues(['union_tag_not_found', ['sources', 0], "Unable to extract tag using discriminator 'kind'"])],
    [{ sources: [{ kind: 's3' }] }, issues(['union_tag_invalid', ['sources', 0], "Input tag 's3' found using 'kind' does not match any of the expected tags: 'file', 'http'"])],
    [{ sources: [{ kind: 'file', base64_string: 'AAAA' }] }, issues(['missing', ['sources', 0, 'file', 'filename'], 'Field required'])],
    [{ sources: [{ kind: 'file', base64_string: 7, filename: 'a' }] }, issues(['string_type', ['sources', 0, 'file', 'base64_string'], 'Input should be a valid string'])],
    [{ sources: [{ kind: 'file', base64_string: 'AA!A', filename: 'a' }] }, issues(['value_error', ['sources', 0, 'file', 'base64_string'], 'Value error, Invalid base64: the text holds other characters'])],
    [{ sources: [{ kind: 'file', base64_string: '!!', filename: 'a' }] }, issues(['value_error', ['sources', 0, 'file', 'base64_string'], 'Value error, Invalid base64: the text holds other characters'])],
    [{ sources: [{ kind: 'file', base64_string: 'AAAA!', filename: 'a' }] }, issues(['value_error', ['sources', 0, 'file', 'base64_string'], 'Value error, Invalid base64: the text holds other characters'])],
    [{ sources: [{ kind: 'file', base64_string: 'AAAAA', filename: 'a' }] }, issues(['value_error', ['sources', 0, 'file', 'base64_string'], 'Value error, Invalid base64: the text ends inside a group'])],
    [{ sources: [{ kind: 'http', url: 'https://a/b.ZIP' }] }, issues(['value_error', ['sources', 0, 'http', 'url'], 'Value error, ZIP URLs are not accepted on the convert endpoint'])],
    [{ sources: [{ kind: 'http', url: 'ftp://a/b' }] }, issues(['url_scheme', ['sources', 0, 'http', 'url'], "URL scheme should be 'http' or 'https'"])],
    [{ sources: [{ kind: 'http', url: 'https://a/b.pdf' }] }, { detail: "source kind 'http' is not allowed. Allowed values: ['file']." }],
    [{ sources: [1, 2, 3, 4].map(() => file('x')) }, { detail: 'Too many sources: 4 exceeds the maximum of 3.' }],
    [{ sources: [file('x')], target: { kind: 'presigned_url' } }, { detail: 'Presigned URL target requires artifact storage to be configured and enabled on the server.' }],
    [{ sources: [file('x')], target: { kind: 'put', url: 'https://a/' } }, { detail: "target kind 'put' is not allowed. Allowed values: ['inbody', 'zip']." }],
    [{ sources: [file('x')], target: { kind: 'put' } }, issues(['missing', ['target', 'put', 'url'], 'Field required'])],
    [{ sources: [file('x')], target: {} }, issues(['union_tag_not_found', ['target'], "Unable to extract tag using discriminator 'kind'"])],
    [{ sources: [file('x')], callbacks: [{ url: 'https://a/' }] }, { detail: 'Callbacks are disabled by server policy.' }],
  ];
  for (const [body, expected] of cases) {
    const found = await post(body);
    t.strictSame([found.status, found.body], [422, expected], JSON.stringify(body).slice(0, 80));
  }
  t.match(await post({ sources: [file('x')], target: { kind: 'inbody' }, extra: 1 }), { status: 200, ignored: 'extra' });
  t.strictSame(service.tasks.counts().reserved, 0);
});

t.test('bodies that are no JSON objects', async (t) => {
  const notAnObject = issues(['model_attributes_type', [], 'Input should be a valid dictionary or object to extract fields from']);
  t.strictSame((await post({ sources: [file('x')] }, { 'content-type': 'text/plain' })).body, notAnObject, 'another content type');
  t.strictSame((await post([1])).body, notAnObject);
  t.strictSame((await post('')).body, issues(['missing', [], 'Field required']));
  t.strictSame((await post('null')).body, issues(['missing', [], 'Field required']));
  t.equal((await post({ sources: [file('x')] }, { 'content-type': 'application/vnd.x+json; charset=utf-8' })).status, 200);
  for (const text of ['{"a":', '{"sources":[{"base64_string":"AAAA', '{]', '['.repeat(5000)]) {
    t.match(await post(text), { status: 422, body: { detail: [{ type: 'json_invalid', msg: 'JSON decode error' }] } }, text.slice(0, 20));
  }
  t.match(await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), { status: 400, body: { detail: 'There was an error parsing the body' } });
  t.match(await post(`{"a":"${'x'.repeat(9 * 1024 * 1024)}"}`), { status: 413 }, 'a long rest');
});

t.test('the limit counts decoded bytes', async (t) => {
  t.equal((await post({ sources: [file(Buffer.alloc(1000))] })).status, 200);
  const over = await post({ sources: [file(Buffer.alloc(1001))] });
  t.strictSame([over.status, over.body], [413, { detail: 'File exceeds the max_file_size limit of 1000 bytes.' }]);
  t.equal(service.tasks.counts().reserved, 0, 'its place is free again');
});

t.test('a key given twice does not take another document\'s place', async (t) => {
  const twice = '{"sources":[{"kind":"file","filename":"a","base64_string":"QQ==","base64_string":"Qg=="},{"kind":"file","filename":"b","base64_string":"Qw=="}]}';
  const before = service.payloads.length;
  t.equal((await post(twice)).status, 200);
  t.strictSame(service.payloads[before]?.documents.map(({ input }) => service.inputs[before]?.[input]?.toString()), ['B', 'C']);
});

t.test('a value cannot pass for a document it did not bring', async (t) => {
  const own = '{"sources":[{"kind":"file","filename":"a","base64\\u005fstring":"QQ=="}],"note":{"base64_string":"x"},"list":[{"base64_string":"QQ=="}]}';
  t.equal((await post(own)).status, 200, 'an escaped key is the same key');
  t.match(await post({ sources: [{ kind: 'file', filename: 'a', base64_string: { a: 'QQ==' } }] }), { status: 422, body: { detail: [{ type: 'string_type' }] } });
  t.match(await post('{"sources":[{"kind":"file","filename":"a","nested":{"base64_string":"QQ=="}}]}'), { status: 422 });
});

t.test('the splitter gives back every text, cut anywhere', async (t) => {
  const values = ['', 'QUJD', 'x'.repeat(500), 'a\\/b', '\\u0041'];
  const text = JSON.stringify({ a: '"base64_string":"no"', n: [1, { base64_string: 'deep no' }], deep: [{ base64_string: { a: 'stays' } }], sources: values.map((_, index) => ({ k: { base64_string: 'no' }, base64_string: `@${index}@` })) })
    .replace(/@(\d)@/g, (_, index: string) => values[Number(index)] ?? '');
  const expected = ['deep no', ...values.map((value) => JSON.parse(`"${value}"`) as string)];
  for (let cut = 0; cut < text.length; cut++) {
    const splitter = new JsonSplitter(100_000);
    const found: string[] = [];
    for (const part of [text.slice(0, cut), text.slice(cut)]) {
      for (const piece of splitter.push(Buffer.from(part))) {
        if (piece.type === 'begin') found.push('');
        else if (piece.type === 'data') found[found.length - 1] += piece.bytes.toString();
      }
    }
    const rest = JSON.parse(splitter.rest().toString()) as { a: string; sources: { base64_string: string }[]; deep: object };
    t.strictSame(found, expected, `the values, cut at ${cut}`);
    t.strictSame(rest.deep, [{ base64_string: { a: 'stays' } }], `what is no source, cut at ${cut}`);
    t.strictSame(rest.sources.map((source) => source.base64_string), values.map((_, index) => `${splitter.mark}${index + 1}`), `the marks, cut at ${cut}`);
  }
});

t.test('the decoder: pieces of any length, and nothing skipped', async (t) => {
  const bytes = randomBytes(1000);
  const hash = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
  for (const step of [1, 2, 3, 5, 64]) {
    const decoder = new Base64Decoder();
    const text = bytes.toString('base64');
    const parts = Array.from({ length: Math.ceil(text.length / step) }, (_, index) => decoder.push(Buffer.from(text.slice(index * step, (index + 1) * step))));
    t.equal(hash(Buffer.concat([...parts, decoder.end()])), hash(bytes), `steps of ${step}`);
  }
  const padded = new Base64Decoder();
  padded.push(Buffer.from('AA=='));
  t.throws(() => padded.push(Buffer.from('AAAA')), { name: 'NotBase64' }, 'nothing after the padding');
  for (const bad of ['AA=A', 'AAAA====', 'AA==AA==', 'A\u00e9AA', 'data:application/pdf;base64,AAAA']) {
    t.throws(() => { const decoder = new Base64Decoder(); decoder.push(Buffer.from(bad)); decoder.end(); }, { name: 'NotBase64' }, bad);
  }
});
