/** The bundle that `npm run compile` makes: whole at every moment, for those who start and for those who run. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { bundleProgram, removeOldParts } from '../../packaging/src/bundle.js';

function place(test: { teardown(end: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-bundle-'));
  test.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

void t.test('parts of earlier builds stay for a service that runs, those of the oldest leave', (test) => {
  const directory = place(test);
  for (let build = 1; build <= 4; build++) {
    writeFileSync(join(directory, `part-${build}.js`), '');
    removeOldParts(directory, [`part-${build}.js`, 'part-all.js'], 3);
    // The same program compiled again is no build of its own.
    removeOldParts(directory, [`part-${build}.js`, 'part-all.js'], 3);
  }
  writeFileSync(join(directory, 'main.js'), '');
  test.strictSame(readdirSync(directory).filter((name) => name.startsWith('part-')).sort(), ['part-2.js', 'part-3.js', 'part-4.js']);
  writeFileSync(join(directory, 'parts.json'), 'torn');
  removeOldParts(directory, ['part-4.js'], 3);
  test.strictSame(readdirSync(directory).sort(), ['main.js', 'part-4.js', 'parts.json'], 'a torn list is none');
  test.end();
});

void t.test('a bundle has all that its files ask for, a main script that can be executed, and nothing half-written', async (test) => {
  const directory = place(test);
  const parts = await bundleProgram(directory);
  test.strictSame(readdirSync(directory).sort(), ['main.js', 'main.js.map', ...parts].sort());
  test.not(statSync(join(directory, 'main.js')).mode & 0o100, 0);
  test.strictSame(readdirSync(directory).filter((name) => name.endsWith('.js') && !existsSync(join(directory, `${name}.map`))), [], 'each has its map');
  const asked = readdirSync(directory).filter((name) => name.endsWith('.js')).flatMap((name) => [...readFileSync(join(directory, name), 'utf8').matchAll(/["']\.\/(part-\w+\.js)["']/g)].map(([, one = '']) => one));
  test.ok(asked.length > parts.length / 2);
  test.strictSame(asked.filter((name) => !existsSync(join(directory, name))), []);
});
