/** Every fixture converts, and comes as near to its truth as its bars say. A bar only rises: test/fixtures/sources/bars.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import { convertFixture, judge, readFixtures, type FixtureBars } from '../support/fixtures.js';

const fixtures = readFixtures();
const measures = ['text', 'blocks', 'headings', 'cells', 'shapes'] as const;

t.ok(fixtures.length >= 40, `there are fixtures (${fixtures.length})`);

for (const fixture of fixtures) {
  const { name, facts } = fixture;
  t.test(name, async (t) => {
    const directory = t.testdir({});
    const outcome = await convertFixture(fixture, directory);
    t.equal(outcome.status, 'success', 'converts');
    t.equal(outcome.pageCount, facts.pages, 'every page');
    const markdown = readFileSync(join(directory, outcome.files.md ?? ''), 'utf8');
    const found = judge(fixture, markdown);
    const bars = facts.bars as FixtureBars;
    if (!t.ok(bars, 'has bars')) return;
    for (const measure of measures) {
      const [bar, reached] = [bars[measure], found[measure]];
      if (bar === null) t.equal(reached, null, `${measure} do not apply`);
      else t.ok(reached !== null && reached >= bar, `${measure}: ${reached?.toFixed(3)}, wanted ${bar}`);
    }
    t.same(found.lacks.filter((text) => !bars.lacks.includes(text)), [], 'nothing that must be there is missing');
    t.same(found.shows.filter((text) => !bars.shows.includes(text)), [], 'neither furniture nor hidden text is shown');
    const flawed = bars.lacks.length + bars.shows.length > 0 || measures.some((measure) => bars[measure] !== null && bars[measure] < 0.8);
    t.ok(!flawed || bars.known !== '', 'a low bar has its reason');
  });
}

t.test('outlines are read as they were written', async (t) => {
  for (const { name, pdf, facts } of fixtures) {
    if (facts.outline.length === 0) continue;
    const document = await openPdf(readFileSync(pdf), { password: facts.password });
    t.same(document.outline().map(({ title }) => title), facts.outline, name);
    document.close();
  }
});
