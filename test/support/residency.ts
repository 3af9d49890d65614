/** A residency over models that load when the test says so, on a clock that the test moves. */
import type { LecternError } from '../../src/errors.js';
import { MemoryBudget } from '../../src/models/memory-budget.js';
import { createResidency, type ResidencyOptions } from '../../src/models/residency.js';
import type { CatalogueEntry, KeepAlive } from '../../src/models/types.js';
import { type HandModel, handEngine } from './hand-engine.js';
import { fakeEntry } from './language-service.js';
import { settled } from './lease.js';
import { ManualClock } from './manual-clock.js';

export const minute = 60_000;

/** A residency over models of so many bytes each by name; those that begin with "embed" make vectors. */
export function makeResidency(budgetBytes: number, models: Record<string, number | HandModel>, more: Partial<ResidencyOptions> = {}) {
  const clock = new ManualClock();
  const byPath = Object.entries(models).map(([name, model]) => [`/models/${name}.gguf`, typeof model === 'number' ? { weightBytes: model } : model]);
  const engine = handEngine(Object.fromEntries(byPath));
  const lines: string[] = [];
  const budget = new MemoryBudget(budgetBytes);
  const residency = createResidency({
    engine, device: 'cuda', budget, embeddingBytes: 0, slots: 2, contextOf: () => 64, keepAliveOf: () => 5 * minute, clock,
    log: (_level, message) => lines.push(message), ...more,
  });
  const entry = (name: string): CatalogueEntry => fakeEntry(name, name.startsWith('embed') ? { capabilities: ['embedding'] } : {});
  const ask = (name: string, options: { keepAlive?: KeepAlive; signal?: AbortSignal } = {}) => residency.lend(entry(name), options);
  /** Lends it and lets every load that this begins finish. */
  const lend = async (name: string, options: { keepAlive?: KeepAlive } = {}) => {
    const asked = ask(name, options);
    await settled();
    for (const load of engine.loads.splice(0)) load.finish();
    return asked;
  };
  const states = () => residency.list().map(({ entry: { name }, state, uses }) => `${name} ${state} ${uses}`);
  return { clock, engine, lines, budget, residency, entry, ask, lend, states };
}

/** Whether it is `there`, still `waits`, or the code it failed with. */
export async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'waits';
  promise.then(() => { state = 'there'; }, (error: LecternError) => { state = error.code; });
  await settled();
  return state;
}
