// A service among strangers: it answers all of them, keeps nothing of them, and goes on. CI_FULL=1: 15,000 connections, 5,000 bodies.
import t, { type Test } from 'tap';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unzipSync } from 'fflate';
import { multipart } from '../support/http-service.js';
import { randomFrom } from '../support/random.js';
import { openWith, postRaw, type RawAnswer, sendRaw } from '../support/raw-http.js';
import { serveProgram } from '../support/serving-program.js';
import { until } from '../support/until.js';

const full = process.env['CI_FULL'] === '1';
/** Parts of the connections after which the memory is read. */
const thirds = 3;
const [connectionCount, mutationCount, slowCount] = full ? [15_000, 5000, 500] : [1500, 150, 100];
const patience = { timeout: 900_000 };
const convertFile = '/v1/convert/file';
const page = '# A page\n\nwith a line of text.\n';

const home = mkdtempSync(join(tmpdir(), 'lectern-abuse-'));
const service = await serveProgram(home);
const port = Number(new URL(service.url).port);
const pid = service.child.pid as number;
const openFiles = (): number => readdirSync(`/proc/${pid}/fd`).length;
const residentMiB = (): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
t.teardown(async () => {
  await service.end('SIGTERM');
  rmSync(home, { recursive: true, force: true });
});

/** A conversion whose answer is right: what was done to the service before it has not hurt it. */
async function works(): Promise<boolean> {
  const { payload, headers } = multipart([{ name: 'files', filename: 'page.md', value: page, type: 'text/markdown' }]);
  const answer = await fetch(service.url + convertFile, { method: 'POST', headers, body: new Uint8Array(payload) });
  const { document } = await answer.json() as { document?: { md_content: string } };
  return answer.status === 200 && document?.md_content.includes('with a line of text.') === true;
}

