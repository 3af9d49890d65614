/** Text pieced together: hyphens at line ends, seams between scripts, markers of lists, numbers of headings, captions. */
import t from 'tap';
import { captionKind } from '../../src/convert/wording/captions.js';
import { joinLines } from '../../src/convert/structure/hyphenation.js';
import { markerOf, romanValue } from '../../src/convert/wording/markers.js';
import { numberingOf } from '../../src/convert/wording/numbering.js';
import { learnWords } from '../../src/convert/page/vocabulary.js';
import type { Vocabulary } from '../../src/convert/page/vocabulary.js';
import { line } from '../support/page-structures.js';

function joined(lines: string[], known: string[] = [], soft = false): string {
  const vocabulary: Vocabulary = new Map();
  for (const text of known) learnWords(vocabulary, `x ${text} x`);
  return joinLines(lines.map((text, index) => line(0, index * 12, text, { softHyphen: soft && index === 0 })), vocabulary).text;
}

t.test('hyphens at line ends', (t) => {
  t.equal(joined(['oversaturated gas at a tem-', 'perature below'], ['temperature']), 'oversaturated gas at a temperature below');
  t.equal(joined(['an inter-', 'national body']), 'an international body');
  t.equal(joined(['a time-', 'symmetric state'], ['time-symmetric']), 'a time-symmetric state', 'the document writes it with a hyphen');
  t.equal(joined(['well-', 'known people']), 'well-known people');
  t.equal(joined(['COVID-', '19 cases']), 'COVID-19 cases');
  t.equal(joined(['the Anglo-', 'Saxon chronicle']), 'the Anglo-Saxon chronicle');
  t.equal(joined(['state-of-the-', 'art engines']), 'state-of-the-art engines');
  t.equal(joined(['some-', 'thing else'], ['some thing']), 'something else', 'two known words may still be one');
  t.equal(joined(['river-', 'bank erosion'], ['river and bank']), 'river-bank erosion', 'a doubtful hyphen stays');
  t.equal(joined(['Wasser\u00ad', 'stand']), 'Wasserstand', 'a soft hyphen goes');
  t.equal(joined(['Wasser-', 'stand'], [], true), 'Wasserstand', 'and so does one the file marks as soft');
  t.equal(joined(['rekon-\u2010', 'struieren']), 'rekonstruieren', 'printed twice');
  t.equal(joined(['from 1990-', '2000 on']), 'from 1990-2000 on');
  t.equal(joined(['pp. 12\u2013', '19 of it']), 'pp. 12\u201319 of it');
  const french = ['les', 'des', 'dans', 'est'];
  t.equal(joined(['Où êtes-', 'vous ?'], french), 'Où êtes-vous ?', 'French inverts with a hyphen');
  t.equal(joined(['a lumi-', 'nous sky']), 'a luminous sky', 'English does not');
  t.end();
});

t.test('seams between lines', (t) => {
  t.equal(joined(['one line', 'and another']), 'one line and another');
  t.equal(joined(['これは最初の', '行です']), 'これは最初の行です', 'no space between ideographs');
  t.equal(joined(['用 Python', '写成']), '用 Python 写成');
  t.equal(joined(['丝绸。2023', '年，'.concat('版本')]), '丝绸。2023年，版本', 'a number follows without a space, and so does what follows it');
  t.equal(joined(['これは2024', '年の記録']), 'これは2024年の記録');
  t.equal(joined(['記録は年', '2024に始まる']), '記録は年2024に始まる');
  t.equal(joined(['この記録はPython', 'で書かれた']), 'この記録はPythonで書かれた', 'nor beside Latin letters');
  t.equal(joined(['全部用 Python', '写成，2023', '年']), '全部用 Python 写成，2023年', 'where the lines put one between them, there is one');
  t.equal(joined(['他说', '“好”', '就走了']), '他说“好”就走了');
  t.equal(joined(['这是用 C 写的，', 'Python 也行']), '这是用 C 写的，Python 也行', 'a mark as wide as an ideograph has its own white');
  t.equal(joined(['用 C 写成的程', '序很小，它说', '“Hello”']), '用 C 写成的程序很小，它说“Hello”');
  t.equal(joined(['他用 C 说', '“Hello”']), '他用 C 说“Hello”');
  t.equal(joined(['この本はJohn', 'Smith氏の本']), 'この本はJohn Smith氏の本', 'between Latin and Latin there is one');
  t.equal(joined(['the capital is called', '北京, which means the capital of the north']), 'the capital is called 北京, which means the capital of the north');
  t.equal(joined(['𠮷野', '家の牛丼']), '𠮷野家の牛丼');
  t.equal(joined(['これは𠮷', 'です']), 'これは𠮷です', 'ideographs of two code units');
  t.equal(joined(['see https://example.org/a/', 'b.html']), 'see https://example.org/a/b.html');
  const running = joinLines([line(0, 0, 'a link', { spans: [{ start: 2, end: 6, script: 'baseline', uri: 'https://example.org' }] }), line(0, 12, 'goes on')], new Map());
  t.same(running.spans, [{ start: 2, end: 6, script: 'baseline', uri: 'https://example.org' }]);
  t.same(running.starts, [0, 7]);
  t.end();
});

