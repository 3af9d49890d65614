/** Characters of made PDFs become words and lines: gaps, tracking, scripts, ligatures, accents, directions. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import type { Line, PageContent } from '../../src/pdf/index.js';
import { kernedText, line, paint, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import type { FontSpec, PageSpec } from '../support/pdf-writer.js';

async function read(content: string[], fonts: Record<string, string | FontSpec> = {}, page: Partial<PageSpec> = {}): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ pages: [{ ...page, content }], fonts }));
  try {
    return pdf.readPage(0);
  } finally {
    pdf.close();
  }
}

/** Words with spaces, or `·` where they are glued. */
const textOf = (words: Line) => words.words.map((word, index) => (index === 0 ? '' : word.glued ? '·' : ' ') + word.text).join('');
const linesOf = (page: PageContent) => page.lines.map(textOf);

t.test('words part at spaces and at gaps, never inside', async (t) => {
  const page = await read([
    text(72, 700, 12, 'plain words with spaces'),
    kernedText(72, 680, 12, ['set', -280, 'by', -220, 'gaps', -330, 'alone']),
    kernedText(72, 660, 12, ['T', 80, 'o', -40, 'k', -60, 'er', 30, 'n tightly']),
    text(72, 640, 12, 'L E T T E R S', { tracking: 1 }),
    text(72, 620, 12, 'tracked words stay whole', { tracking: 2.4 }),
    kernedText(72, 600, 12, ['A', -450, 'B', -450, 'S', -450, 'T', -450, 'R', -450, 'A', -450, 'C', -450, 'T']),
    kernedText(72, 580, 12, ['1', -500, '0', -500, '1', -500, '1', -500, '0', -500, '1']),
    kernedText(72, 560, 12, ['A', -450, 'B', -450, 'C', -450, 'D', -450, 'E', -450, 'F']),
    text(72, 540, 12, 'negative tracking is fine too', { tracking: -0.6 }),
    text(72, 520, 12, 'fixed pitch text', { font: 'Courier' }),
    text(72, 500, 12, 'very wide word spaces here', { wordSpacing: 9 }),
  ]);
  t.same(linesOf(page), [
    'plain words with spaces',
    'set by gaps alone',
    'Tokern tightly',
    'LETTERS',
    'tracked words stay whole',
    'ABSTRACT',
    '1 0 1 1 0 1',
    'A B C D E F',
    'negative tracking is fine too',
    'fixed pitch text',
    'very wide word spaces here',
  ]);
});

t.test('letters drawn one by one, in any order, make the same words', async (t) => {
  const letters = [...'one word after another'].map((letter, index) => text(72 + index * 7.2, 700, 12, letter, { font: 'Courier' }));
  t.same(linesOf(await read(letters)), ['one word after another']);
  t.same(linesOf(await read([...letters].reverse())), ['one word after another']);
});

t.test('font, size, colour and baseline part a word in glued pieces', async (t) => {
  const page = await read([
    text(72, 700, 12, 'H'), text(80.7, 697, 8, '2'), text(85.2, 700, 12, 'O is'),
    text(112, 700, 12, 'red', { color: 0xff0000 }), text(128.5, 700, 12, 'dish', { font: 'Helvetica-Bold' }),
    text(72, 650, 12, 'note'), text(95.5, 655, 7, '12'), text(106, 650, 12, 'goes on'),
  ]);
  t.same(linesOf(page), ['H·2·O is red·dish', 'note·12 goes on']);
  const [h, two, , , red, dish] = page.lines[0]!.words;
  t.equal(h?.size, 12);
  t.equal(two?.size, 8);
  t.ok((two?.baseline ?? 0) > (h?.baseline ?? 0) + 2, 'the subscript hangs lower');
  t.equal(red?.color, 0xff0000);
  t.equal(dish?.font.bold, true);
  t.equal(page.lines[0]?.size, 12);
  t.equal(page.lines[0]?.baseline, 92);
  t.equal(h?.box.left, 72);
  t.ok(Math.abs((h?.box.right ?? 0) - 80.664) < 0.01, 'boxes are as wide as the advance');
});

