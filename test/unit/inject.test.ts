/** What is said while the program is put into Node's executable. */
import t from 'tap';
import { withoutNoteWarnings } from '../../packaging/src/inject.js';

t.test('warnings of notes without a name are left out, all else is said', async (t) => {
  const { warn } = console;
  t.teardown(() => { console.warn = warn; });
  const said: unknown[][] = [];
  const listening = (...words: unknown[]): void => { said.push(words); };
  console.warn = listening;
  const other = ["warning: Can't find string offset for section name '.text'", 'warning: the file is cut short'];
  await withoutNoteWarnings(async () => {
    for (const name of ['.note', '.note.1', '.note.100']) console.warn(`warning: Can't find string offset for section name '${name}'`);
    for (const sentence of other) console.warn(sentence, 1);
  });
  t.strictSame(said, other.map((sentence) => [sentence, 1]));
  t.equal(console.warn, listening, 'afterwards it is as it was');
  await t.rejects(withoutNoteWarnings(async () => { throw new Error('no room'); }), { message: 'no room' });
  t.equal(console.warn, listening);
});
