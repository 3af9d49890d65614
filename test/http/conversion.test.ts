// The life of a conversion over HTTP: waiting, tasks, results, cancelling, tenants, and failures as the contract has them.
import t from 'tap';
import { form, multipart, startTestService } from '../support/http-service.js';
import { until } from '../support/until.js';

const service = await startTestService({}, {}, 3);
t.teardown(() => service.close());
const { app } = service;

const convert = (filename: string, fields = {}, path = '/v1/convert/file', headers = {}) => {
  const body = form(filename, fields);
  return app.inject({ method: 'POST', url: path, payload: body.payload, headers: { ...body.headers, ...headers } });
};
const get = (url: string, headers = {}) => app.inject({ method: 'GET', url, headers });
const submit = async (filename: string, headers = {}): Promise<string> =>
  ((await convert(filename, {}, '/v1/convert/file/async', headers)).json() as { task_id: string }).task_id;
const notFound = { detail: 'Task not found.' };
const noResult = { detail: 'Task result not found. Please wait for a completion status.' };

t.test('one document, waiting for it', async (t) => {
  const answer = await convert('a.pdf');
  t.equal(answer.statusCode, 200);
  t.equal(answer.headers['content-type'], 'application/json', 'without a charset');
  t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)));
  t.strictSame(Object.keys(answer.json() as object), ['document', 'status', 'errors', 'processing_time', 'timings', 'confidence']);
  const id = answer.headers['x-lectern-task-id'] as string;
  t.equal((await get(`/v1/result/${id}`)).body, answer.body, 'and again as a result');
});

t.test('a zip: asked for, or of several documents', async (t) => {
  const several = await app.inject({ method: 'POST', url: '/v1/convert/file', ...multipart(['a.pdf', 'b.pdf'].map((filename) => ({ name: 'files', filename, value: 'x' }))) });
  for (const answer of [await convert('a.pdf', { target_type: 'zip' }), several]) {
    t.equal(answer.statusCode, 200);
    t.equal(answer.headers['content-type'], 'application/zip');
    t.equal(answer.headers['content-disposition'], 'attachment; filename="converted_docs.zip"');
    t.equal(answer.body, 'PK-test');
  }
});

t.test('a document that fails is an answer, a task that fails is none', async (t) => {
  const bad = await convert('bad.pdf');
  t.equal(bad.statusCode, 200);
  t.match(bad.json(), { status: 'failure', document: { md_content: null }, errors: [{ error_message: 'The document backend could not parse the input.' }] });
  const broken = await convert('broken.pdf');
  const id = broken.headers['x-lectern-task-id'] as string;
  const why = { detail: 'Task result not found. The task failed: The process that worked on the document ended unexpectedly.', task_id: id };
  t.strictSame([broken.statusCode, broken.json()], [404, why], 'nobody is told to wait');
  t.strictSame((await get(`/v1/result/${id}`)).json(), why);
  t.match((await get(`/v1/status/poll/${id}`)).json(), {
    task_id: id, task_type: 'convert', task_status: 'failure', task_position: null,
    error_message: 'The process that worked on the document ended unexpectedly.',
    failure: { category: 'internal', retryable: true, phase: 'execution', details: { code: 'worker_crashed' } },
  });
});

t.test('a defect shows nothing of the inside', async (t) => {
  const id = await submit('defect.pdf');
  const status = (await get(`/v1/status/poll/${id}?wait=50`)).json() as { error_message: string };
  t.equal(status.error_message, 'Internal processing error.');
});

t.test('a task: submitted, polled, fetched as often as one likes', async (t) => {
  const answer = await convert('a.pdf', {}, '/v1/convert/file/async');
  t.equal(answer.statusCode, 200, 'not 202');
  const first = answer.json() as { task_id: string };
  t.strictSame(Object.keys(first), ['task_id', 'task_type', 'task_status', 'task_position', 'task_meta', 'error_message', 'failure']);
  t.match(first, { task_id: /^[0-9a-f-]{36}$/, task_type: 'convert', error_message: null, failure: null });
  t.match((await get(`/v1/status/poll/${first.task_id}?wait=50`)).json(), { task_status: 'success', task_position: null });
  for (let times = 0; times < 2; times++) t.match((await get(`/v1/result/${first.task_id}`)).json(), { document: { md_content: '# a.pdf' } });
});

