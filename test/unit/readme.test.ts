// What the documentation says of the program is what the program says of itself, and its links lead somewhere.
import t from 'tap';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { doclingVariablesAsMarkdown, settingsAsMarkdown } from '../../src/cli/settings-command.js';
import { packageRoot } from '../../src/platform/package-files.js';

t.test('the table of settings', async (t) => {
  const page = readFileSync(join(packageRoot(), 'docs/settings.md'), 'utf8');
  const [, table] = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(page) ?? [];
  t.equal(table, settingsAsMarkdown(), 'what `lectern settings --markdown` prints stands between the marks');
  const [, variables] = /<!-- docling-serve -->\n([^]*?)\n<!-- \/docling-serve -->/.exec(page) ?? [];
  t.equal(variables, doclingVariablesAsMarkdown(), 'and what it prints below that');
});

t.test('the README', async (t) => {
  const lines = readFileSync(join(packageRoot(), 'README.md'), 'utf8').trimEnd().split('\n').length;
  t.ok(lines <= 120, `has ${lines} lines, at most 120`);
});

/** The names by which a page's headings are linked to. */
function anchors(page: string): Set<string> {
  return new Set([...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

t.test('links', async (t) => {
  const root = packageRoot();
  const rooms = [...['src', 'native'].flatMap((room) => readdirSync(join(root, room)).map((name) => join(room, name))), 'bench', 'models'];
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => join(root, 'docs', name));
  const pages = [...docs, join(root, 'README.md'), join(root, 'CONTRIBUTING.md'), ...rooms.map((room) => join(root, room, 'README.md'))].filter((page) => existsSync(page));
  t.ok(pages.length >= 12, `of ${pages.length} pages`);
  for (const page of pages) {
    for (const [, target = '', anchor] of readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const file = target === '' ? page : join(dirname(page), target);
      t.ok(existsSync(file), `${relative(root, page)} links to ${target}`);
      if (anchor !== undefined) t.ok(anchors(readFileSync(file, 'utf8')).has(anchor), `${relative(root, page)} links to ${target}#${anchor}`);
    }
  }
});