t.test('leader dots stand apart from title and page number', async (t) => {
  const page = await read([text(72, 700, 10, 'Title. . . . . . . .vii'), text(72, 680, 10, 'Other........12'), text(72, 660, 10, 'and so on...')]);
  t.same(linesOf(page), ['Title . . . . . . . . vii', 'Other ........ 12', 'and so on...']);
});

t.test('scripts do not tie lines together', async (t) => {
  const page = await read([
    text(72, 700, 10, 'first line with x'), text(135, 697, 7, 'i'),
    text(72, 688, 10, 'second line with y'), text(151.1, 692, 7, '2'),
  ]);
  t.same(linesOf(page), ['first line with x·i', 'second line with y·2']);
});

t.test('columns and cells part lines, justified text does not', async (t) => {
  const left = ['the left column', 'has some lines', 'of ragged text', 'in its narrow', 'column and so'];
  const right = ['and the right one', 'goes on beside it', 'with a gutter of', 'barely one em', 'in between them'];
  const content = left.map((words, index) => text(72 + (index % 2), 700 - index * 12, 10, words));
  const beside = right.map((words, index) => text(148, 700 - index * 12, 10, words));
  const page = await read([...content, ...beside]);
  t.same([...linesOf(page)].sort(), [...left, ...right].sort());

  const rows = ['a', 'b', 'c'].flatMap((name, index) => [text(72, 600 - index * 14, 10, `${name} cell`), text(140, 600 - index * 14, 10, '12.5'), text(190, 600 - index * 14, 10, '99')]);
  t.equal((await read(rows)).lines.length, 9);

  const justified = await read([text(72, 700, 10, 'one stretched out line of text', { wordSpacing: 6 }), text(72, 688, 10, 'another one in the same block', { wordSpacing: 2 })]);
  t.equal(justified.lines.length, 2);
});

t.test('a drawn wall parts cells that stand close together', async (t) => {
  const cells = [text(72, 700, 10, 'left'), text(92, 700, 10, 'right')];
  t.same(linesOf(await read(cells)), ['left right']);
  t.same(linesOf(await read([...cells, line(90, 690, 90, 715)])), ['left', 'right']);
  for (const [angle, x, y, dx, dy] of [[90, 0, 1, 12, 0], [180, -1, 0, 0, 12], [270, 0, -1, 12, 0]] as const) {
    const turned = [text(300, 300, 10, 'left', { angle }), text(300 + 20 * x, 300 + 20 * y, 10, 'right', { angle })];
    const [wx, wy] = [300 + 18 * x, 300 + 18 * y];
    t.same(linesOf(await read(turned)), ['left right'], `turned by ${angle}`);
    t.same(linesOf(await read([...turned, line(wx - dx, wy - dy, wx + dx, wy + dy)])), ['left', 'right'], `turned by ${angle}, with a wall`);
  }
});

t.test('several words spelt letter by letter are words again, labels and variables side by side are not', async (t) => {
  const alone = async (...content: string[]): Promise<string[]> => linesOf(await read(content)).sort();
  t.same(await alone(text(72, 700, 14, 'T H E   F I R S T   B O O K')), ['THE FIRST BOOK']);
  t.same(await alone(text(72, 700, 14, 'T H E   S E C O N D', { tracking: 3 })), ['THE SECOND']);
  t.same(await alone(text(72, 700, 14, 'V o r w o r t')), ['Vorwort']);
  t.same(await alone(text(72, 700, 14, 'T H E   E N D'), text(300, 700, 10, 'of the other column')), ['THE END', 'of the other column']);
  for (const words of ['A B C   D E F', 'x y z   a b k l', 'A   B', 'Vitamins A C E B D']) t.same(await alone(text(72, 700, 14, words)), [words.replace(/ +/g, ' ')]);
});

