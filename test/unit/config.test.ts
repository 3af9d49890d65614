import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { kernelOptions } from '../../src/settings/kernel-switches.js';
import { defaultFile, environmentName, flagName, resolveSettings, settingsTable } from '../../src/settings/settings.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';

const home = mkdtempSync(join(tmpdir(), 'lectern-home-'));
const bare = { HOME: home };

t.test('every default is a value of its own kind', async (t) => {
  const { values, origins } = resolveSettings([], bare);
  t.equal(Object.keys(values).length, Object.keys(settingsTable).length);
  t.strictSame(values.listen, [{ host: '127.0.0.1', port: 11434 }]);
  t.equal(values.maxFileSize, 104_857_600);
  t.equal(values.state, join(home, '.local', 'state', 'lectern'));
  t.strictSame(values.models.slice(0, -1), [join(home, '.local', 'share', 'lectern', 'models')], 'before what ships, where no Ollama store exists');
  t.match(values, { slots: 2, embeddingSlots: 2, modelQueue: 512, keepAlive: 300, contextLength: 32768, device: 'auto', kvCache: 'f16', threads: null, modelMemory: null });
  t.strictSame([values.aliases.size, values.modelContext.size], [0, 0]);
  t.ok(Object.values(origins).every((origin) => origin === 'default'));
});

t.test('a flag beats the environment, the environment beats the file, the file beats the default', async (t) => {
  const file = join(home, 'settings');
  writeFileSync(file, '# comment\nLECTERN_WORKERS=5\nLECTERN_QUEUE_SIZE="7"\nLECTERN_SYNC_WAIT=2m\n');
  const environment = { ...bare, LECTERN_CONFIG: file, LECTERN_WORKERS: '4', LECTERN_QUEUE_SIZE: '8' };
  const { values, origins, rest } = resolveSettings(['--workers', '3', 'serve'], environment);
  t.match(values, { workers: 3, queueSize: 8, syncWait: 120 });
  t.match(origins, { workers: 'flag', queueSize: 'environment', syncWait: 'file', state: 'default' });
  t.strictSame(rest, ['serve']);
});

t.test('flags take = and switches need no value', async (t) => {
  const { values, rest } = resolveSettings(['convert', '--strict-options', '--listen=[::1]:80,0.0.0.0:5001,5002', 'a.pdf'], bare);
  t.equal(values.strictOptions, true);
  t.strictSame(values.listen, [{ host: '::1', port: 80 }, { host: '0.0.0.0', port: 5001 }, { host: '127.0.0.1', port: 5002 }]);
  t.strictSame(rest, ['convert', 'a.pdf']);
});

t.test('switches can be switched off', async (t) => {
  for (const words of [['--no-show-version'], ['--show-version', 'no'], ['--show-version=no'], ['--show-version', 'OFF'], ['--show-version', '--no-show-version']]) {
    const { values, rest } = resolveSettings([...words, 'a.pdf'], bare);
    t.strictSame([values.showVersion, rest], [false, ['a.pdf']], words.join(' '));
  }
  t.match(resolveSettings(['--strict-options', 'yes', '--allow-all', 'b.pdf'], bare), { values: { strictOptions: true, allowAll: true }, rest: ['b.pdf'] });
  t.strictSame(resolveSettings(['--no-listen', '--no-wonder'], bare).rest, ['--no-listen', '--no-wonder'], 'what is no switch is no setting');
});

t.test('settings of language models', async (t) => {
  const { values } = resolveSettings(['--aliases', 'gpt-4o=qwen2.5:72b, fast = lectern-demo', '--model-context=bge-m3=4096,a/b:1b=8192', '--keep-alive', '-1', '--model-memory', '40GiB', '--threads', '8'], bare);
  t.strictSame([...values.aliases], [['gpt-4o', 'qwen2.5:72b'], ['fast', 'lectern-demo']]);
  t.strictSame([...values.modelContext], [['bge-m3', 4096], ['a/b:1b', 8192]]);
  t.match(values, { keepAlive: Infinity, modelMemory: 40 * 2 ** 30, threads: 8 });
  t.equal(resolveSettings(['--keep-alive', '0'], bare).values.keepAlive, 0);
  t.equal(resolveSettings(['--keep-alive', '90m'], bare).values.keepAlive, 5400);
  t.throws(() => resolveSettings(['--aliases', 'gpt-4o'], bare), { message: /--aliases must be pairs NAME=VALUE/ });
  t.throws(() => resolveSettings(['--model-context', 'a=many'], bare), { message: /--model-context must be pairs .* whole number/ });
  t.throws(() => resolveSettings(['--keep-alive', 'soon'], bare), { message: /--keep-alive must be a time/ });
  t.throws(() => resolveSettings(['--threads', '0'], bare), { message: /--threads must be auto or a whole number/ });
  t.throws(() => resolveSettings(['--device', 'tpu'], bare), { message: /--device must be one of auto, cpu, cuda/ });
});

