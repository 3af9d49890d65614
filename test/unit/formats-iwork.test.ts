/** Files of Pages, Numbers and Keynote whose numbers are damaged, or whose tables are too many or too large. */
import t from 'tap';
import { makePages } from '../support/binary-office.js';
import type { Field, MadeObject } from '../support/binary-office.js';
import { readFormat } from '../support/read-format.js';

const root = (references: number[]): MadeObject => ({ id: 1, type: 10000, fields: [], references });
const info = (id: number, model: number): MadeObject => ({ id, type: 6000, fields: [[2, [[1, model]]]], references: [model] });
/** A table without tiles: all its cells are empty. */
const model = (id: number, rows: Field[1], columns: Field[1]): MadeObject => ({ id, type: 6001, fields: [[4, [[3, []]]], [6, rows], [7, columns]] });

t.test('lengths, identifiers and counts that are no whole numbers are damage', async (t) => {
  const damaged = { code: 'invalid_document', message: 'The file is damaged: its objects cannot be read.' };
  const refused = (objects: MadeObject[], what: string): Promise<unknown> => t.rejects(readFormat('iwork_pages', makePages(objects)), damaged, what);
  await refused([root([2]), info(2, 3), model(3, 2, { double: 1.5 })], 'columns');
  await refused([root([2]), info(2, 3), model(3, { double: -1 }, 2)], 'rows');
  await refused([root([2]), { ...info(2, 3), fields: [[2, [[1, { double: 3 }]]]] }, model(3, 2, 2)], 'an identifier');
  await refused([{ ...root([]), statedLength: (_, body) => ({ double: body + 0.5 - 1 }) }, root([])], 'a fraction of a length');
  // Back to the begin of the header, which was read again without end.
  await refused([{ ...root([]), statedLength: (header) => ({ double: -header }) }], 'a length below zero');
});