t.test('list markers and section numbers stay with their text', async (t) => {
  const items = ['First thing', 'Second thing', 'Third thing', 'Fourth thing'].flatMap((words, index) => [text(72, 700 - index * 12, 10, `${index + 1}.`), text(90, 700 - index * 12, 10, words)]);
  t.same(linesOf(await read(items)), ['1. First thing', '2. Second thing', '3. Third thing', '4. Fourth thing']);
  t.same(linesOf(await read([text(72, 700, 14, '2.1'), text(112, 700, 14, 'Title of a section'), text(72, 670, 10, 'and its text')])), ['2.1 Title of a section', 'and its text']);
  const rows = [0, 1, 2, 3].flatMap((row) => [text(72, 600 - row * 12, 10, `${row + 7}`), text(92, 600 - row * 12, 10, 'cell')]);
  t.equal((await read(rows)).lines.length, 8, 'numbers in a column stay in it');
});

t.test('ligatures, presentation forms and odd spaces are spelt out', async (t) => {
  const fonts = { F: { unicode: { 1: '\ufb03', 2: 'tt', 3: 'e', 4: '\u00a0', 5: '\u2009', 6: '\u200b', 7: '\u0133', 8: '\ufb01' }, widths: { 6: 0 } } };
  const page = await read([text(72, 700, 10, '\x03\x01\x03\x04\x03\x02\x03\x05\x07\x06\x08', { font: 'F' })], fonts);
  t.same(linesOf(page), ['effie ette ijfi']);
});

t.test('accents drawn over a letter become one with it, before or after', async (t) => {
  const page = await read([
    text(72, 700, 12, 'caf'), text(88, 700, 12, 'e'), text(89.3, 700, 12, '\xb4'),
    text(72, 680, 12, '\xa8'), text(71.6, 680, 12, 'u'), text(78.3, 680, 12, 'ber'),
    text(72, 660, 12, 'a ~ b ^ c'),
  ]);
  t.same(linesOf(page), ['café', 'über', 'a ~ b ^ c']);
});

t.test('accents that TeX raises over capitals or sets under letters stand with these, wherever the file has them', async (t) => {
  const page = await read([
    text(72, 700, 12, 'S'), text(80, 700, 12, 'lask and more of it'), text(74, 702.6, 12, '\xb4'),
    text(72, 660, 12, 'h'), text(73.6, 655, 12, '.'), text(79, 660, 12, 'ikma.'),
    text(72, 620, 12, 'k'), text(73, 611.5, 12, '\xaf'), text(78.5, 620, 12, 'af'),
  ]);
  t.same(linesOf(page), ['\u015alask and more of it', '\u1e25ikma.', '\u1e35af']);
});

t.test('combining marks compose', async (t) => {
  const page = await read([text(72, 700, 10, '\x01\x02', { font: 'F' })], { F: { unicode: { 1: 'e', 2: '\u0301' }, widths: { 2: 0 } } });
  t.equal(page.lines[0]?.words[0]?.text, 'é');
});

t.test('letters beyond U+FFFF are whole, though the engine gives their halves', async (t) => {
  const page = await read([text(72, 700, 10, '\x01(\x02)=\x03', { font: 'F' })], { F: { unicode: { 1: '\u{1d453}', 2: '\u{1d465}', 3: '\u{20bb7}', 40: '(', 41: ')', 61: '=' } } });
  t.same(linesOf(page), ['\u{1d453}(\u{1d465})=\u{20bb7}']);
  const half = await read([text(72, 700, 10, 'a\x01b', { font: 'F' })], { F: { unicode: { 1: '\ud835', 97: 'a', 98: 'b' } } });
  t.notMatch(linesOf(half)[0], /[\ud800-\udfff]/, 'half of one is nothing');
});