t.test('polling waits, and no longer than it was told', async (t) => {
  const id = await submit('slow.pdf');
  await until('its first page is told', () => service.tasks.get(id, 'default').meta !== null);
  const before = performance.now();
  // Of a task that does not end by itself: any response shows that the wait ended at its limit.
  const running = (await get(`/v1/status/poll/${id}?wait=0.2`)).json() as { task_status: string };
  const waited = performance.now() - before;
  t.equal(running.task_status, 'started');
  t.ok(waited >= 190, `${waited} ms`);
  t.match(running, { task_meta: { num_docs: 1, num_processed: 0, pages_done: 1, pages_total: 4, stage: 'converting', queue_position: null } });
  t.strictSame((await get(`/v1/result/${id}`)).json(), noResult, 'no result before the end');
  const bad = await get(`/v1/status/poll/${id}?wait=long`);
  t.strictSame([bad.statusCode, bad.json()], [422, { detail: [{ type: 'float_parsing', loc: ['query', 'wait'], msg: 'Input should be a valid number, unable to parse string as a number' }] }]);
  await app.inject({ method: 'DELETE', url: `/v1/tasks/${id}` });
});

t.test('the queue: positions, its end, and its place back after a cancel', async (t) => {
  const ids = [];
  for (let index = 0; index < 5; index++) ids.push(await submit('slow.pdf'));
  t.match((await get(`/v1/status/poll/${ids[4]}`)).json(), { task_status: 'pending', task_position: 3, task_meta: { num_docs: 1, stage: 'queued', queue_position: 3 } });
  const full = await convert('a.pdf');
  t.strictSame([full.statusCode, full.headers['retry-after'], full.json()], [503, '1', { detail: 'Server is busy, please try again shortly.' }]);
  for (const id of ids) {
    const answer = await app.inject({ method: 'DELETE', url: `/v1/tasks/${id}` });
    t.match([answer.statusCode, answer.json()], [200, { task_id: id, task_status: 'failure', failure: { details: { code: 'cancelled' } } }]);
  }
  t.equal((await convert('a.pdf')).statusCode, 200);
});

t.test('deleting what has ended forgets it', async (t) => {
  const id = (await convert('a.pdf')).headers['x-lectern-task-id'] as string;
  t.match((await app.inject({ method: 'DELETE', url: `/v1/tasks/${id}` })).json(), { task_status: 'success' });
  t.strictSame((await get(`/v1/result/${id}`)).json(), notFound);
  t.equal((await app.inject({ method: 'DELETE', url: `/v1/tasks/${id}` })).statusCode, 404);
});

t.test('unknown tasks', async (t) => {
  for (const id of ['0b0e4b0a-7d8f-4c7e-9d58-0a2f7a3f6c11', 'x', '..%2f..%2fetc', 'a'.repeat(300)]) {
    for (const url of [`/v1/status/poll/${id}`, `/v1/result/${id}`]) {
      const answer = await get(url);
      t.strictSame([answer.statusCode, answer.json()], [404, notFound], url.slice(0, 60));
    }
  }
});

t.test('tenants do not see each other', async (t) => {
  const id = await submit('a.pdf', { 'x-tenant-id': 'one' });
  t.equal((await get(`/v1/status/poll/${id}?wait=50`, { 'x-tenant-id': 'one' })).statusCode, 200);
  for (const headers of [{}, { 'x-tenant-id': 'two' }, { 'x-tenant-id': 'default' }]) {
    t.strictSame((await get(`/v1/result/${id}`, headers)).json(), notFound);
    t.equal((await app.inject({ method: 'DELETE', url: `/v1/tasks/${id}`, headers })).statusCode, 404);
  }
  t.equal((await get(`/v1/result/${id}`, { 'x-tenant-id': 'one' })).statusCode, 200);
  t.equal((await get('/v1/clear/results?older_then=0')).statusCode, 200);
  t.equal((await get(`/v1/result/${id}`, { 'x-tenant-id': 'one' })).statusCode, 200, 'nor clear each other\'s');
  const plain = await submit('a.pdf');
  t.equal((await get(`/v1/result/${plain}`, { 'x-tenant-id': 'default' })).statusCode === 200 || (await get(`/v1/status/poll/${plain}?wait=50`, { 'x-tenant-id': 'default' })).statusCode === 200, true);
});

