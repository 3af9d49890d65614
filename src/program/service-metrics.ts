/** Lines of /metrics beside those of the HTTP room: conversions, workers, language models, files that are read again. */
import { ConversionMeter, workerLines } from '../http/service/conversion-metrics.js';
import { reloadLines } from '../http/service/metrics.js';
import type { Settings } from '../settings/settings.js';
import type { Converter } from './converter.js';
import type { ServiceEntry } from './entry.js';
import type { Language } from './language-half.js';

export interface ServiceMetrics {
  /** Counts what became of one document. */
  count: (outcome: Parameters<ConversionMeter['count']>[0]) => void;
  /** Prometheus text. */
  lines: () => string;
}

export function serviceMetrics({ pool }: Converter, language: Language, { gate, tls }: ServiceEntry, { accessList }: Pick<Settings, 'accessList'>): ServiceMetrics {
  const meter = new ConversionMeter();
  const files = { access_list: accessList === null ? undefined : gate, certificate: tls };
  return {
    count: (outcome) => meter.count(outcome),
    lines: () => [meter.lines(), workerLines(pool.counts(), pool.residentBytes()), language.metrics(), reloadLines(files)].filter((lines) => lines !== '').join('\n'),
  };
}