t.test('letters painted twice are read once, and bold', async (t) => {
  const twice = await read([text(72, 700, 12, 'heading'), text(72.3, 700, 12, 'heading'), text(72, 670, 12, 'llama aardvark')]);
  t.same(linesOf(twice), ['heading', 'llama aardvark']);
  t.equal(twice.lines[0]?.words[0]?.font.bold, true);
  t.equal(twice.lines[1]?.words[0]?.font.bold, false);
  const between = Array.from({ length: 8 }, (_, index) => text(300, 700 - index * 20, 12, `other ${index}`));
  const later = await read([text(72, 700, 12, 'heading'), ...between, text(72.3, 700, 12, 'heading')]);
  t.same(later.words.filter((word) => word.text === 'heading').map((word) => word.font.bold), [true], 'the repeat may come much later');
  const stroked = await read([text(72, 700, 12, 'heading', { mode: 2 })]);
  t.equal(stroked.words[0]?.font.bold, true);
});

t.test('hyphens at the end of a line are hyphens', async (t) => {
  const page = await read([text(72, 700, 10, 'a hyphen-'), text(72, 688, 10, 'ated word'), text(72, 660, 10, 'soft\xadly')]);
  t.same(linesOf(page), ['a hyphen-', 'ated word', 'soft-ly']);
  t.same(page.words.map((word) => word.softHyphen).includes(true), false);
});

t.test('symbol fonts: bullets and ticks are read as they appear', async (t) => {
  const dingbats: FontSpec = { base: 'Wingdings', flags: 4, unicode: { 1: '\uf0a7', 2: '\uf0fc', 3: '\uf0d8', 4: '\uf06c' } };
  const symbols: FontSpec = { base: 'SymbolMT', flags: 4, unicode: { 1: '\uf0b7', 2: '\uf061', 3: '\uf0b3' } };
  const icons: FontSpec = { base: 'Icons', unicode: { 1: '\ue900', 2: 'a', 3: 'b' } };
  const page = await read(
    [text(72, 700, 10, '\x01\x02\x03\x04', { font: 'W' }), text(72, 680, 10, '\x01\x02\x03', { font: 'S' }), text(72, 660, 10, '\x01', { font: 'I' }), text(72, 640, 10, '\x02\x01\x03', { font: 'I' })],
    { W: dingbats, S: symbols, I: icons },
  );
  t.same(linesOf(page), ['▪✓➢●', '•α≥', 'a\ufffdb'], 'an icon alone is dropped, a glyph inside a word leaves a trace');
});

t.test('right-to-left lines come in logical order, numbers and Latin inside them kept', async (t) => {
  const fonts: Record<string, FontSpec> = { A: { unicode: { 1: 'ש', 2: 'ל', 3: 'ו', 4: 'ם', 5: ' ', 6: '1', 7: '2', 8: 'P', 9: 'D' }, widths: { 5: 300 } } };
  // As painted, from the left: MLS PD 12 MVLS.
  const page = await read([text(72, 700, 12, '\x04\x02\x01\x05\x08\x09\x05\x06\x07\x05\x04\x03\x02\x01', { font: 'A' })], fonts);
  t.same(linesOf(page), ['שלום PD 12 שלם']);
  const ligature = await read([text(72, 700, 12, '\x02\x01\x02', { font: 'A' })], { A: { unicode: { 1: 'لا', 2: 'ب' } } });
  t.same(linesOf(ligature), ['بلاب']);
});

t.test('a right-to-left line is read from the right, its numbers, Latin words and brackets as they are meant', async (t) => {
  // Letters from `a` on stand for Hebrew ones, drawn as they stand on paper: from the left.
  const unicode = Object.fromEntries([...Array.from({ length: 26 }, (_, index) => [97 + index, String.fromCodePoint(0x5d0 + index)] as const), ...[...'0123456789.%()-X'].map((sign) => [sign.charCodeAt(0), sign] as const)]);
  const spec: FontSpec = { unicode, widths: Object.fromEntries(Object.keys(unicode).map((code) => [code, 500])) };
  const page = await read([text(72, 700, 12, '.(27.5% ba dc) 2023 X-200 fe', { font: 'F' })], { F: spec });
  t.same(linesOf(page), ['הו X-200 2023 (גד אב 27.5%).']);
});

