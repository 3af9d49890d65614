/** Models from a registry that the test serves: ranges, resumption, faults, hostile manifests. */
import t, { type Test } from 'tap';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireModelName } from '../../src/models/model-name.js';
import { type PullOptions, type PullProgress, pullModel } from '../../src/models/pull/pull.js';
import { digestOf, startRegistry, type TestRegistry } from '../support/model-registry.js';

const model = randomBytes(1_000_003);
const blobs = [model, Buffer.from('{"stop":["x"]}'), Buffer.from('{}')];

async function setUp(t: Test, manifest?: Buffer): Promise<{ registry: TestRegistry; directory: string; pull: (more?: Partial<PullOptions>) => Promise<PullProgress[]> }> {
  const registry = await startRegistry(blobs, manifest);
  const directory = mkdtempSync(join(tmpdir(), 'lectern-pull-'));
  t.teardown(async () => {
    await registry.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const pull = async (more: Partial<PullOptions> = {}): Promise<PullProgress[]> => {
    const seen: PullProgress[] = [];
    await pullModel({
      name: requireModelName(`${registry.host}/library/tiny`), directory, insecure: true, signal: new AbortController().signal,
      onProgress: (progress) => seen.push(progress), partBytes: 300_000, parallel: 3, pause: async () => undefined, ...more,
    });
    return seen;
  };
  return { registry, directory, pull };
}

const blobPath = (directory: string, bytes: Buffer): string => join(directory, 'blobs', digestOf(bytes).replace(':', '-'));
const manifestPath = (directory: string, host: string): string => join(directory, 'manifests', host, 'library', 'tiny', 'latest');

t.test('a model arrives whole, its manifest byte for byte', async (t) => {
  const { registry, directory, pull } = await setUp(t);
  const progress = await pull();
  for (const bytes of blobs) t.ok(readFileSync(blobPath(directory, bytes)).equals(bytes));
  t.ok(readFileSync(manifestPath(directory, registry.host)).equals(registry.manifest));
  t.equal(readdirSync(join(directory, 'blobs')).length, blobs.length, 'nothing is left over');
  t.match(progress.at(-1), { phase: 'writing', doneBytes: 1_000_019, totalBytes: 1_000_019 });
  t.ok(progress.every(({ doneBytes }, index) => index === 0 || doneBytes >= (progress[index - 1] as PullProgress).doneBytes));
  t.equal(registry.requests.filter((request) => request.startsWith('blob')).length, 6, 'four ranges of the first');
  registry.requests.length = 0;
  await pull();
  t.equal(registry.requests.length, 1, 'what is there is not fetched again');
});

t.test('connections that break are taken up again where they broke', async (t) => {
  const { registry, directory, pull } = await setUp(t);
  let broken = 0;
  registry.fault = (_request, response, bytes, begin, end) => {
    if (bytes.length < 1000 || broken++ >= 8) return false;
    response.writeHead(206, { 'content-length': end - begin });
    response.write(bytes.subarray(begin, begin + 50_000), () => response.destroy());
    return true;
  };
  await pull();
  t.ok(readFileSync(blobPath(directory, model)).equals(model));
  t.ok(registry.requests.some((request) => /^blob (?!0-|300000-|600000-|900000-)/.test(request)), 'a range began in the middle of a part');
});

t.test('an interrupted pull goes on, and fetches nothing twice', async (t) => {
  const { registry, directory, pull } = await setUp(t);
  const stop = new AbortController();
  registry.fault = (_request, response, bytes, begin, end) => {
    if (begin === 0 || bytes.length < 1000) return false;
    response.writeHead(206, { 'content-length': end - begin });
    response.write(bytes.subarray(begin, begin + 100_000));
    return true;
  };
  // The first part, and what is sent of two others: nothing more comes of those.
  await t.rejects(pull({ signal: stop.signal, onProgress: ({ doneBytes }) => { if (doneBytes >= 500_000) stop.abort(); } }), { code: 'cancelled' });
  t.notOk(existsSync(manifestPath(directory, registry.host)), 'the model does not exist yet');
  registry.fault = () => false;
  registry.requests.length = 0;
  const progress = await pull();
  t.ok((progress[1] as PullProgress).doneBytes >= 400_000, `kept ${(progress[1] as PullProgress).doneBytes} bytes`);
  t.notOk(registry.requests.includes('blob 0-299999'));
  t.ok(readFileSync(blobPath(directory, model)).equals(model));
});

t.test('wrong bytes are thrown away', async (t) => {
  const { registry, directory, pull } = await setUp(t);
  registry.fault = (_request, response, bytes, begin, end) => {
    response.writeHead(206, { 'content-length': end - begin }).end(Buffer.alloc(end - begin, 7));
    return bytes.length > 0;
  };
  await t.rejects(pull(), { code: 'invalid_model', message: /[Dd]igest mismatch/ });
  t.same(readdirSync(join(directory, 'blobs')), []);
});

t.test('a server that fails on and on is given up', async (t) => {
  const { registry, pull } = await setUp(t);
  let asked = 0;
  registry.fault = (_request, response) => {
    asked++;
    response.writeHead(503).end();
    return true;
  };
  await t.rejects(pull({ parallel: 1 }), { code: 'timeout', message: /503/ });
  t.ok(asked <= 8, `${asked} tries`);
});

t.test('a server without ranges', async (t) => {
  const { registry, directory, pull } = await setUp(t);
  registry.fault = (_request, response, bytes) => {
    response.writeHead(200).end(bytes);
    return true;
  };
  await pull({ partBytes: 2_000_000 });
  t.ok(readFileSync(blobPath(directory, model)).equals(model));
});

t.test('a registry that gives tokens to anybody', async (t) => {
  const { registry, directory, pull } = await setUp(t);
  registry.challenge = `Bearer realm="http://${registry.host}/token",service="${registry.host}",scope="repository:library/tiny:pull"`;
  await pull();
  t.ok(readFileSync(blobPath(directory, model)).equals(model));
  const tokens = registry.requests.filter((line) => line.includes('/token?'));
  t.same(tokens, [`GET /token?service=${encodeURIComponent(registry.host)}&scope=repository%3Alibrary%2Ftiny%3Apull`], 'one round');
  t.notOk(registry.blobHeaders.some(({ authorization }) => authorization !== undefined), 'another host is not told the token');
  for (const challenge of ['Bearer realm="http://127.0.0.2:1/token"', 'Basic realm="x"', 'Bearer realm="nothing"', '']) {
    const other = await setUp(t);
    other.registry.challenge = challenge;
    await t.rejects(other.pull(), { code: 'forbidden' }, `not followed: ${challenge}`);
  }
});

t.test('hostile and broken manifests', async (t) => {
  const layer = { mediaType: 'x', digest: digestOf(model), size: model.length };
  const cases: [string, Buffer][] = [
    ['no JSON', Buffer.from('<html>')], ['null', Buffer.from('null')], ['no layers', Buffer.from('{}')],
    ['a path for a digest', Buffer.from(JSON.stringify({ config: layer, layers: [{ ...layer, digest: 'sha256:../../../../etc/passwd' }] }))],
    ['upper case', Buffer.from(JSON.stringify({ config: layer, layers: [{ ...layer, digest: digestOf(model).toUpperCase() }] }))],
    ['a negative size', Buffer.from(JSON.stringify({ config: layer, layers: [{ ...layer, size: -1 }] }))],
    ['too large', Buffer.alloc(5 * 2 ** 20, 32)],
  ];
  for (const [name, manifest] of cases) {
    const { pull, directory } = await setUp(t, manifest);
    await t.rejects(pull(), { code: 'invalid_model' }, name);
    t.notOk(existsSync(join(directory, 'manifests')), name);
  }
  const { registry, pull } = await setUp(t, Buffer.from(JSON.stringify({ config: layer, layers: [{ ...layer, digest: digestOf(Buffer.from('other')), size: 2 ** 52 }] })));
  await t.rejects(pull(), { code: 'out_of_memory' }, 'more than the disk holds');
  await t.rejects(pull({ name: requireModelName(`${registry.host}/library/nobody:1`) }), { code: 'model_not_found' });
  await t.rejects(pull({ name: requireModelName(`${registry.host}/library/secret:1`) }), { code: 'forbidden' });
  await registry.close().catch(() => undefined);
  await t.rejects(pull(), { code: 'not_found', message: /cannot be reached/ });
});
