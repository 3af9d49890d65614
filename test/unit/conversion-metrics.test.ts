// What /metrics tells of conversions, from outcomes as workers report them.
import t from 'tap';
import type { ConvertOutcome } from '../../src/convert/request.js';
import { ConversionMeter } from '../../src/http/service/conversion-metrics.js';

const outcome: ConvertOutcome = {
  status: 'success', errors: [], confidence: null, processingTimeS: 3, pageCount: 4, recognisedPages: 3, format: 'pdf', files: {}, artifacts: [], contentFile: 'content.json',
  timings: {
    read_page: { scope: 'page', count: 4, times: [0.25, 0.25, 0.25, 0.25], start_timestamps: [] },
    read_picture: { scope: 'page', count: 3, times: [1, 2, 3], start_timestamps: [] },
    write: { scope: 'document', count: 1, times: [0.5], start_timestamps: [] },
  },
};

t.test('pages, their share of OCR, and seconds by stage add up', async (t) => {
  const meter = new ConversionMeter();
  meter.count(outcome);
  meter.count({ ...outcome, pageCount: 6, recognisedPages: 0, timings: { write: { scope: 'document', count: 1, times: [0.25], start_timestamps: [] } } });
  meter.count({ ...outcome, status: 'failure', pageCount: 0, recognisedPages: 0, format: '', timings: {} });
  const lines = meter.lines().split('\n').filter((line) => !line.startsWith('#'));
  t.strictSame(lines, [
    'lectern_documents_total{format="pdf",status="success"} 2',
    'lectern_documents_total{format="unknown",status="failure"} 1',
    'lectern_pages_total 10',
    'lectern_pages_recognised_total 3',
    'lectern_stage_pages_total{stage="read_page"} 4',
    'lectern_stage_pages_total{stage="read_picture"} 3',
    'lectern_stage_pages_total{stage="write"} 10',
    'lectern_stage_seconds_total{stage="read_page"} 1',
    'lectern_stage_seconds_total{stage="read_picture"} 6',
    'lectern_stage_seconds_total{stage="write"} 0.75',
  ]);
});
