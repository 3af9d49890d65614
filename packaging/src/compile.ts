/** What `npm run compile` does after tsc: builds the page, and puts the bundled program in the place of the main scripts, for users and tests alike. tsc alone leaves one that loads file by file. */
import { join } from 'node:path';
import { LecternError } from '../../src/errors.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { bundleProgram, removeOldParts } from './bundle.js';
import { keepCompiledCode } from './compiled-code.js';
import { buildPage } from './page.js';

await buildPage(join(packageRoot(), 'dist/page'));
const directory = join(packageRoot(), 'dist/src');
removeOldParts(directory, await bundleProgram(directory));
// Of each kind of page one: what they have in common is most of what any page needs.
const documents = ['paper-two-columns', 'tables-booktabs', 'annual-sidebar', 'form-fields', 'manual-code', 'maths-paper', 'slides-harbour'];
try {
  await keepCompiledCode(documents.map((name) => join(packageRoot(), 'test/fixtures/pdf', `${name}.pdf`)));
} catch (thrown) {
  if (!(thrown instanceof LecternError)) throw thrown;
  process.stderr.write(`Workers will compile their code at each start: ${thrown.message}\n`);
}
