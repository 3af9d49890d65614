// The slots for paused sequences come after the context: a model has as many as fit beside all of it.
import t from 'tap';
import { fitModel } from '../../src/models/fit.js';
import { fakeLanguageEngine } from '../support/fake-language-engine.js';
import { fakeEntry } from '../support/language-service.js';

const entry = fakeEntry('talker', { path: '/talker' });
const engine = fakeLanguageEngine({ '/talker': { context: 8192 } });
const trained = { ...entry, description: { ...entry.description, context: 8192 } };

t.test('as many slots as fit, and the context first', async (t) => {
  const bytesOf = async (slots: number, context: number): Promise<number> => {
    const { weightBytes, kvBytes, workBytes } = await engine.memoryNeed('/talker', { slots, context });
    return weightBytes + kvBytes + workBytes;
  };
  const fit = (preferredBytes: number) => fitModel(engine, trained, { device: 'cpu', slots: 2, spareSlots: 2, context: 8192, preferredBytes, mostBytes: preferredBytes });
  for (const [slots, context] of [[4, 8192], [3, 8192], [2, 8192], [2, 4096]] as const) {
    const bytes = await bytesOf(slots, context);
    t.match(await fit(bytes), { slots, context, bytes, takesAll: false });
  }
  t.match(await fit(await bytesOf(3, 8192) - 1), { slots: 2, context: 8192 });
  t.match(await fit(await bytesOf(2, 8192) - 1), { slots: 2, context: 4096 }, 'no spare slot takes from the context');
});
