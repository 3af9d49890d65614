/** Archives of documents: the links of tar are files with the content that they lead to. */
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { unpackArchive } from '../../src/convert/input/unpack-archive.js';

const { signal } = new AbortController();
const tar = spawnSync('tar', ['--version']).status === 0;

async function contents(path: string, outputDirectory: string): Promise<Record<string, string>> {
  mkdirSync(outputDirectory);
  const documents = await unpackArchive({ path, filename: 'a.tar', outputDirectory }, signal);
  return Object.fromEntries((documents ?? []).map(({ file, filename, refusal }) => [filename, refusal ?? readFileSync(join(outputDirectory, file), 'utf8')]));
}

t.test('links of tar', { skip: tar ? false : 'tar is not installed' }, async (t) => {
  const root = t.testdir({ in: { 'one.md': '# One', deep: { 'two.md': '# Two' } } });
  const at = (name: string): string => join(root, 'in', name);
  linkSync(at('one.md'), at('hard.md'));
  linkSync(at('deep/two.md'), at('deep/again.md'));
  symlinkSync('../one.md', at('deep/soft.md'));
  symlinkSync('deep/soft.md', at('twice.md'));
  symlinkSync('/etc/passwd', at('outside.md'));
  symlinkSync('../../../../../../etc/passwd', at('above.md'));
  symlinkSync('deep', at('directory'));
  symlinkSync('round.md', at('ring.md'));
  symlinkSync('ring.md', at('round.md'));
  const long = `${'long'.repeat(40)}.md`;
  writeFileSync(at(long), '# Long');
  symlinkSync(long, at(`soft-${long}`));
  const refused = 'The file is a link of the archive that leads to none of its files.';
  for (const format of ['gnu', 'pax']) {
    const path = join(root, `${format}.tar`);
    t.equal(spawnSync('tar', [`--format=${format}`, '-cf', path, '-C', join(root, 'in'), '.']).status, 0);
    t.same(await contents(path, join(root, format)), {
      'one.md': '# One', 'hard.md': '# One', 'two.md': '# Two', 'again.md': '# Two', 'soft.md': '# One', 'twice.md': '# One', [long]: '# Long', [`soft-${long}`]: '# Long',
      'outside.md': refused, 'above.md': refused, 'ring.md': refused, 'round.md': refused,
    }, `${format}: what leads outside, and what leads round, is named; what leads to a directory is left out`);
  }
  const cut = readFileSync(join(root, 'gnu.tar'));
  writeFileSync(join(root, 'cut.tar'), cut.subarray(0, 700));
  await t.rejects(contents(join(root, 'cut.tar'), join(root, 'cut')), { code: 'invalid_document' });
});

t.test('links to elsewhere take no places of documents', { skip: tar ? false : 'tar is not installed' }, async (t) => {
  const root = t.testdir({ in: { 'one.md': '# One', 'two.md': '# Two' } });
  for (let index = 0; index < 120; index++) symlinkSync('/etc/passwd', join(root, 'in', `a${index}.md`));
  spawnSync('tar', ['-cf', join(root, 'a.tar'), '-C', join(root, 'in'), '.']);
  const found = Object.entries(await contents(join(root, 'a.tar'), join(root, 'out')));
  t.same(found.filter(([, text]) => text.startsWith('#')).sort(), [['one.md', '# One'], ['two.md', '# Two']]);
  t.equal(found.length, 22, 'twenty of them are reported');
});

t.test('a long name of a directory is not that of the file behind it', { skip: tar ? false : 'tar is not installed' }, async (t) => {
  for (const format of ['gnu', 'pax']) {
    const directory = 'd'.repeat(120);
    const root = t.testdir({ in: { [directory]: {}, 'later.md': '# Later' } });
    spawnSync('tar', [`--format=${format}`, '-cf', join(root, 'a.tar'), '-C', join(root, 'in'), directory, 'later.md']);
    t.same(await contents(join(root, 'a.tar'), join(root, 'out')), { 'later.md': '# Later' }, format);
  }
});