t.test('right-to-left letters that are painted one by one from the left, or share the ink of one glyph, are read from the right', async (t) => {
  const alphabet = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [97 + index, String.fromCodePoint(0x5d0 + index)] as const));
  const spec: FontSpec = { unicode: { ...alphabet, 32: ' ' }, widths: Object.fromEntries([32, ...Object.keys(alphabet)].map((code) => [code, 500])) };
  // Two letters at a time in the order of reading, as the engine has turned them round, then all others in the order of painting.
  const letters = [...'dcba hgfe'].map((code, index) => text(72 + 7 * index, 700, 12, code, { font: 'F' }));
  t.same(linesOf(await read(letters, { F: spec })), ['הוזח אבגד']);
  const box = (width: number): string => `${width} 0 0 0 ${width} 700 d1 0 0 ${width} 700 re f`;
  const shared: FontSpec = { type3: { 1: box(600), 2: box(500), 3: box(500) }, unicode: { 1: 'لا', 2: 'س', 3: 'م' }, widths: { 1: 600, 2: 500, 3: 500 } };
  t.same(linesOf(await read([text(72, 700, 12, '\x03', { font: 'S' }), text(78, 700, 12, '\x01', { font: 'S' }), text(85.2, 700, 12, '\x02', { font: 'S' })], { S: shared })), ['سلام']);
  const latin = await read([text(30, 700, 12, 'The word', {}), text(84, 700, 12, 'dcba', { font: 'F' }), text(112, 700, 12, 'means peace', {})], { F: spec });
  t.same(linesOf(latin), ['The word אבגד means peace']);
});

t.test('turned and vertical text has its own direction', async (t) => {
  const vertical =
    '<</Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-V /DescendantFonts [<</Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 ' +
    '/CIDSystemInfo <</Registry (Adobe) /Ordering (Japan1) /Supplement 2>> /FontDescriptor <</Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 ' +
    '/FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80>>>>]>>';
  const page = await read(
    [text(100, 500, 10, 'going up', { angle: 90 }), text(200, 500, 10, 'going down', { angle: 270 }), text(300, 500, 10, 'on its head', { angle: 180 }), text(350, 500, 10, 'aslant here', { angle: 30 }), 'BT /V 12 Tf 500 700 Td <65E5672C8A9E> Tj ET'],
    { V: vertical },
  );
  const angles = Object.fromEntries(page.lines.map((words) => [textOf(words), words.angle]));
  t.same(angles, { 'going up': 90, 'going down': 270, 'on its head': 180, 'aslant here': 30, 日本語: 270 });
  const up = page.words.find((word) => word.text === 'going');
  t.ok(up !== undefined && up.box.bottom - up.box.top > up.box.right - up.box.left, 'the box of a turned word stands up');
});

t.test('signs painted one by one below each other are vertical text, a column of single signs in a table is none', async (t) => {
  const signs = [...'港の鐘は一時間に二度鳴る霧の朝も'];
  const fonts = { F: { unicode: Object.fromEntries(signs.map((sign, at) => [97 + at, sign])), widths: Object.fromEntries(signs.map((_, at) => [97 + at, 1000])) } };
  const stacked = (x: number, count: number, pitch: number): string[] => signs.slice(0, count).map((_, at) => text(x, 700 - at * pitch, 12, String.fromCharCode(97 + at), { font: 'F' }));
  const page = await read([...stacked(300, 12, 12), ...stacked(280, 3, 12)], fonts);
  t.same(page.lines.map((each) => [textOf(each), each.angle]), [[signs.slice(0, 12).join(''), 270], [signs.slice(0, 3).join(''), 270]]);
  t.ok((await read(stacked(300, 12, 20), fonts)).lines.every(({ angle }) => angle === 0), 'rows of a table are further apart');
  t.ok((await read(stacked(300, 5, 12), fonts)).lines.every(({ angle }) => angle === 0), 'a few may be anything');
});