t.test('unknown names and bad values refuse, naming the culprit', async (t) => {
  t.throws(() => resolveSettings([], { ...bare, LECTERN_LISTN: 'x' }), { code: 'invalid_request', message: /LECTERN_LISTN in the environment is no setting/ });
  t.throws(() => resolveSettings([], { ...bare, LECTERN_DECODE: 'ring' }), { code: 'invalid_request', message: 'LECTERN_DECODE in the environment is registers or rings or tiles, not "ring".' });
  const switches = { LECTERN_DECODE: 'rings', LECTERN_EARLY_LAUNCHES: 'off', LECTERN_WARPGROUPS: 'off' };
  t.strictSame(kernelOptions(resolveSettings([], { ...bare, ...switches }).values, switches), { decode: 'rings', earlyLaunches: false, warpgroups: false });
  t.strictSame(kernelOptions(resolveSettings([], bare).values, bare), { earlyLaunches: true, warpgroups: true });
  t.throws(() => resolveSettings([], { ...bare, LECTERN_WORKERS: 'many' }), { message: /LECTERN_WORKERS must be a whole number from 1 to 64, not "many"/ });
  t.throws(() => resolveSettings(['--listen', 'nowhere'], bare), { message: /--listen must be addresses as host:port/ });
  t.throws(() => resolveSettings(['--listen', '127.0.0.1:70000'], bare), { message: /--listen/ });
  t.throws(() => resolveSettings(['--listen'], bare), { message: /--listen needs a value/ });
  t.throws(() => resolveSettings(['--config', join(home, 'absent')], bare), { message: /cannot be read/ });
  const file = join(home, 'odd');
  writeFileSync(file, 'LECTERN_COLOUR=red\n');
  t.throws(() => resolveSettings(['--config', file], bare), { message: /LECTERN_COLOUR in .*odd is no setting of Lectern; `lectern settings` lists them\.$/ });
  for (const line of ['LISTEN=0', '--listen=0', 'export LECTERN_LISTEN=0']) {
    writeFileSync(file, `${line}\n`);
    t.throws(() => resolveSettings(['--config', file], bare), { message: /odd is no setting of Lectern; here it is written LECTERN_LISTEN; / }, line);
  }
  t.throws(() => resolveSettings([], { ...bare, LECTERN_MAXFILESIZE: '1' }), { message: /here it is written LECTERN_MAX_FILE_SIZE; / });
  writeFileSync(file, 'hello\n');
  t.throws(() => resolveSettings(['--config', file], bare), { message: /Line 1 of .* is not NAME=value/ });
});

t.test('without a file of the user the one of the installed service counts, where it can be read', (t) => {
  const root = t.testdir({ service: 'LECTERN_WORKERS=3\n', own: { lectern: { settings: '' } } });
  t.equal(defaultFile({ HOME: root }, join(root, 'service')), join(root, 'service'));
  t.equal(defaultFile({ HOME: root }, join(root, 'none')), null);
  t.equal(defaultFile({ XDG_CONFIG_HOME: join(root, 'own') }, join(root, 'service')), join(root, 'own', 'lectern', 'settings'));
  t.end();
});

t.test('the client address in the environment is no mistake', async (t) => {
  t.doesNotThrow(() => resolveSettings([], { ...bare, LECTERN_URL: 'http://host:1', LECTERN_CUDA: '1' }));
});

t.test('names of flags and of the environment follow from the key', async (t) => {
  t.equal(flagName('maxFileSize'), '--max-file-size');
  t.equal(environmentName('maxFileSize'), 'LECTERN_MAX_FILE_SIZE');
});

t.test('sizes, times and paths', async (t) => {
  const { values } = resolveSettings(['--max-file-size', '1.5GiB', '--result-ttl', '90', '--state', '~/x', '--models', 'a, /b'], bare);
  t.equal(values.maxFileSize, 1.5 * 2 ** 30);
  t.equal(values.resultTtl, 90);
  t.match(values.state, /\/x$/);
  t.notMatch(values.state, /~/);
  t.strictSame(values.models.slice(1), ['/b', shippedModelsDirectory()], 'what ships stays');
});

t.test('variables of docling-serve name settings where ours do not', async (t) => {
  const theirs = {
    DOCLING_SERVE_MAX_SYNC_WAIT: '45', DOCLING_SERVE_MAX_DOCUMENT_TIMEOUT: '600.0', DOCLING_SERVE_MAX_NUM_PAGES: '20', DOCLING_SERVE_MAX_FILE_SIZE: '5000000', DOCLING_SERVE_MAX_SOURCES_PER_REQUEST: '9',
    DOCLING_SERVE_MAX_IMAGES_SCALE: '3.0', DOCLING_SERVE_ENG_LOC_NUM_WORKERS: '4', DOCLING_SERVE_SHOW_VERSION_INFO: 'False', DOCLING_SERVE_CORS_ORIGINS: '["https://a.example", "https://b.example"]',
    DOCLING_SERVE_LOG_LEVEL: 'WARNING', DOCLING_SERVE_ENG_RQ_RESULTS_TTL: '', DOCLING_SERVE_ENABLE_UI: 'true', DOCLING_SERVE_API_KEY: 'k',
  };
  const { values, origins, notRead } = resolveSettings(['--max-files', '2'], { ...bare, ...theirs, LECTERN_WORKERS: '3' });
  t.match(values, {
    syncWait: 45, documentTimeout: 600, maxPages: 20, maxFileSize: 5_000_000, maxFiles: 2, maxImagesScale: 3, workers: 3, showVersion: false, logLevel: 'warn',
    resultTtl: 14_400,
  });
  t.strictSame(values.corsOrigins, ['https://a.example', 'https://b.example']);
  t.match(origins, { syncWait: 'environment', maxFiles: 'flag', workers: 'environment', resultTtl: 'default' });
  t.strictSame(notRead, ['DOCLING_SERVE_API_KEY', 'DOCLING_SERVE_ENABLE_UI']);
  t.strictSame(resolveSettings([], { ...bare, DOCLING_SERVE_CORS_ORIGINS: 'https://a.example,*' }).values.corsOrigins, ['https://a.example', '*']);
  t.throws(() => resolveSettings([], { ...bare, DOCLING_SERVE_MAX_SYNC_WAIT: 'long' }), { code: 'invalid_request', message: /^DOCLING_SERVE_MAX_SYNC_WAIT in the environment must be a time/ });
});
