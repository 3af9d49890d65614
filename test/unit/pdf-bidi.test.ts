/** Lines as they stand on paper, in the order in which they are read: both right-to-left scripts, numbers, Latin words, brackets. */
import t from 'tap';
import { logicalOrder } from '../../src/pdf/bidi.js';

const isLetter = (sign: string): boolean => /[\u05d0-\u05ea\u0620-\u064a]/u.test(sign);

/** What is read where `paper` stands on a page, from left to right. `paper` has right-to-left words already turned. */
function read(paper: string, base: 0 | 1): string {
  const atoms: { text: string; space: boolean }[] = [];
  for (const sign of paper) {
    const last = atoms.at(-1);
    if (last !== undefined && isLetter(sign) && isLetter(last.text)) last.text = sign + last.text;
    else atoms.push({ text: sign, space: sign === ' ' });
  }
  return logicalOrder(atoms, base).map(({ text }) => text).join('');
}

/** `words` in the order in which they stand on paper; letters of each turned. */
const onPaper = (...words: string[]): string => words.map((word) => (/[\u05d0-\u05ea\u0620-\u064a]/u.test(word) ? word.replace(/[\u05d0-\u05ea\u0620-\u064a]+/gu, (letters) => [...letters].reverse().join('')) : word)).join(' ');

t.test('Hebrew', (t) => {
  t.equal(read(onPaper('הלקוח', '.(27.5%', 'של', 'עלייה)', '2023'), 1), '2023 (עלייה של 27.5%). הלקוח');
  t.equal(read(onPaper('לעומת', ',2024', 'בשנת', 'יחידות', '1,250', 'מכרה'), 1), 'מכרה 1,250 יחידות בשנת 2024, לעומת');
  t.equal(read(onPaper('.פעמיים', 'X-200', 'מוצר'), 1), 'מוצר X-200 פעמיים.');
  t.equal(read(onPaper('הזמין', '.Acme Corp', 'הלקוח'), 1), 'הלקוח Acme Corp. הזמין');
  t.equal(read(onPaper('לסיום', 'https://example.org/path?a=1', 'קישור'), 1), 'קישור https://example.org/path?a=1 לסיום');
  t.equal(read(onPaper('ועוד', '[12]', '(Acme', 'Ltd)', 'חברת'), 1), 'חברת (Acme Ltd) [12] ועוד');
  t.equal(read(onPaper('2024–2020', 'בשנים', '12/05/2024', 'ביום', '10:30', 'בשעה'), 1), 'בשעה 10:30 ביום 12/05/2024 בשנים 2020–2024');
  t.equal(read(onPaper('«שלום»', 'אמר'), 1), 'אמר «שלום»');
  t.equal(read(onPaper('2023', 'בשנת', 'Acme', '.1998'), 1), '1998. Acme בשנת 2023', 'a full stop behind white is no part of the Latin word before it');
  t.end();
});

t.test('Arabic', (t) => {
  t.equal(read(onPaper('.(اختبار)', 'الله'), 1), 'الله (اختبار).');
  t.equal(read(onPaper('مقابل', '،2024', 'عام', 'في', '١٢٥٠', 'باعت'), 1), 'باعت ١٢٥٠ في عام 2024، مقابل');
  t.equal(read(onPaper('؟٢٫٥', 'هل'), 1), 'هل ٢٫٥؟');
  t.equal(read(onPaper('انتهى', 'Acme 2024', 'شركة'), 1), 'شركة Acme 2024 انتهى');
  t.end();
});

t.test('right-to-left words in a line that is read from the left', (t) => {
  t.equal(read(onPaper('The', 'words', 'עולם', 'שלום', '(hello', 'world)', 'are', '2', 'of', '7.'), 0), 'The words שלום עולם (hello world) are 2 of 7.');
  t.equal(read(onPaper('Room', '12', '(שלום)', '5', '(עולם)', 'ends'), 0), 'Room 12 (שלום) 5 (עולם) ends');
  t.equal(read(onPaper('Ends', 'in', 'סוף', '(יפה)', '7', 'אמצע', 'here'), 0), 'Ends in אמצע 7 (יפה) סוף here');
  t.equal(read('Plain (text) of 2024, with 3 numbers.', 0), 'Plain (text) of 2024, with 3 numbers.');
  t.end();
});

t.test('brackets of files that name the sign that was written, not the one that is drawn', (t) => {
  t.equal(read(onPaper('הלקוח', ')27.5%', 'של', 'עלייה('), 1), '(עלייה של 27.5%) הלקוח');
  t.equal(read(onPaper('סוף', ')עלייה'), 1), 'עלייה) סוף', 'one alone closes before white');
  t.equal(read(onPaper('סוף', '(27.5%', 'של', 'עלייה('), 1), '(עלייה של 27.5%) סוף', 'one as drawn, one as written');
  t.end();
});

t.test('a line longer than any paper is wide is not gone through for each of its signs', (t) => {
  const signs = ['א', ...'1'.repeat(20_000)];
  let looks = 0;
  const atoms = signs.map((sign) => ({ get text() { looks += 1; return sign; }, space: false }));
  t.same(logicalOrder(atoms, 1).map(({ index }) => index), signs.map((_, at) => signs.length - 1 - at), 'every sign once');
  t.ok(looks <= 10 * signs.length, `${looks} comparisons of ${signs.length} signs`);
  t.end();
});
