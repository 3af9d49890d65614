/** Stacks of the bundled program name the sources. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import t from 'tap';
import { bundledFiles } from '../../packaging/src/bundle.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { sourceStack, stackOf } from '../../src/platform/source-stack.js';

t.test('places in a part of the bundle become places in the sources', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'lectern a stack-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  // Without it Node has to guess what kind of module a part is: older ones refuse it, newer ones load it twice at once here and there.
  writeFileSync(join(root, 'package.json'), '{"type": "module"}\n');
  const source = join(root, 'fails.ts');
  writeFileSync(source, 'interface Given {\n  text: string;\n}\n\nexport function fails(given: Given): never {\n  throw new Error(given.text);\n}\n');
  buildSync({ entryPoints: [source], outfile: join(root, 'out/part-A.js'), format: 'esm', sourcemap: 'external', sourcesContent: false });
  const part = pathToFileURL(join(root, 'out/part-A.js')).href;
  const { fails } = await import(part) as { fails: (given: { text: string }) => never };
  let met: unknown;
  try {
    fails({ text: 'broken' });
  } catch (thrown) {
    met = thrown;
  }
  const [sentence, at] = stackOf(met).split('\n');
  t.equal(sentence, 'Error: broken');
  t.match(at, / at fails \(fails\.ts:6:\d+\)$/);
  t.equal(stackOf('a word'), 'a word');
  const unknown = 'Error: x\n    at y (file:///nowhere/part-B.js:1:1)\n    at node:internal/process:1:2';
  t.equal(sourceStack(unknown), unknown, 'what has no map stays');
  const compiled = join(packageRoot(), 'dist/src');
  const program = bundledFiles(compiled).find((name) => name.endsWith('.cjs')) as string;
  const line = readFileSync(join(compiled, program), 'utf8').split('\n').findIndex((text) => text.includes('A worker is started by the program itself.')) + 1;
  t.match(sourceStack(`    at serveJobs (${program}:${line}:11)`), /^ {4}at serveJobs \(src\/workers\/serve\.ts:\d+:\d+\)$/, 'the program of workers has no path of its own');
  const log = new URL('../../src/logging/log.js', import.meta.url).href;
  const script = `import { createLog } from '${log}'; import { fails } from '${part}'; try { fails({ text: 'broken' }); } catch (err) { createLog('info').error({ err }, 'met a defect'); }`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  t.match(JSON.parse(stderr), { msg: 'met a defect', err: { type: 'Error', message: 'broken', stack: /^Error: broken\n +at fails \(fails\.ts:6:/ } }, 'in the log too');
});