async function isQuiet(): Promise<boolean> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const tasks = (state: string): number => Number(new RegExp(`^lectern_tasks\\{state="${state}"\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
  const kept = readdirSync(join(home, 'state', 'tasks')).filter((name) => name !== 'lock').length;
  return ['reserved', 'waiting', 'running'].every((state) => tasks(state) === 0) && kept === tasks('ended');
}

/** Everything that an attack opened is closed again, its uploads are gone and its tasks are not waiting. */
async function recovers(t: Test, files: number): Promise<void> {
  t.equal(await works(), true, 'it still converts');
  // Clients of this test keep a connection or two open for their next request.
  await until(`hardly more open files than the ${files} before`, () => openFiles() <= files + 4);
  // A place is free at once, its directory goes a moment later.
  await until('no task waits, and no half upload is on the disk', isQuiet, 50);
  t.equal(service.child.exitCode, null);
}

const refused = ({ status }: RawAnswer): boolean => status >= 400 && status < 500;
const answered = ({ status }: RawAnswer): boolean => status >= 200 && status < 500;

t.test('connections that are opened and dropped', patience, async (t) => {
  t.equal(await works(), true);
  const files = openFiles();
  const words = ['', 'G', 'POST /v1/convert/file HTTP/1.1\r\nhost: x\r\ncontent-le', `POST ${convertFile} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 1000\r\n\r\n--b\r\n`, 'POST /v1/convert/source HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"sources":[{"kind":"file","base64_string":"QUJD', 'GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'];
  const resident: number[] = [];
  const wave = 250;
  for (let opened = 0; opened < connectionCount; opened += wave) {
    const sockets = await Promise.all(Array.from({ length: wave }, (_, index) => openWith(port, words[(opened + index) % words.length] as string)));
    sockets.forEach((socket, index) => (index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()));
    if ((opened + wave) % (connectionCount / thirds) === 0) resident.push(residentMiB());
  }
  await recovers(t, files);
  t.comment(`resident after each third of ${connectionCount} connections: ${resident.map((mib) => mib.toFixed(0)).join(', ')} MiB`);
  t.equal(resident.length, thirds);
  const [, before, after] = resident as [number, number, number];
  // The heap grows in the first thirds (146, 172, 172 MiB). A kept connection would hold some 20 KiB.
  if (full) t.ok((after - before) * 1024 / (connectionCount / thirds) < 6, 'the last third cost no memory');
});

t.test('more connections than there may be: the rest is closed, the others are served', patience, async (t) => {
  const files = openFiles();
  const sockets = await Promise.all(Array.from({ length: 2100 }, () => openWith(port, '').catch(() => undefined)));
  await until('no more than 2,000 are held', () => openFiles() <= files + 2004);
  for (const socket of sockets) socket?.destroy();
  await recovers(t, files);
});

t.test('senders so slow that they never end', patience, async (t) => {
  const files = openFiles();
  const post = (path: string, headers: string, body: string): string => `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n\r\n${body}`;
  const part = '--b\r\ncontent-disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n';
  // What each sends, and what it drips.
  const kinds: [string, string][] = [
    ['GET /health HTTP/1.1\r\n', 'x: y\r\n'],
    [post(convertFile, 'content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000', part), 'z'],
    [post('/v1/chat/completions', 'content-type: application/json\r\ncontent-length: 100000', '{'), ' '],
    [post('/api/chat', 'transfer-encoding: chunked', '1\r\n{\r\n'), '1\r\n \r\n'],
    [post('/v1/embeddings', 'content-length: 100000', '{"model":'), ''],
    [post('/api/generate', 'transfer-encoding: chunked', '5\r\n{'), ''],
  ];
  const sockets = await Promise.all(Array.from({ length: slowCount }, (_, index) => openWith(port, (kinds[index % kinds.length] as [string, string])[0])));
  const drips = setInterval(() => sockets.forEach((socket, index) => { if (socket.writable) socket.write((kinds[index % kinds.length] as [string, string])[1]); }), 100);
  for (let time = 0; time < 5; time++) t.equal((await fetch(`${service.url}/health`)).status, 200, 'others are answered meanwhile');
  if (!full) t.equal(await works(), true, 'and their documents converted');
  if (full) {
    const open = (): number => sockets.filter(({ closed }) => !closed).length;
    // Headers must be there within 30 s, a body must bring a thousand bytes a second beyond its first 30 s; both are checked at intervals.
    for (let tries = 0; tries < 700 && open() > 0; tries++) await sleep(100);
    t.equal(open(), 0, 'what does not end is cut off');
    t.equal(await works(), true, 'and its places in the queue are free');
  }
  clearInterval(drips);
  for (const socket of sockets) socket.destroy();
  await recovers(t, files);
});

t.test('heads that are none', patience, async (t) => {
  const files = openFiles();
  const get = (headers: string): string => `GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n`;
  const post = (headers: string): string => `POST ${convertFile} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n`;
  const heads: [string, string, number[]][] = [
    ['a header of 1 MB', get(`x: ${'y'.repeat(2 ** 20)}\r\n`), [431]],
    ['100,000 headers', get('x: y\r\n'.repeat(100_000)), [431]],
    ['an address of 1 MB', `GET /${'a'.repeat(2 ** 20)} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`, [431]],
    ['an address of 15 kB', `GET /v1/result/${'a'.repeat(15_000)} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`, [404]],
    ['ways out of the tree', 'GET /../../../etc/passwd HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n', [404]],
    ['the same, written in hex', 'GET /%2e%2e/%2e%2e/%00etc%2fpasswd HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n', [400, 404]],
    ['hex that is none', 'GET /v1/result/%zz%ff HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n', [400, 404]],
    ['two lengths', post('content-length: 5\r\ncontent-length: 6\r\n'), [400]],
    ['a negative length', post('content-length: -5\r\n'), [400]],
    ['a length of no number', post('content-length: 5x\r\n'), [400]],
    ['a length beyond all numbers', post(`content-length: ${'9'.repeat(40)}\r\n`), [400]],
    ['a length and chunks', `${post('content-length: 5\r\ntransfer-encoding: chunked\r\n')}0\r\n\r\n`, [400]],
    ['a chunk of no size', `${post('content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked\r\n')}xyz\r\n`, [400]],
    ['an unknown coding', post('transfer-encoding: gzip\r\n'), [400, 501]],
    ['no host', 'GET /health HTTP/1.1\r\n\r\n', [400]],
    ['a foreign host', 'GET /health HTTP/1.1\r\nhost: evil.example.com\r\nconnection: close\r\n\r\n', [403]],
    ['a NUL in a header', get('x: a\0b\r\n'), [400]],
    ['a folded header', get('x: a\r\n b\r\n'), [200, 400]],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
    ['nothing but line ends', '\r\n'.repeat(1000) + 'x\r\n\r\n', [400]],
    ['a version that is none', 'GET /health HTTP/9.9\r\nhost: x\r\n\r\n', [400]],
    ['an upgrade to nothing', 'GET /v1/status/ws/x HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: short\r\nsec-websocket-version: 13\r\n\r\n', [400]],
    ['an upgrade where there is none', 'GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n', [200, 400, 404]],
    ['an expectation that is none', get('expect: miracles\r\nconnection: close\r\n'), [200, 417]],
  ];
  for (const [what, text, statuses] of heads) {
    const { status } = await sendRaw(port, text);
    t.ok(statuses.includes(status), `${what}: ${status}`);
  }
  await recovers(t, files);
});

t.test('names of documents that are ways to other places', patience, async (t) => {
  const files = openFiles();
  const names: [string, string][] = [
    ['../../../../tmp/lectern-abused.md', 'lectern-abused.md'], ['..\\..\\windows.md', 'windows.md'], ['/etc/cron.d/job.md', 'job.md'], ['C:\\boot.md', 'boot.md'],
    ['a/../../../b.md', 'b.md'], ['file:///etc/passwd.md', 'passwd.md'], ['%2e%2e%2fx.md', '%2e%2e%2fx.md'], ['.hidden.md', '.hidden.md'], ['-rf.md', '-rf.md'], ['$(id).md', '$(id).md'],
    ['con.md', 'con.md'], [' .md', ' .md'], ['🗎 \u202egpj.md', '🗎 \u202egpj.md'], [`${'long'.repeat(1000)}.md`, `${'long'.repeat(1000)}.md`],
  ];
  for (const [name, kept] of names) {
    const { payload, headers } = multipart([{ name: 'files', filename: name, value: page }]);
    const answer = await fetch(service.url + convertFile, { method: 'POST', headers, body: new Uint8Array(payload) });
    t.match([answer.status, await answer.json()], [200, { status: 'success', document: { filename: kept } }], name.slice(0, 50));
    const source = { kind: 'file', filename: name, base64_string: Buffer.from(page).toString('base64') };
    const json = await fetch(`${service.url}/v1/convert/source`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ sources: [source], target: { kind: 'zip' } }) });
    t.equal(json.status, 200, `as JSON: ${name.slice(0, 50)}`);
    for (const entry of Object.keys(unzipSync(new Uint8Array(await json.arrayBuffer())))) {
      t.ok(!/^[/\\]|^[a-z]:|(^|[/\\])\.\.([/\\]|$)|[\u0000-\u001f]/i.test(entry) && Buffer.byteLength(entry) <= 255, `an entry that any system unpacks: ${entry.slice(0, 50)}`);
    }
  }
  for (const name of ['..', '.', '', '/', 'a\0b.md', 'a\r\nx: y.md']) {
    const source = { kind: 'file', filename: name, base64_string: Buffer.from(page).toString('base64') };
    const json = await fetch(`${service.url}/v1/convert/source`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ sources: [source] }) });
    t.ok(json.status < 500, `${JSON.stringify(name)}: ${json.status}`);
  }
  t.strictSame(readdirSync(home), ['state'], 'nothing stands anywhere else');
  t.strictSame(readdirSync(tmpdir()).filter((name) => name === 'lectern-abused.md'), []);
  await recovers(t, files);
});

t.test('forms that are broken', patience, async (t) => {
  const files = openFiles();
  const part = (head: string, value = page): string => `--b\r\n${head}\r\n\r\n${value}\r\n`;
  const file = 'content-disposition: form-data; name="files"; filename="a.md"';
  const whole = part(file);
  const end = '--b--\r\n';
  const form = 'multipart/form-data; boundary=b';
  const bodies: [string, string, string, (answer: RawAnswer) => boolean][] = [
    ['no boundary', 'multipart/form-data', whole + end, refused],
    ['an empty boundary', 'multipart/form-data; boundary=', whole + end, refused],
    ['a boundary of 5,000 letters', `multipart/form-data; boundary=${'b'.repeat(5000)}`, `--${'b'.repeat(5000)}\r\n${file}\r\n\r\n${page}\r\n--${'b'.repeat(5000)}--\r\n`, answered],
    ['a boundary with line ends', 'multipart/form-data; boundary="a\tb"', whole + end, refused],
    ['another boundary', 'multipart/form-data; boundary=c', whole + end, refused],
    ['no end', form, whole.trimEnd(), refused],
    ['an end at once', form, end, refused],
    ['nothing', form, '', refused],
    ['nothing but the boundary', form, '--b', refused],
    ['words before and after', form, `hello\r\n${whole}${end}good bye`, answered],
    ['a part without a head', form, part('') + end, refused],
    ['a part without a name', form, part('content-disposition: form-data') + end, refused],
    ['a file without a name of its field', form, part('content-disposition: form-data; filename="a.md"') + end, refused],
    ['a disposition that is none', form, part('content-disposition: \x01\x02;;;=;"') + end, refused],
    ['two dispositions', form, part(`${file}\r\ncontent-disposition: form-data; name="x"`) + end, answered],
    ['a head of 1 MB', form, part(`${file}\r\nx: ${'y'.repeat(2 ** 20)}`) + end, answered],
    ['2,000 heads', form, part(`${file}\r\n${'x: y\r\n'.repeat(2000)}z: z`) + end, answered],
    ['2,000 parts', form, part('content-disposition: form-data; name="x"', 'y').repeat(2000) + whole + end, refused],
    ['9 MB of text fields', form, part('content-disposition: form-data; name="x"', 'y'.repeat(900_000)).repeat(10) + whole + end, refused],
    ['a field of 2 MB', form, part('content-disposition: form-data; name="x"', 'y'.repeat(2 ** 21)) + whole + end, refused],
    ['names of objects\' own', form, part('content-disposition: form-data; name="__proto__"', '1') + part('content-disposition: form-data; name="constructor"', '1') + whole + end, answered],
    ['a coding of mail', form, part(`${file}\r\ncontent-transfer-encoding: base64`, '!!!') + end, answered],
    ['a coding of its own', form, part(`${file}\r\ncontent-transfer-encoding: x-nonsense`) + end, answered],
    ['letters of no alphabet', form, part('content-disposition: form-data; name="to_formats"\r\ncontent-type: text/plain; charset=nonsense', 'md') + whole + end, answered],
    ['UTF-16', form, part('content-disposition: form-data; name="to_formats"\r\ncontent-type: text/plain; charset=utf-16', 'm\0d\0') + whole + end, answered],
    ['a name in broken hex', form, part('content-disposition: form-data; name="files"; filename*=utf-8\'\'%ED%A0%80%zz.md') + end, answered],
    ['a name of no alphabet', form, part('content-disposition: form-data; name="files"; filename*=klingon\'\'a.md') + end, answered],
    ['a name in no UTF-8', form, part('content-disposition: form-data; name="files"; filename="\xff\xfe.md"') + end, answered],
    ['a name that does not end', form, part('content-disposition: form-data; name="files"; filename="a.md') + end, answered],
    ['bare line ends', form, (whole + end).replaceAll('\r\n', '\n'), answered],
    ['a form in a form', form, part('content-disposition: form-data; name="files"\r\ncontent-type: multipart/mixed; boundary=c', `--c\r\n${file}\r\n\r\n${page}\r\n--c--`) + end, answered],
    ['JSON that is none', form, part('content-disposition: form-data; name="x"\r\ncontent-type: application/json', '{') + whole + end, answered],
    ['another form', 'application/x-www-form-urlencoded', 'files=a', refused],
    ['no type that could be', ';;;', whole + end, refused],
  ];
  for (const [what, type, body, isRight] of bodies) {
    const answer = await postRaw(port, convertFile, type, Buffer.from(body, 'latin1'));
    t.ok(isRight(answer), `${what}: ${answer.status}`);
  }
  await recovers(t, files);
});

t.test(`${mutationCount} forms and bodies damaged by chance`, patience, async (t) => {
  const files = openFiles();
  const random = randomFrom(20261122);
  const { payload, headers } = multipart([{ name: 'to_formats', value: 'md' }, { name: 'files', filename: 'a.md', value: page, type: 'text/markdown' }, { name: 'page_range', value: '1' }]);
  const json = Buffer.from(JSON.stringify({ options: { to_formats: ['md'] }, sources: [{ kind: 'file', filename: 'a.md', base64_string: Buffer.from(page).toString('base64') }] }));
  const statuses = new Map<number, number>();
  const attack = async (): Promise<void> => {
    const isForm = random() < 0.6;
    const body = damaged(isForm ? payload : json, random);
    const { status } = await postRaw(port, isForm ? convertFile : '/v1/convert/source', isForm ? headers['content-type'] as string : 'application/json', body);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  for (let sent = 0; sent < mutationCount; sent += 10) await Promise.all(Array.from({ length: 10 }, attack));
  t.comment(JSON.stringify(Object.fromEntries(statuses)));
  t.strictSame([...statuses.keys()].filter((status) => !answered({ status, text: '' })), [], 'each has its answer, and none is a defect');
  t.ok((statuses.get(200) ?? 0) > 0 && statuses.size > 2, 'some were whole, some were not');
  await recovers(t, files);
});

/** Bytes changed, taken out, doubled, and the rest cut off, each by chance. */
function damaged(bytes: Uint8Array, random: () => number): Uint8Array {
  let body = Buffer.from(bytes);
  for (let change = 1 + Math.floor(random() * 4); change > 0; change--) {
    const at = Math.floor(random() * body.length);
    const length = Math.floor(random() * 20);
    const kind = random();
    if (kind < 0.5) body[at] = Math.floor(random() * 256);
    else if (kind < 0.7) body = Buffer.concat([body.subarray(0, at), body.subarray(at + length)]);
    else if (kind < 0.9) body = Buffer.concat([body.subarray(0, at + length), body.subarray(at)]);
    else body = body.subarray(0, Math.max(1, at));
  }
  return body;
}