t.test('a line without letter shapes that stands again a line below is there twice, one painted again in its place once', async (t) => {
  const song =
    '<</Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [<</Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 ' +
    '/CIDSystemInfo <</Registry (Adobe) /Ordering (GB1) /Supplement 0>> /FontDescriptor <</Type /FontDescriptor /FontName /STSong-Light /Flags 6 ' +
    '/FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 752 /Descent -271 /CapHeight 737 /StemV 58>>>>]>>';
  const place = '北京大学经济管理学院人力资源部';
  const shown = (x: number, y: number, signs: string): string => `BT /S 10 Tf ${x} ${y} Td <${[...signs].map((sign) => sign.codePointAt(0)!.toString(16).padStart(4, '0')).join('')}> Tj ET`;
  const rows = [0, 1, 2, 3].flatMap((row) => [text(72, 700 - 14 * row, 10, `Row ${row}`), shown(150, 700 - 14 * row, place)]);
  const page = await read(rows, { S: song });
  t.same(page.words.filter((word) => word.text === place).map(({ baseline }) => Math.round(baseline)).sort((a, b) => a - b), [92, 106, 120, 134], 'each on its row');
  t.same(linesOf(await read([shown(150, 700, place), shown(150.3, 700, place), shown(150, 700, place)], { S: song })), [place]);
});

t.test('soft hyphens are seen only where a line was broken at them', async (t) => {
  const mark = '0 0 0 0 0 0 d1';
  const letter = '600 0 0 0 500 700 d1 0 0 500 700 re f';
  const font: FontSpec = { type3: { 1: mark, 97: letter, 45: letter }, unicode: { 1: '\u00ad', 97: 'a', 45: '\u2010' }, widths: { 1: 0 } };
  const page = await read([text(72, 700, 10, 'aa\x01aa', { font: 'S' }), text(72, 680, 10, 'aaa\x01-', { font: 'S' }), text(72, 660, 10, 'aaa-', { font: 'S' })], { S: font });
  t.same(page.words.map((word) => [word.text, word.softHyphen]), [['aaaa', false], ['aaa‐', true], ['aaa‐', false]]);
});

t.test('a scanned line that leans a little is one upright line', async (t) => {
  const words = ['words', 'on', 'a', 'leaning', 'line'].map((word, index) => text([72, 101, 115, 123, 162][index]!, 700 + index * 0.5, 10, word, { angle: 0.7, mode: 3 }));
  const page = await read(words);
  t.same(linesOf(page), ['words on a leaning line']);
  t.equal(page.lines[0]?.angle, 0);
});

t.test('recognised text in a font without shapes has boxes', async (t) => {
  const page = await read([text(72, 700, 10, 'ab', { font: 'O', mode: 3 })], { O: { type3: { 97: '500 0 0 0 0 0 d1', 98: '500 0 0 0 0 0 d1' }, unicode: { 97: 'a', 98: 'b' }, widths: { 97: 500, 98: 500 } } });
  const [word] = page.words;
  t.match(word, { text: 'ab', invisible: true });
  t.ok(word !== undefined && word.box.bottom - word.box.top > 4 && word.box.right - word.box.left > 9);
});

t.test('a font whose letters all advance alike is a typewriter', async (t) => {
  const content = [text(72, 700, 10, 'int main(void) { return lit; }', { font: 'F' }), text(72, 680, 10, 'illiterate mammals toil')];
  const page = await read(content, { F: { base: 'Nameless' } });
  t.equal(page.words[0]?.font.monospace, true);
  t.equal(page.words.at(-1)?.font.monospace, false);
});

