/** How long each stage took, by the contract's names for times. */
import type { StageTiming } from './result.js';

export class Timings {
  readonly stages: Record<string, StageTiming> = {};

  /** Runs `work` and writes down its time under `stage`. */
  measure<Result>(stage: string, scope: StageTiming['scope'], work: () => Result): Result {
    const start = new Date().toISOString();
    const begin = performance.now();
    const result = work();
    if (result instanceof Promise) return result.finally(() => this.#add(stage, scope, start, begin)) as Result;
    this.#add(stage, scope, start, begin);
    return result;
  }

  #add(stage: string, scope: StageTiming['scope'], start: string, begin: number): void {
    const timing = this.stages[stage] ??= { scope, count: 0, times: [], start_timestamps: [] };
    timing.count++;
    timing.times.push(Math.round((performance.now() - begin) * 1000) / 1e6);
    timing.start_timestamps.push(start);
  }
}
