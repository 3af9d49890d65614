/** The bundle that `npm run compile` makes: whole at every moment, for those who start and for those who run. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { bundledFiles, bundleProgram, removeOldParts } from '../../packaging/src/bundle.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { createPool } from '../../src/workers/pool.js';

function place(test: { teardown(end: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-bundle-'));
  test.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

void t.test('parts of earlier builds stay for a service that runs, those of the oldest leave', (test) => {
  const directory = place(test);
  for (let build = 1; build <= 4; build++) {
    writeFileSync(join(directory, `part-${build}.js`), '');
    writeFileSync(join(directory, `part-${build}.js.code`), '');
    removeOldParts(directory, [`part-${build}.js`, 'part-all.js'], 3);
    // The same program compiled again is no build of its own.
    removeOldParts(directory, [`part-${build}.js`, 'part-all.js'], 3);
  }
  writeFileSync(join(directory, 'main.js'), '');
  test.strictSame(readdirSync(directory).filter((name) => name.startsWith('part-')).sort(), [2, 3, 4].flatMap((build) => [`part-${build}.js`, `part-${build}.js.code`]));
  writeFileSync(join(directory, 'parts.json'), 'torn');
  removeOldParts(directory, ['part-4.js'], 3);
  test.strictSame(readdirSync(directory).sort(), ['main.js', 'part-4.js', 'part-4.js.code', 'parts.json'], 'a torn list is none');
  test.end();
});

void t.test('a bundle has all that its files ask for, main scripts that can be executed, and nothing half-written', async (test) => {
  const directory = place(test);
  const parts = await bundleProgram(directory);
  removeOldParts(directory, parts);
  const mains = ['main.js', 'worker.js'];
  test.strictSame(readdirSync(directory).sort(), [...mains, ...mains.map((name) => `${name}.map`), ...parts, 'parts.json'].sort());
  test.strictSame(bundledFiles(directory).sort(), readdirSync(directory).filter((name) => name !== 'parts.json').sort());
  for (const name of mains) test.not(statSync(join(directory, name)).mode & 0o100, 0);
  const scripts = readdirSync(directory).filter((name) => /\.c?js$/.test(name));
  test.strictSame(scripts.filter((name) => !existsSync(join(directory, `${name}.map`))), [], 'each has its map');
  const asked = scripts.flatMap((name) => [...readFileSync(join(directory, name), 'utf8').matchAll(/["'](?:\.\/)?(part-\w+\.c?js)["']/g)].map(([, one = '']) => one));
  test.ok(asked.length > parts.length / 2);
  const [program = ''] = asked.filter((name) => name.endsWith('.cjs'));
  // It is read as Latin-1: bullets were none.
  const read = readFileSync(join(directory, program), 'latin1');
  test.ok(read.includes('\\u2022'));
  test.notOk(/[^\0-\x7f]/.test(read));
  test.strictSame(asked.filter((name) => !existsSync(join(directory, name))), []);
});

void t.test('a worker takes the code that V8 kept, whatever its memory, and works without', async (test) => {
  const directory = place(test);
  const compiled = join(packageRoot(), 'dist/src');
  // Below the package: its program searches for package.json above itself.
  const beside = mkdtempSync(join(packageRoot(), 'dist/without-code-'));
  test.teardown(() => rmSync(beside, { recursive: true, force: true }));
  for (const name of bundledFiles(compiled)) if (!name.endsWith('.code')) copyFileSync(join(compiled, name), join(beside, name));
  const limits = { silenceMs: 60_000, totalMs: 60_000 };
  const tookCode = async (program: string, maxResidentBytes: number): Promise<unknown> => {
    const lines: string[] = [];
    const pool = createPool({
      command: { execPath: process.execPath, args: [join(program, 'worker.js'), '--keep-code'] }, size: 1, maxResidentBytes, scratchDirectory: directory,
      log: (level, message) => lines.push(`${level} ${message}`),
    });
    try {
      test.match(await pool.run('recogniser', {}, { limits }), {}, 'it answers');
      return await pool.run('tookCode', {}, { limits });
    } finally {
      await pool.close();
      test.strictSame(lines, [], 'this V8 knows each flag that it is given');
    }
  };
  for (const maxResidentBytes of [2 ** 29, 1.5 * 2 ** 30]) test.equal(await tookCode(compiled, maxResidentBytes), true);
  test.equal(await tookCode(beside, 2 ** 29), false);
  const [name = ''] = bundledFiles(compiled).filter((one) => one.endsWith('.code'));
  const code = readFileSync(join(compiled, name));
  test.notOk(code.includes(packageRoot()), 'no path of the machine that compiled it');
  // A loss of power leaves holes; V8 would die of them.
  writeFileSync(join(beside, name), code.fill(0, code.length >> 1, (code.length >> 1) + 4096));
  test.equal(await tookCode(beside, 2 ** 29), false);
});
