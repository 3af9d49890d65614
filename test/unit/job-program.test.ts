/** The program's own worker: a conversion task through it, with the real converter. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runConversionTask } from '../../src/convert/task/conversion-task.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import type { ConversionMeta, ConversionPayload } from '../../src/convert/task/payload.js';
import { createPool } from '../../src/workers/pool.js';
import { mebibyte, program } from '../support/workers.js';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const command = program(new URL(`../../src/worker.${extension}`, import.meta.url));

/** One page with one line; no table of offsets, so the reader has to find the objects. */
function pdf(text: string): string {
  const content = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
  return ['%PDF-1.4',
    '1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj',
    '2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj',
    '3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>>>> endobj',
    `4 0 obj <</Length ${content.length}>> stream\n${content}\nendstream endobj`,
    '5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj',
    'trailer <</Root 1 0 R>>', '%%EOF', ''].join('\n');
}

t.test('documents go through the program\'s own worker', async (t) => {
  const lines: string[] = [];
  const pool = createPool({ command, size: 1, maxResidentBytes: 1024 * mebibyte, log: (level, message) => lines.push(`${level} ${message}`) });
  t.teardown(() => pool.close());
  const root = t.testdir();
  let runs = 0;
  const convert = async (filename: string, bytes: string): Promise<{ status: string; document: Record<string, unknown>; errors: object[]; metas: ConversionMeta[] }> => {
    const [inputsDirectory, outputsDirectory, scratchDirectory] = ['in', 'out', 'tmp'].map((name) => join(root, String(runs), name)) as [string, string, string];
    runs++;
    for (const directory of [inputsDirectory, outputsDirectory, scratchDirectory]) mkdirSync(directory, { recursive: true });
    writeFileSync(join(inputsDirectory, '0'), bytes);
    const payload: ConversionPayload = { documents: [{ input: '0', filename }], options: { ...defaultConvertOptions, outputs: ['md', 'json'] }, target: 'inbody' };
    const metas: ConversionMeta[] = [];
    const { file } = await runConversionTask({ id: 'x', kind: 'convert', tenant: 'default', payload, attempt: 1 }, {
      signal: new AbortController().signal, inputsDirectory, outputsDirectory, scratchDirectory, countBelow: () => undefined, setMeta: (meta) => metas.push(structuredClone(meta)),
    }, { pool, limits: { pageMs: 20_000, documentMs: 60_000, graceMs: 1000, maxLostPages: 8 } });
    return { ...JSON.parse(readFileSync(join(outputsDirectory, file), 'utf8')), metas };
  };
  const good = await convert('dir/hello.pdf', pdf('Hello from a worker of the program.'));
  t.match(good, { status: 'success', errors: [], document: { filename: 'hello.pdf', md_content: 'Hello from a worker of the program.' } });
  t.match(good.document['json_content'], { schema_name: 'DoclingDocument' });
  t.match(good.metas.at(-1), { num_succeeded: 1, pages_total: 1 });
  t.match(await convert('broken.pdf', '%PDF-1.7\nnothing'), { status: 'failure', errors: [{ category: 'backend_failure' }], document: { md_content: null } });
  t.match(await convert('a.xyz', '\u0000\u0001\u0002'), { status: 'skipped', errors: [{ category: 'policy', error_message: 'File format not allowed: a.xyz' }] });
  t.match(pool.counts(), { started: 1, lost: 0 }, 'one worker served them all');
  t.strictSame(lines, [], 'and printed nothing');
});
