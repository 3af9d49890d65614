// A GPU that is lost: what ran fails with its code, the service is not ready any more, and the program is notified once, so that it ends.
import t from 'tap';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { complete, directSandbox } from '../support/direct-sandbox.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { exitDeviceLost, watchDevice } from '../../src/program/device-loss.js';
import type { LanguageEngine } from '../../src/engine/port.js';
import { LecternError } from '../../src/errors.js';
import { createLanguage } from '../../src/program/language-half.js';
import { createLog } from '../../src/logging/log.js';
import { failureOf } from '../support/failure-of.js';
import { fakeLanguageEngine } from '../support/fake-language-engine.js';
import { startTestService } from '../support/http-service.js';

const directory = mkdtempSync(join(tmpdir(), 'lectern-device-'));
t.teardown(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, 'talker.gguf');
writeFileSync(path, 'talker');
const gpu = { kind: 'cuda', name: 'a GPU', memoryTotalBytes: 2 ** 36, memoryFreeBytes: 2 ** 36 } as const;
const processor = { kind: 'cpu', name: 'a processor', memoryTotalBytes: 2 ** 36, memoryFreeBytes: 2 ** 36 } as const;

/** Answers until `fails` is set; from then on every call fails as a lost device does. */
function failingEngine(state: { fails: LecternError | null }): LanguageEngine {
  const engine = fakeLanguageEngine({ [path]: { answer: () => 'All is well.', metadata: { 'tokenizer.chat_template': '{{ messages[0].content }}' } } });
  const orFail = <T>(work: () => Promise<T>): Promise<T> => (state.fails === null ? work() : Promise.reject(state.fails));
  return {
    describeModel: (...asked) => engine.describeModel(...asked),
    memoryNeed: (...asked) => engine.memoryNeed(...asked),
    openModel: async (...asked) => {
      const model = await orFail(() => engine.openModel(...asked));
      return {
        info: model.info, generate: (...of) => orFail(() => model.generate(...of)), embed: (...of) => orFail(() => model.embed(...of)), rank: (...of) => orFail(() => model.rank(...of)), tokenize: (...of) => model.tokenize(...of),
        countTokens: (...of) => model.countTokens(...of), tokenBytes: (id) => model.tokenBytes(id), close: () => model.close(),
      };
    },
  };
}

t.test('an answer that fails with the device turns the service red', async (t) => {
  const state: { fails: LecternError | null } = { fails: null };
  const watch = watchDevice(failingEngine(state));
  const told: string[] = [];
  void watch.whenLost.then((failure) => told.push(failure.message));
  const settings = { ...resolveSettings([], { HOME: directory }).values, models: [directory] };
  const language = createLanguage(settings, { engine: { ...watch.engine, devices: () => [gpu, processor] }, sandbox: directSandbox, answer: complete, log: createLog('silent') });
  const service = await startTestService({}, { language: language.services, notReady: () => watch.lost()?.message ?? null });
  t.teardown(async () => { await service.close(); await language.close(0); });
  const chat = () => service.app.inject({ method: 'POST', url: '/v1/chat/completions', payload: { model: 'talker', messages: [{ role: 'user', content: 'Hello' }] } });
  const ready = async () => (await service.app.inject({ url: '/ready' })).statusCode;

  t.strictSame([(await chat()).statusCode, await ready()], [200, 200], 'while it is there');
  state.fails = new LecternError('out_of_memory', 'The GPU has no memory for 5 bytes more.');
  t.strictSame([(await chat()).statusCode, await ready()], [503, 200], 'another failure is none of the device');
  t.strictSame(told, []);

  state.fails = new LecternError('device_lost', 'cudaStreamSynchronize: an illegal memory access was encountered');
  const lost = await chat();
  t.equal(lost.statusCode, 503);
  t.match(lost.body, 'an illegal memory access', 'who asked hears it');
  t.equal(await ready(), 503);
  t.equal((await service.app.inject({ url: '/livez' })).statusCode, 200, 'the process lives until it ends itself');
  t.equal((await chat()).statusCode, 503, 'and stays so');
  t.strictSame(told, ['cudaStreamSynchronize: an illegal memory access was encountered'], 'told once');
});

t.test('a device that is lost while a model is opened or measured counts, too', async (t) => {
  const failure = new LecternError('device_lost');
  const dead = { ...failingEngine({ fails: failure }), memoryNeed: () => Promise.reject(failure) };
  for (const ask of [(engine: LanguageEngine) => engine.openModel(path), (engine: LanguageEngine) => engine.memoryNeed(path, { context: 1, slots: 1 })]) {
    const watch = watchDevice(dead);
    t.equal((await failureOf(ask(watch.engine))).code, 'device_lost');
    t.equal(await watch.whenLost, failure);
    t.equal(watch.lost(), failure);
  }
});

t.equal(exitDeviceLost, 75, 'the code that packaging names');
