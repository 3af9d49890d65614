/** A process of its own that converts one file some times and prints what each cost, as a line of JSON: `node convert-repeatedly.js FILE TIMES`. */
import { convertHere } from './convert-here.js';

export interface Cost {
  status: string;
  /** What the document lacks, or why there is none. */
  errors: string[];
  seconds: number;
  processorSeconds: number;
  stages: Record<string, number>;
}

const [path = '', times = '1'] = process.argv.slice(2);
for (let run = 0; run < Number(times); run++) {
  const { outcome, processorMs } = await convertHere({ pdf: path, password: null }, {}, {}, false);
  const stages = Object.fromEntries(Object.entries(outcome.timings).map(([stage, { times: [time = 0] }]) => [stage, time]));
  console.log(JSON.stringify({ status: outcome.status, errors: outcome.errors.map(({ error_message: sentence }) => sentence), seconds: outcome.processingTimeS, processorSeconds: processorMs / 1000, stages } satisfies Cost));
}
