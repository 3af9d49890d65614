// What the doctor says of the memory of models: more than the machine has is never good, and a model that cannot be loaded is named.
import t from 'tap';
import { examineBudget, examineNeeds, examineNetworks } from '../../src/cli/examine-model-memory.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { sizeOfShipped } from '../../src/convert/installed.js';
import type { DeviceInfo } from '../../src/engine/port.js';
import { visionBytes } from '../../src/models/fit.js';
import type { CatalogueEntry } from '../../src/models/types.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';

const gib = 2 ** 30;
const cpu: DeviceInfo = { kind: 'cpu', name: 'a processor', memoryTotalBytes: 24 * gib, memoryFreeBytes: 20 * gib };
const gpu: DeviceInfo = { kind: 'cuda', name: 'a GPU', memoryTotalBytes: 80 * gib, memoryFreeBytes: 70 * gib };
const settingsFor = (...words: string[]) => resolveSettings(words, { HOME: '/nowhere' }).values;

t.test('the budget against the machine', async (t) => {
  const judged = (words: string[], devices: DeviceInfo[]): string[] => examineBudget(settingsFor(...words), devices).map(({ state, advice = '' }) => `${state} ${advice}`.trim());
  t.strictSame(judged([], [cpu]), ['good']);
  t.strictSame(judged([], [cpu, gpu]), ['good']);
  t.match(judged(['--model-memory', '900GiB'], [cpu]), [/^bad --model-memory asks for 900\.0 GiB, and a processor has 24\.0 GiB/]);
  t.match(judged(['--model-memory', '900GiB'], [cpu, gpu]), [/^bad .* a GPU has 80\.0 GiB/]);
  t.match(judged(['--model-memory', '75GiB'], [cpu, gpu]), [/^note only 70\.0 GiB are free now/]);
  t.match(judged(['--model-memory', '75GiB', '--device', 'cpu'], [cpu, gpu]), [/^bad .* a processor/]);
  t.match(judged(['--model-memory', '22GiB'], [cpu]), [/^note with the conversion processes that is 25\.0 GiB/]);
  t.strictSame(judged(['--model-memory', '900GiB', '--device', 'cuda'], [cpu]), [], 'the missing GPU is reported elsewhere');
});

t.test('the networks of conversion workers against the memory of models, with what each step up takes', async (t) => {
  const each = visionBytes(sizeOfShipped(shippedModelsDirectory()));
  const told = (bytes: number, words: string[] = [], devices = [cpu]) => examineNetworks(settingsFor('--model-memory', String(bytes), ...words), devices).map(({ state, what, advice }) => `${state} ${what} -> ${advice}`);
  t.match(told(each - 1), [/^note model memory: .* scans and pictures of text fail, .* geometry alone -> give --model-memory \d+MiB/]);
  t.match(told(each), [/room for the networks of 1 of 2 .* take turns .* -> .*--model-memory \d+MiB or more, or lower --workers$/]);
  t.match(told(each, ['--workers', '1', '--embedding-memory', String(each - 1)]), [/chat models may take all but .* -> give --embedding-memory \d+MiB/]);
  t.strictSame(told(each, ['--workers', '1', '--embedding-memory', String(each)]), [], 'all of it left to one worker');
  t.strictSame(told(4 * each), [], 'a quarter holds one worker\'s, and is left to it by default');
  t.strictSame(told(each - 1, [], [cpu, gpu]), [], 'with models on a GPU they have half of the host\'s memory');
  const small = (bytes: number) => [{ ...cpu, memoryTotalBytes: 2 * bytes }, gpu];
  t.match(told(8 * gib, [], small(each)), [/room for the networks of 1 of 2 .* -> lower --workers$/], 'and no setting of the GPU\'s memory gives them more');
  t.match(told(8 * gib, [], small(each - 1)), [/scans and pictures of text fail.* -> the host has too little memory/]);
  t.strictSame(told(8 * gib, [], small(2 * each)), [], 'nor do chat models take it from them');
  const advised = told(each - 1).join().match(/--model-memory (\d+)MiB/);
  t.notMatch(told(Number(advised?.[1]) * 2 ** 20).join(), /--model-memory/, 'what is advised is enough');
});

t.test('models that do not fit', async (t) => {
  const entry = (name: string): CatalogueEntry => ({ name, path: name, description: { context: 4096, embeds: false } }) as CatalogueEntry;
  const asked: object[] = [];
  const engine = {
    memoryNeed: async (path: string, shape: object) => {
      asked.push(shape);
      return { weightBytes: path === 'large' ? 50 * gib : gib, kvBytes: gib, workBytes: 0, kvBytesPerToken: 0 };
    },
  } as unknown as Parameters<typeof examineNeeds>[1];
  const judged = (words: string[], devices: DeviceInfo[]) => examineNeeds(settingsFor(...words), engine, devices, [entry('small'), entry('large')]);
  t.match(await judged([], [cpu]), [{ state: 'note', what: 'models: large cannot be loaded here', advice: /needs 51\.0 GiB .* only 12\.0 GiB/ }]);
  t.match(asked[0], { device: 'cpu', slots: 2, context: 4096 });
  t.strictSame(await judged(['--kv-cache', 'q8_0'], [cpu, gpu]), []);
  t.match(asked.at(-1), { device: 'cuda', kv: 'q8_0' });
});
