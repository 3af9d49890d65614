/** Imports of src run in no circle, those of types included: each file can be understood after the files that it imports. */
import { join } from 'node:path';
import t from 'tap';
import { packageRoot } from '../../src/platform/package-files.js';
import { circlesIn, importGraph } from '../support/import-graph.js';

t.test('circles are found', (t) => {
  t.strictSame(circlesIn(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]])), []);
  t.strictSame(circlesIn(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]])), [['b', 'c', 'b']]);
  t.strictSame(circlesIn(new Map([['a', ['a']]])), [['a', 'a']]);
  t.strictSame(circlesIn(new Map([['a', ['b', 'd']], ['b', []], ['d', ['e']], ['e', ['a']]])), [['a', 'd', 'e', 'a']]);
  t.end();
});

t.test('there are none in src', (t) => {
  const graph = importGraph(join(packageRoot(), 'src'));
  t.ok(graph.get('main.ts')!.length > 0, 'the graph has the imports of the program');
  t.ok(graph.get('convert/convert.ts')!.includes('convert/pipeline/page-pipeline.ts'));
  t.strictSame(circlesIn(graph).map((circle) => circle.join(' -> ')), []);
  t.end();
});
