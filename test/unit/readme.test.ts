// What the README says of the program is what the program says of itself.
import t from 'tap';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsAsMarkdown } from '../../src/cli/settings.js';
import { packageRoot } from '../../src/package-files.js';

t.test('the table of settings', async (t) => {
  const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
  const [, table] = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(readme) ?? [];
  t.equal(table, settingsAsMarkdown(), 'what `lectern settings --markdown` prints stands between the marks');
});
