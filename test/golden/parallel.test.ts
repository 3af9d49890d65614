/** What is converted beside others is converted as if it were alone: the same bytes in every output. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { DocumentPool, type Answer } from '../support/document-pool.js';
import { readFixtures } from '../support/fixtures.js';

const options = { outputs: ['md', 'json', 'html', 'text', 'doctags'] as ('md' | 'json' | 'html' | 'text' | 'doctags')[], imageExportMode: 'referenced' as const };

t.test('ten at a time and one after the other give the same bytes', async (t) => {
  const documents = new DocumentPool(t.testdir({}));
  t.teardown(() => documents.pool.close());
  const ten = readFixtures().filter(({ facts }) => facts.password === null && facts.pages < 10).filter((_, i) => i % 4 === 0).slice(0, 10);
  t.equal(ten.length, 10);
  const convert = ({ name, pdf }: (typeof ten)[number]): Promise<Answer> => documents.convert(`${name}.pdf`, readFileSync(pdf), options);
  const alone: Answer[] = [];
  for (const fixture of ten) alone.push(await convert(fixture));
  const together = await Promise.all([...ten].reverse().map(convert));
  together.reverse();
  for (const [i, { name }] of ten.entries()) {
    t.equal(alone[i]?.outcome.status, 'success', name);
    t.ok((alone[i]?.files.length ?? 0) >= 5, `${name}: ${alone[i]?.files.length} files`);
    t.equal(together[i]?.digest, alone[i]?.digest, `${name} is the same`);
  }
});
