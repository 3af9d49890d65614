/** The chunk routes: what they read, what they hand on, and chunks of real documents through the whole service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createApp, type App } from '../../src/program/app.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { openEngine } from '../../src/engine/engine.js';
import { createLog } from '../../src/logging/log.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { madeModels } from '../support/made-model.js';
import { randomFrom } from '../support/random.js';
import { startTestService } from '../support/http-service.js';

const markdown = '# Title\n\nIntro.\n\n## Part\n\n- one\n- two\n\n| a | b |\n|---|---|\n| c | 1 |\n';
const demo = join(shippedModelsDirectory(), 'lectern-demo.gguf');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const source = (filename: string, text = markdown) => ({ kind: 'file', filename, base64_string: base64(text) });

t.test('what requests ask for reaches the task', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const { app, payloads } = service;
  const boundary = 'xyz';
  const fields = { convert_do_ocr: 'false', convert_page_range: ['2', '3'], chunking_max_tokens: '64', chunking_merge_peers: 'no', chunking_use_markdown_tables: 'true', chunking_tokenizer: 'x/y', include_converted_doc: 'true' };
  const parts = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((text) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`));
  const payload = `${parts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.md"\r\n\r\nx\r\n--${boundary}--\r\n`;
  const form = { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, payload };
  const formed = await app.inject({ method: 'POST', url: '/v1/chunk/hybrid/file', ...form });
  t.strictSame([formed.statusCode, formed.headers['x-lectern-ignored-options']], [200, 'chunking_tokenizer'], 'as the form calls it');
  t.match(payloads[0], {
    target: 'inbody',
    options: { doOcr: false, pageRange: [2, 3], outputs: ['json'], chunking: { chunker: 'hybrid', maxTokens: 64, mergePeers: false, markdownTables: true, imagePlaceholder: '![IMAGE]', includeRawText: false } },
  });
  const chunking = { use_markdown_images: true, image_placeholder: '', include_raw_text: true };
  const json = await app.inject({ method: 'POST', url: '/v1/chunk/hierarchical/source/async', payload: { sources: [source('a.md'), source('b.md')], chunking_options: chunking, target: { kind: 'zip' } } });
  t.match(json.json(), { task_type: 'chunk', task_status: 'pending' });
  await app.inject({ url: `/v1/status/poll/${(json.json() as { task_id: string }).task_id}?wait=20` });
  t.match(payloads[1], { target: 'zip', options: { outputs: [], chunking: { chunker: 'hierarchical', markdownImages: true, imagePlaceholder: '', includeRawText: true } } });
  t.equal(payloads[1]?.documents.length, 2);
  const named = await app.inject({ method: 'POST', url: '/v1/chunk/hybrid/source', payload: { sources: [source('a.md')], chunking_options: { tokenizer: 'x/y' } } });
  t.equal(named.headers['x-lectern-ignored-options'], 'tokenizer');
  t.match(payloads[2]?.options.chunking, { maxTokens: 256, mergePeers: true });
});

t.test('bad requests', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const ask = async (path: string, payload: object) => (await service.app.inject({ method: 'POST', url: `/v1/chunk/${path}`, payload })).json() as { detail: unknown };
  t.match(await ask('hybrid/source', {}), { detail: [{ type: 'missing', loc: ['body', 'sources'] }] });
  t.match(await ask('hybrid/source', { sources: [source('a.md')], chunking_options: { max_tokens: 0 } }), { detail: [{ type: 'greater_than_equal', loc: ['body', 'chunking_options', 'max_tokens'] }] });
  t.match(await ask('hybrid/source', { sources: [source('a.md')], chunking_options: { chunker: 'hierarchical' } }), { detail: [{ type: 'literal_error' }] });
  t.match(await ask('hierarchical/source', { sources: [source('a.md')], target: { kind: 'presigned_url' } }), { detail: 'presigned_url target is not supported for chunk endpoints.' });
  t.match(await ask('hierarchical/source', { sources: [source('a.md')], convert_options: { to_formats: 'md' } }), { detail: [{ loc: ['body', 'convert_options', 'to_formats'] }] });
  t.match(await ask('hybrid/file', {}), { detail: [{ type: 'missing', loc: ['body', 'files'] }] });
  t.same(service.payloads, []);
  t.match(await service.directories(), [], 'nothing is left of them');
});

t.test('chunks of real documents', async (t) => {
  const { values } = resolveSettings(['--listen', '127.0.0.1:0', '--state', t.testdir({}), '--models', shippedModelsDirectory(), '--log-level', 'silent'], {});
  const app: App = await createApp(values, createLog('silent'));
  t.teardown(() => app.close());
  const ask = async (path: string, payload: object) => app.server.inject({ method: 'POST', url: path, payload });
  const engine = openEngine();
  t.teardown(() => engine.close());
  const counts = async (text: string): Promise<number | undefined> => (await engine.countTokens(demo, [text]))[0];
  const answer = await ask('/v1/chunk/hybrid/source', { sources: [source('a.md'), source('b.exe'), source('c.html', '<h1>H</h1><p>text')], include_converted_doc: true });
  t.match(answer.json(), {
    chunks: [
      { filename: 'a.md', chunk_index: 0, text: 'Title\nIntro.', headings: ['Title'], doc_items: ['#/texts/1'], raw_text: null, captions: null, page_numbers: null, num_tokens: await counts('Title\nIntro.'), metadata: { tokenizer: 'lectern-demo' } },
      { filename: 'a.md', chunk_index: 1, text: 'Title\nPart\n- one\n- two\nc, b = 1', headings: ['Title', 'Part'] },
      { filename: 'c.html', chunk_index: 0, text: 'H\ntext', num_tokens: await counts('H\ntext') },
    ],
    documents: [
      { kind: 'ExportResult', status: 'success', content: { filename: 'a.md', md_content: null, json_content: { schema_name: 'DoclingDocument' } }, errors: [] },
      { status: 'skipped', content: { filename: 'b.exe', json_content: null }, errors: [{ error_message: 'File format not allowed: b.exe' }] },
      { status: 'success' },
    ],
  });
  t.type((answer.json() as { processing_time: number }).processing_time, 'number');
  const task = (await ask('/v1/chunk/hierarchical/source/async', { sources: [source('a.md')] })).json() as { task_id: string };
  t.match((await app.server.inject({ url: `/v1/status/poll/${task.task_id}?wait=50` })).json(), { task_type: 'chunk', task_status: 'success' });
  const result = (await app.server.inject({ url: `/v1/result/${task.task_id}` })).json() as { chunks: unknown[]; documents: unknown[] };
  t.match(result, { chunks: [{ num_tokens: null }, {}, {}], documents: [{ content: { json_content: null } }] });
  const zip = await ask('/v1/chunk/hybrid/source', { sources: [source('a.md')], target: { kind: 'zip' } });
  t.equal(zip.headers['content-type'], 'application/zip');
  t.ok(zip.rawPayload.includes('chunked_result.json'));
});

t.test('a model that is there counts: the one that is named, else one that embeds', async (t) => {
  const { folder, embedder } = madeModels(t);
  const { values } = resolveSettings(['--listen', '127.0.0.1:0', '--state', t.testdir({}), '--models', folder, '--log-level', 'silent'], {});
  const app: App = await createApp(values, createLog('silent'));
  t.teardown(() => app.close());
  const engine = openEngine();
  t.teardown(() => engine.close());
  const random = randomFrom(5);
  const vocabulary = 'the quick tokenizers größe 1234 漢字 x'.split(' ');
  const words = (all: string): string[] => all.match(/[^\s|#.,=-]+/g) ?? [];
  const sentences = Array.from({ length: 60 }, (_, index) => {
    const before = index % 9 === 0 ? '\n\n## Part ' : index % 5 === 0 ? '\n\n' : ' ';
    return `${before}${Array.from({ length: 3 + Math.floor(random() * 12) }, () => vocabulary[Math.floor(random() * vocabulary.length)]).join(' ')}.`;
  });
  const table = `\n\n| name | value |\n|---|---|\n${Array.from({ length: 40 }, (_, row) => `| row ${row} | ${row * 997} |`).join('\n')}\n`;
  const text = `# Title\n${sentences.join('')}${table}`;
  for (const [named, name, path] of [['lectern-demo', 'lectern-demo', demo], ['someone/Lectern-Demo', 'lectern-demo', demo], ['x/y', 'embedder', embedder], [undefined, 'embedder', embedder]] as const) {
    for (const max of [24, 100, 2 ** 40]) {
      const chunking = { max_tokens: max, use_markdown_tables: max !== 100, ...(named !== undefined && { tokenizer: named }) };
      const answer = await app.server.inject({ method: 'POST', url: '/v1/chunk/hybrid/source', payload: { sources: [source('a.md', text)], chunking_options: chunking } });
      t.equal(answer.headers['x-lectern-ignored-options'], named === 'x/y' ? 'tokenizer' : undefined);
      const { chunks } = answer.json() as { chunks: { text: string; num_tokens: number; metadata: { tokenizer: string } }[] };
      t.ok(chunks.length >= (max === 24 ? 20 : 7), `${chunks.length} chunks of ${max}`);
      t.ok(chunks.every(({ metadata }) => metadata.tokenizer === name), `${name} counted`);
      t.same(chunks.map(({ num_tokens: tokens }) => tokens), Array.from(await engine.countTokens(path, chunks.map((chunk) => chunk.text))), 'what it says is what the text has');
      t.same(chunks.filter(({ num_tokens: tokens }) => tokens > max), [], `none has more than ${max}`);
      // Headings past half a chunk lose their outermost, and sentences need no name for the first column.
      const missing = new Set(words(text.replace(/Title|Part|name/g, '')));
      for (const chunk of chunks) for (const word of words(chunk.text)) missing.delete(word);
      t.same([...missing], [], 'no word is missing');
    }
  }
});

interface FoundChunk {
  text: string;
  num_tokens: number | null;
  headings: string[] | null;
  captions: string[] | null;
  doc_items: string[];
  page_numbers: number[] | null;
}

t.test('a PDF of several pages: each chunk knows its headings and its pages, and captions stay with what they stand below', async (t) => {
  const { values } = resolveSettings(['--listen', '127.0.0.1:0', '--state', t.testdir({}), '--models', shippedModelsDirectory(), '--log-level', 'silent'], {});
  const app: App = await createApp(values, createLog('silent'));
  t.teardown(() => app.close());
  const engine = openEngine();
  t.teardown(() => engine.close());
  const fixture = (name: string): string => readFileSync(fileURLToPath(new URL(`../../../test/fixtures/pdf/${name}`, import.meta.url))).toString('base64');
  const chunksOf = async (kind: string, name: string): Promise<FoundChunk[]> => {
    const payload = { sources: [{ kind: 'file', filename: name, base64_string: fixture(name) }], chunking_options: kind === 'hybrid' ? { tokenizer: 'lectern-demo', max_tokens: 160 } : {} };
    return ((await app.server.inject({ method: 'POST', url: `/v1/chunk/${kind}/source`, payload })).json() as { chunks: FoundChunk[] }).chunks;
  };
  const title = 'Annual Inspection of Banks, Gates and Pumps';
  // What stands on which page was looked up in the file.
  const pages: [headings: string[], page: number][] = [
    [[title, '1 Summary'], 3], [[title, '2 Scope and method', '2.2 How condition is graded', '2.2.1 Visible grades'], 3], [[title, '3 Findings', '3.1 Embankments', '3.1.2 South bank'], 4], [[title, '4 Recommendations'], 4],
  ];
  for (const kind of ['hybrid', 'hierarchical']) {
    const chunks = await chunksOf(kind, 'report-numbered.pdf');
    for (const [headings, page] of pages) {
      const below = chunks.filter((chunk) => JSON.stringify(chunk.headings) === JSON.stringify(headings));
      t.ok(below.length > 0, `${kind}: ${headings.at(-1)}`);
      t.ok(below.every((chunk) => JSON.stringify(chunk.page_numbers) === `[${page}]` && chunk.text.startsWith(`${headings.join('\n')}\n`)), `${kind}: ${headings.at(-1)} on page ${page}`);
    }
    t.ok(chunks.every(({ headings, page_numbers: numbers }) => headings?.[0] === title && numbers !== null && numbers.length > 0), `${kind}: all have both`);
    const caption = 'Table 1: Length of embankment by grade, in metres';
    // The first is the list of contents.
    const ofTable = chunks.filter(({ doc_items: items }) => items.includes('#/tables/1'));
    t.ok(chunks.some(({ text }) => text.includes('1 Summary, 3. 2 Scope and method, 3. 2.1 What was inspected, 3')), 'a list of contents has no names of columns: none of its lines is lost');
    t.same(chunks.filter(({ captions }) => captions !== null), ofTable);
    t.ok(ofTable.length >= 1 && ofTable.every(({ captions, doc_items: items }) => captions?.[0] === caption && items.length === 1), `${kind}: the table is by itself, with its caption`);
    t.same(chunks.filter(({ text }) => text.includes(caption)), ofTable.slice(0, 1), `${kind}: its caption stands where it begins`);
    const paper = await chunksOf(kind, 'paper-two-columns.pdf');
    const figure = paper.filter(({ doc_items: items }) => items.some((item) => item.startsWith('#/pictures/')));
    t.match(figure, [{ captions: [/^Figure 1\. From mild hours to growth/u], text: /Figure 1\. From mild hours to growth.*!\[IMAGE\]|Figure 1/su }], `${kind}: a picture`);
    t.equal(paper.filter(({ text }) => text.includes('From mild hours to growth')).length, 1);
    t.ok(paper.some(({ page_numbers: numbers }) => JSON.stringify(numbers) === '[1,2]'), `${kind}: a paragraph that goes on overleaf has both pages`);
    const counted = [...chunks, ...paper].map(({ num_tokens: tokens }) => tokens);
    if (kind === 'hybrid') {
      t.same(counted, Array.from(await engine.countTokens(demo, [...chunks, ...paper].map(({ text }) => text))), 'the model\'s own count');
      t.ok(counted.every((tokens) => tokens !== null && tokens > 0 && tokens <= 160));
    }
  }
});