t.test('a bitmap font whose advances differ by a dot is a typewriter, one with narrow letters is none', async (t) => {
  const saying = 'a little writer tells it all at last';
  const fontOf = (widthOf: (letter: string) => number): FontSpec => {
    const letters = [...new Set(`${saying}v`)];
    const codeOf = (letter: string): number => letter.charCodeAt(0);
    return {
      type3: Object.fromEntries(letters.map((letter) => [codeOf(letter), `${widthOf(letter)} 0 0 0 400 700 d1${letter === ' ' ? '' : ' 0 0 300 700 re f'}`])),
      unicode: Object.fromEntries(letters.map((letter) => [codeOf(letter), letter])),
      widths: Object.fromEntries(letters.map((letter) => [codeOf(letter), widthOf(letter)])),
    };
  };
  const rounded = await read([text(72, 700, 10, saying, { font: 'T' })], { T: fontOf((letter) => (letter < 'j' ? 525 : 542)) });
  t.ok(rounded.words.every(({ font }) => font.monospace));
  const narrow = await read([text(72, 700, 10, saying, { font: 'T' })], { T: fontOf((letter) => ('itl'.includes(letter) ? 490 : 525)) });
  t.notOk(narrow.words.some(({ font }) => font.monospace));
  const odd = await read([text(72, 700, 10, `${saying} ${saying} ${saying} v`, { font: 'T' })], { T: fontOf((letter) => (letter === 'v' ? 600 : 525)) });
  t.ok(odd.words.every(({ font }) => font.monospace), 'one letter of a hundred advances otherwise');
  const beside = async (widthOf: (letter: string) => number): Promise<boolean[]> => {
    const page = await read([text(72, 700, 10, saying, { font: 'T' }), text(72, 680, 10, 'wit at', { font: 'S' })], { T: fontOf(() => 525), S: fontOf(widthOf) });
    return page.lines[1]!.words.map(({ font }) => font.monospace);
  };
  t.strictSame(await beside(() => 530), [true, true], 'few letters beside it that advance like it');
  t.strictSame(await beside(() => 490), [false, false], 'another pitch');
  t.strictSame(await beside((letter) => ('it'.includes(letter) ? 480 : 525)), [false, false], 'narrow ones');
});

t.test('the name of LaTeX, whose A is small and raised', async (t) => {
  const times = { font: 'Times-Roman' };
  const nameAt = (shift: number): string[] => [text(72, 700, 10, 'with', times), text(92.4, 700, 10, 'L', times), text(95 + shift, 701.9, 7, 'A', times), text(98.5, 700, 10, 'T', times), text(103, 697.7, 10, 'E', times), text(107.8, 700, 10, 'X', times), text(117.6, 700, 10, 'and', times)];
  t.same(linesOf(await read(nameAt(0))).map((each) => each.replaceAll('·', '')), ['with LATEX and']);
  t.notMatch(linesOf(await read(nameAt(40))).join('|').replaceAll('·', ''), 'LATEX', 'an A elsewhere is none of it');
});

t.test('type 3 glyphs have their size and place', async (t) => {
  const box = '600 0 0 0 500 700 d1 0 0 500 700 re f';
  const page = await read([text(72, 700, 10, 'AB BA', { font: 'T' })], { T: { type3: { 65: box, 66: box, 32: '600 0 0 0 0 0 d1' }, unicode: { 65: 'A', 66: 'B', 32: ' ' } } });
  t.same(linesOf(page), ['AB BA']);
  t.equal(page.words[0]?.size, 10);
  t.ok(Math.abs((page.words[0]?.box.top ?? 0) - 85) < 0.5);
  // All of the scale in the glyphs, as some makers do: a font of size 1 with letters 7 points high.
  const large = '6 0 0 0 5 7 d1 0 0 5 7 re f';
  const drawn = await read([text(72, 700, 1, 'ABBA', { font: 'T' })], { T: { type3: { 65: large, 66: large }, unicode: { 65: 'A', 66: 'B' }, matrix: [1, 0, 0, 1, 0, 0], widths: { 65: 6, 66: 6 } } });
  t.same(linesOf(drawn), ['ABBA']);
  t.ok(Math.abs((drawn.words[0]?.size ?? 0) - 10) < 0.1, `size ${drawn.words[0]?.size}`);
});

