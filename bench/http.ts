/** `bench http`: the whole service as clients meet it, in a process of its own: what `lectern bench` measures of a running one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureService } from '../src/client/measure-service.js';
import { type BenchmarkMeasure, tableOf } from '../src/client/measures.js';
import { Service } from '../src/client/service.js';
import { fixturesDirectory } from '../test/support/fixtures.js';
import { machine } from './machine.js';
import { programOf, startProcess } from './service-process.js';

const fixtures = ['invoice', 'slides-harbour', 'tables-booktabs', 'form-fields'];

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string' }, models: { type: 'string' }, model: { type: 'string' } } });
  const rounds = Number(values.rounds ?? 5);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error('usage: npm run bench -- http [--rounds N] [--models DIRECTORY] [--model NAME]');
    return 2;
  }
  const state = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const service = await startProcess(programOf(['serve']), { LECTERN_STATE: state, ...(values.models === undefined ? {} : { LECTERN_MODELS: values.models }) });
  if ('missing' in service) throw new Error(service.missing);
  try {
    const documents = fixtures.map((name) => ({ name: `${name}.pdf`, bytes: Uint8Array.from(readFileSync(join(fixturesDirectory(), `${name}.pdf`))) }));
    const measures = await measureService(new Service(service.base), { documents, rounds, tell: () => undefined, ...(values.model === undefined ? {} : { model: values.model }) });
    const { date, commit, processor, cores } = machine();
    console.log(`${date}, commit ${commit || 'unknown'}, ${processor}, ${cores} cores, ${rounds} rounds\n${tableOf(measures)}`);
    return { code: 0, measures };
  } finally {
    await service.stop();
    rmSync(state, { recursive: true, force: true });
  }
}
