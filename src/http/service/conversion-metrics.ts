/** What /metrics tells of conversions: documents by format and end, pages, how many were read from their picture, time by stage. */
import type { ConvertOutcome } from '../../convert/request.js';
import { family, labels } from './metrics.js';

interface Stage {
  pages: number;
  seconds: number;
}

/** Formats and stages are words of the converter's own, so a stranger cannot grow the tables. */
export class ConversionMeter {
  readonly #documents = new Map<string, number>();
  readonly #stages = new Map<string, Stage>();
  #pages = 0;
  #recognised = 0;

  readonly count = ({ format, status, pageCount, recognisedPages, timings }: ConvertOutcome): void => {
    const key = labels({ format: format === '' ? 'unknown' : format, status });
    this.#documents.set(key, (this.#documents.get(key) ?? 0) + 1);
    this.#pages += pageCount;
    this.#recognised += recognisedPages;
    for (const [name, { scope, count, times }] of Object.entries(timings)) {
      const stage = this.#stages.get(name) ?? { pages: 0, seconds: 0 };
      this.#stages.set(name, stage);
      stage.pages += scope === 'page' ? count : pageCount;
      stage.seconds += times.reduce((sum, time) => sum + time, 0);
    }
  };

  lines(): string {
    const stages = (name: string, value: (stage: Stage) => number): string[] => [...this.#stages].map(([stage, one]) => `${name}${labels({ stage })} ${value(one)}`);
    return [
      ...family('lectern_documents_total', 'counter', 'Documents by format and end.', [...this.#documents].map(([key, count]) => `lectern_documents_total${key} ${count}`)),
      ...family('lectern_pages_total', 'counter', 'Pages delivered.', [`lectern_pages_total ${this.#pages}`]),
      ...family('lectern_pages_recognised_total', 'counter', 'Of them, pages whose text was read from their picture (OCR).', [`lectern_pages_recognised_total ${this.#recognised}`]),
      ...family('lectern_stage_pages_total', 'counter', 'Pages that went through each stage of conversion; by its seconds, pages a second.', stages('lectern_stage_pages_total', ({ pages }) => pages)),
      ...family('lectern_stage_seconds_total', 'counter', 'Time in each stage of conversion.', stages('lectern_stage_seconds_total', ({ seconds }) => seconds)),
    ].join('\n');
  }
}

/** The conversion processes, whose memory is none of `process_resident_memory_bytes`. */
export function workerLines({ starting, idle, busy }: { starting: number; idle: number; busy: number }, residentBytes: number): string {
  return [
    ...family('lectern_workers', 'gauge', 'Conversion processes by state.', Object.entries({ starting, idle, busy }).map(([state, count]) => `lectern_workers${labels({ state })} ${count}`)),
    ...family('lectern_workers_resident_memory_bytes', 'gauge', 'Resident memory of all conversion processes together.', [`lectern_workers_resident_memory_bytes ${residentBytes}`]),
  ].join('\n');
}
