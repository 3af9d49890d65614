/** The passes over a document: an order in which a pass reads what is not written yet is refused, with the names. */
import t from 'tap';
import { definePass, inOrder, runPasses } from '../../src/convert/structure/pass.js';
import { documentPasses } from '../../src/convert/structure/structure-document.js';
import { pageStructure, paragraph } from '../support/page-structures.js';

const input = ['pages', 'outline', 'flat'] as const;

t.test('passes in a wrong order are refused with their names', (t) => {
  t.strictSame(inOrder(documentPasses, input), documentPasses);
  const named = (name: string): (typeof documentPasses)[number] => documentPasses.find((pass) => pass.name === name)!;
  const [captions, evidence] = [named('attach captions'), named('gather evidence for headings')];
  const swapped = documentPasses.map((pass) => (pass === captions ? evidence : pass === evidence ? captions : pass));
  t.throws(() => inOrder(swapped, input), { message: "The pass 'gather evidence for headings' reads 'captions' (written by 'attach captions') before it is written." });
  t.throws(() => inOrder(documentPasses, ['pages', 'outline']), { message: "The pass 'set heading levels' reads 'flat' (written by no pass) before it is written." });
  t.end();
});

t.test('no pass can be moved to the front of what it reads, and none can be left out that another one reads', (t) => {
  for (const [index, pass] of documentPasses.entries()) {
    const others = documentPasses.filter((other) => other !== pass);
    const earlier = new Set(documentPasses.slice(0, index).flatMap(({ writes }) => writes));
    if (pass.reads.some((value) => earlier.has(value))) t.throws(() => inOrder([pass, ...others], input), { message: `The pass '${pass.name}' reads ` });
    const isOnlyWriter = pass.writes.some((value) => !others.some((other) => other.writes.includes(value)) && others.some((other) => other.reads.includes(value)));
    if (isOnlyWriter) t.throws(() => inOrder(others, input), /before it is written/, `without '${pass.name}'`);
  }
  t.end();
});

t.test('a pass gets what passes before it returned', (t) => {
  const seen: number[] = [];
  const passes = inOrder([
    definePass({ name: 'first', reads: ['pages'], writes: ['vocabulary'], run: ({ pages }) => ({ vocabulary: new Map([['pages', pages.length]]) }) }),
    definePass({ name: 'second', reads: ['vocabulary'], writes: ['headings'], run: ({ vocabulary }) => {
      seen.push(vocabulary.get('pages')!);
      return {};
    } }),
  ], ['pages']);
  const state = runPasses(passes, { pages: [pageStructure(0, paragraph(50, 60, 400, 3))], outline: [], flat: false });
  t.strictSame(seen, [1]);
  t.strictSame([...state.vocabulary], [['pages', 1]]);
  t.end();
});