t.test('seams between Korean lines', (t) => {
  t.equal(joined(['우리는 오늘', '학교에 간다']), '우리는 오늘 학교에 간다');
  t.equal(joined(['우리는 대한민', '국의 역사를'], ['대한민국의']), '우리는 대한민국의 역사를', 'the document has the whole word');
  t.equal(joined(['우리는 한국', '사람을'], ['한국사람을', '사람을 만나는 사람을']), '우리는 한국 사람을', 'and its second half as often');
  t.equal(joined(['그는 학교', '에서 왔다']), '그는 학교에서 왔다', 'an ending is no word');
  t.equal(joined(['大韓民國', '만세']), '大韓民國 만세', 'beside an ideograph too');
  t.end();
});

t.test('markers of list items', (t) => {
  t.match(markerOf('• first'), { kind: 'bullet', text: '•', length: 2 });
  t.match(markerOf('- first'), { kind: 'bullet', text: '-' });
  t.equal(markerOf('-5 degrees'), null);
  t.match(markerOf('3. third'), { kind: 'number', text: '3.', value: 3, shape: '#.' });
  t.match(markerOf('(a) first'), { kind: 'letter', text: '(a)', value: 1 });
  t.match(markerOf('iv) fourth'), { kind: 'roman', value: 4 });
  t.match(markerOf('☑ done'), { kind: 'check', checked: true });
  t.match(markerOf('☐ open'), { kind: 'check', checked: false });
  t.equal(markerOf('2012 was a year'), null);
  t.equal(markerOf('(not a marker'), null);
  t.same(['i', 'iv', 'ix', 'xl', 'iiii', ''].map(romanValue), [1, 4, 9, 40, 0, 0]);
  t.end();
});

t.test('numbers of headings', (t) => {
  t.match(numberingOf('3.1 Apparatus'), { depth: 2, strong: true, values: [3, 1], length: 4 });
  t.match(numberingOf('2.2.1. Visible grades'), { depth: 3 });
  t.match(numberingOf('1 Introduction'), { depth: 1, kind: 'decimal' });
  t.match(numberingOf('IV. Results'), { kind: 'roman', values: [4] });
  t.match(numberingOf('Appendix A Proofs'), { kind: 'word', strong: true });
  t.match(numberingOf('B.2 Mixture of Experts'), { depth: 2, values: [2, 2] });
  t.match(numberingOf('A Contributions'), { kind: 'letter', bare: true });
  t.equal(numberingOf('A house by the sea'), null);
  t.equal(numberingOf('Results'), null);
  t.end();
});

t.test('captions by their words', (t) => {
  t.equal(captionKind('Figure 3.2. The north bank'), 'figure');
  t.equal(captionKind('FIGURE 1.5. A jacket'), 'figure');
  t.equal(captionKind('Fig. 4: Growth'), 'figure');
  t.equal(captionKind('Table 2: Results'), 'table');
  t.equal(captionKind('Tabelle 1 Ergebnisse'), 'table');
  t.equal(captionKind('Tableau 1 : Sections relevées'), 'table');
  t.equal(captionKind('Source: ILO (2022)'), 'source');
  t.equal(captionKind('Figure 3 shows that it grows'), null, 'a sentence about a figure');
  t.equal(captionKind('Tables Without Upright Lines'), null);
  t.equal(captionKind('Figures before tax.'), null);
  t.end();
});