t.test('clearing', async (t) => {
  const id = (await convert('a.pdf')).headers['x-lectern-task-id'] as string;
  t.strictSame((await get('/v1/clear/results')).json(), { status: 'ok' });
  t.equal((await get(`/v1/result/${id}`)).statusCode, 200, 'not an hour old');
  t.strictSame((await get('/v1/clear/results?older_then=0')).json(), { status: 'ok' });
  t.equal((await get(`/v1/result/${id}`)).statusCode, 404);
  t.strictSame((await get('/v1/clear/converters')).json(), { status: 'ok' });
  t.match((await get('/v1/clear/results?older_then=x')).json(), { detail: [{ loc: ['query', 'older_then'] }] });
});

t.test('a service that stops says so to who waits for a conversion, and what becomes of it', async (t) => {
  const stopping = await startTestService();
  t.teardown(() => stopping.close());
  const waiting = stopping.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('slow.pdf') });
  await until('it runs', () => stopping.tasks.counts().running > 0);
  await stopping.tasks.close();
  const answer = await waiting;
  t.strictSame([answer.statusCode, answer.json()], [503, { detail: 'The service is stopping; it goes on with this conversion at its next start.', task_id: answer.headers['x-lectern-task-id'] }]);
  t.match(answer.headers['retry-after'], /\d/);
});

t.test('past the sync wait: 504 with the id, and the work goes on', async (t) => {
  const hasty = await startTestService({ syncWait: 0.1 });
  t.teardown(() => hasty.close());
  const late = await hasty.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('slow.pdf') });
  const body = late.json() as { task_id: string };
  t.equal(late.statusCode, 504);
  const id = late.headers['x-lectern-task-id'] as string;
  t.strictSame(body, { detail: `Conversion is taking too long. The maximum wait time is configured as --sync-wait 0.1s (LECTERN_SYNC_WAIT). The task goes on: /v1/status/poll/${id} reports when /v1/result/${id} has its result.`, task_id: id });
  hasty.release();
  t.match((await hasty.app.inject({ url: `/v1/status/poll/${body.task_id}?wait=50` })).json(), { task_status: 'success' });
  t.match((await hasty.app.inject({ url: `/v1/result/${body.task_id}` })).json(), { document: { md_content: '# slow.pdf' } });
});

t.test('a route that is refused with a sentence', async (t) => {
  const batch = await app.inject({ method: 'POST', url: '/v1/convert/source/batch', payload: { sources: [{ kind: 's3' }] } });
  t.match([batch.statusCode, (batch.json() as { detail: string }).detail], [422, /storage connectors/]);
});

t.test('a service that stops says so', async (t) => {
  const stopping = await startTestService();
  t.teardown(() => stopping.close());
  await stopping.tasks.close();
  const answer = await stopping.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf') });
  t.strictSame([answer.statusCode, answer.headers['retry-after'], answer.json()], [503, '5', { detail: 'The service is stopping.' }]);
});

t.test('a defect of the HTTP room: one sentence and an id, the rest in the log', async (t) => {
  const broken = await startTestService({}, { tasks: { admit: async () => { throw new TypeError('a secret of the inside'); } } as never });
  t.teardown(() => broken.close());
  const answer = await broken.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf') });
  t.strictSame([answer.statusCode, answer.json()], [500, { detail: 'Internal processing error.' }]);
  const id = answer.headers['x-request-id'];
  t.match(broken.log.find(({ level }) => level === 'error'), { fields: { requestId: id, err: { message: 'a secret of the inside' } } });
});