t.test('the text that marked content stands for replaces what is drawn', async (t) => {
  const page = await read(['/Span <</ActualText <FEFF00660069>>> BDC', text(72, 680, 10, 'F'), 'EMC', text(78.2, 680, 10, 'nd')]);
  t.same(linesOf(page), ['find']);
});

t.test('underlines and strokes through words are marks, not rulings', async (t) => {
  const page = await read([
    text(72, 700, 10, 'see this link here'), line(91.5, 698.5, 107.5, 698.5, { lineWidth: 0.6 }),
    text(72, 660, 10, 'wrong right'), line(72, 663.5, 98, 663.5, { lineWidth: 0.6 }),
    text(72, 620, 10, 'a table head'), line(60, 616.5, 300, 616.5, { lineWidth: 0.6 }),
  ]);
  const marked = (mark: 'underline' | 'strike') => page.words.filter((word) => word[mark]).map((word) => word.text);
  t.same(marked('underline'), ['this']);
  t.same(marked('strike'), ['wrong']);
  t.equal(page.rulings.length, 1);
});

t.test('the bar of a root underlines nothing in the line above', async (t) => {
  const root: FontSpec = { base: 'CMSY10', unicode: { 97: '√' }, widths: { 97: 800 } };
  const bar = line(80, 697.5, 90, 697.5, { lineWidth: 0.4 });
  const above = text(72, 700, 10, 'a bb line above it');
  const with1 = await read([above, text(72, 690, 10, 'a', { font: 'R' }), text(80.2, 690, 10, '2x and more'), bar], { R: root });
  t.same([with1.words.filter(({ underline }) => underline).length, with1.rulings.length], [0, 1]);
  const without = await read([above, text(60, 690, 10, '2x and more'), bar]);
  t.same([without.words.filter(({ underline }) => underline).length, without.rulings.length], [1, 0]);
});

t.test('words know their painting order and their marked content', async (t) => {
  const page = await read([text(72, 600, 10, 'painted first'), text(72, 700, 10, 'painted second'), '/P <</MCID 7>> BDC', text(72, 500, 10, 'tagged'), 'EMC']);
  t.same(page.words.map((word) => word.text), ['painted', 'first', 'painted', 'second', 'tagged']);
  t.equal(new Set(page.words.map((word) => word.order)).size, 5);
  t.same(page.words.map((word) => word.mcid), [-1, -1, -1, -1, 7]);
  t.equal(page.characters, 31);
  t.equal(paint('0 0 m', { stroke: 0 }).includes('S'), true);
});

t.test('a letter as tall as two lines is a script of neither: each of them is a line', async (t) => {
  const page = await read([text(72, 688, 26, 'D'), text(91, 700, 10, 'er Zug hielt an einem Bahnhof, der keiner war'), text(91, 688, 10, 'ein Steg aus Bohlen und eine Laterne'), text(72, 676, 10, 'und ein Schild, auf dem der Name stand')]);
  t.same(linesOf(page).sort(), ['D', 'ein Steg aus Bohlen und eine Laterne', 'er Zug hielt an einem Bahnhof, der keiner war', 'und ein Schild, auf dem der Name stand']);
  const formula = await read([text(72, 688, 26, 'D'), text(91, 700, 10, 'n'), text(91, 684, 10, 'ij'), text(110, 688, 26, '= E')]);
  t.same(linesOf(formula).length, 1, 'scripts are');
});
