/** Texts that do not name their encoding: the right letters, and a remark that says which encoding was guessed. */
import t from 'tap';
import { writeMarkdown } from '../../src/document/markdown.js';
import { decode } from '../../src/formats/text-encoding.js';
import { markdownOf, readFormat } from '../support/read-format.js';

/** The WHATWG name, a text, and its bytes as Python's codecs write them. */
const texts: [encoding: string, text: string, hexadecimal: string][] = [
  ['Shift_JIS', '氏名,所属,電話\n鈴木一郎,営業部,内線三番\n田中美咲,経理部,内線七番\n', '8e8196bc2c8f8a91ae2c936498620a97e996d888ea98592c89638bc695942c93e090fc8e4f94d40a9363928694fc8de72c8c6f979d95942c93e090fc8eb594d40a'],
  ['windows-1253', 'Τίτλος;Σελίδες\nΟδύσσεια;τριακόσιες\nΙλιάδα;πεντακόσιες\n', 'd4dff4ebeff23bd3e5ebdfe4e5f20acfe4fdf3f3e5e9e13bf4f1e9e1eafcf3e9e5f20ac9ebe9dce4e13bf0e5edf4e1eafcf3e9e5f20a'],
  ['windows-1254', 'Öğrenciler İzmir şehrinde büyük bir kütüphane açtı, çalışmalar sürüyor.', 'd6f072656e63696c657220dd7a6d697220fe656872696e64652062fc79fc6b20626972206bfc74fc7068616e652061e774fd2c20e7616cfdfe6d616c61722073fc72fc796f722e'],
  ['windows-1255', 'הספר הזה מספר על ילד אחד שגר ליד הים.', 'e4f1f4f820e4e6e420eef1f4f820f2ec20e9ece320e0e7e320f9e2f820ece9e320e4e9ed2e'],
  ['ISO-8859-2', 'Król śpi, a źdźbło trawy rośnie wśród łąk i pól.', '4b72f36c20b670692c206120bc64bc62b36f20747261777920726fb66e69652077b672f36420b3b16b20692070f36c2e'],
  ['GBK', '编号,名称\n一,茶叶包装\n二,瓷器餐具\n', 'b1e0bac52cc3fbb3c60ad2bb2cb2e8d2b6b0fcd7b00ab6fe2cb4c9c6f7b2cdbedf0a'],
  ['EUC-KR', '제목,저자\n봄날의 강,박영희\n', 'c1a6b8f12cc0fac0da0ababdb3afc0c720b0ad2cb9dabfb5c8f10a'],
  ['IBM866', 'Протокол заседания комиссии, принято единогласно.', '8fe0aee2aeaaaeab20a7a0e1a5a4a0ada8ef20aaaeaca8e1e1a8a82c20afe0a8adefe2ae20a5a4a8adaea3aba0e1adae2e'],
  ['KOI8-U', 'Письмо пришло вчера вечером, ответа пока нет.', 'f0c9d3d8cdcf20d0d2c9dbcccf20d7dec5d2c120d7c5dec5d2cfcd2c20cfd4d7c5d4c120d0cfcbc120cec5d42e'],
  ['Big5', '編號,名稱\n一,台灣茶葉\n二,繁體書籍\n', 'bd73b8b92ca657bad90aa4402ca578c657aff9b8ad0aa4472cc163c5e9aed1c4790a'],
  ['windows-1252', 'Ñandú y cigüeña; café à la carte\n', 'd1616e64fa207920636967fc65f1613b20636166e920e0206c612063617274650a'],
  ['utf-16le', '題名,頁数\n山の本,二百\n', '4c980d542c00019870650a00715c6e302c672c008c4e7e760a00'],
  ['utf-16be', 'Заголовок текста\n', '041704300433043e043b043e0432043e043a002004420435043a044104420430000a'],
];

for (const [encoding, text, hexadecimal] of texts) {
  t.test(encoding, async (t) => {
    const bytes = Buffer.from(hexadecimal, 'hex');
    t.same(decode(bytes), { text, guessed: encoding });
    const { document, remarks, losses } = await readFormat('md', bytes, 'note.txt');
    t.equal([...writeMarkdown(document)].join(''), text.trim());
    t.same(remarks, [`The file does not name its encoding. It was read as ${encoding}, which is a guess from its bytes.`]);
    t.same(losses, []);
  });
}

t.test('nothing is guessed where the bytes or a declaration say it', async (t) => {
  t.same(decode(Buffer.from('Grüße, 你好')), { text: 'Grüße, 你好', guessed: null });
  t.same(decode(Buffer.from([0xff, 0xfe, 0x61, 0])), { text: 'a', guessed: null });
  t.same(decode(Buffer.from('b3f3dfea', 'hex'), 'iso-8859-2'), { text: 'łóßę', guessed: null });
  t.same(decode(Buffer.from('no letter past ASCII')), { text: 'no letter past ASCII', guessed: null });
});

t.test('zeros of a program are no UTF-16, and neither is a stray zero', async (t) => {
  t.equal(decode(Buffer.from('plain \0text, of an even length')).guessed, null);
  await t.rejects(readFormat('md', Buffer.from('7f454c460201010000000000000000000300 3e0001000000'.replace(' ', ''), 'hex'), 'program.txt'), { code: 'invalid_document' });
});

t.test('tab-separated values by their name, whatever else is in them', async (t) => {
  t.equal(await markdownOf('csv', 'name\tnote\nAnn\ta, b, c\nBo\td, e, f\n', 'people.tsv'), '| name | note |\n| - | - |\n| Ann | a, b, c |\n| Bo | d, e, f |');
  t.equal(await markdownOf('csv', 'a,b\n', 'one.tsv'), '| a,b |\n| - |', 'no comma is sought under that name');
});

t.test('letters far behind a beginning of ASCII, and UTF-8 with a few damaged bytes', (t) => {
  const ascii = 'a line of letters\n'.repeat(20_000);
  const text = 'Слова, которые стоят в конце длинного файла, тоже читаются.\n';
  const windows1251 = (letters: string): Buffer => Buffer.from([...letters].map((letter) => (letter >= 'А' && letter <= 'я' ? letter.charCodeAt(0) - 0x410 + 0xc0 : letter.charCodeAt(0))));
  t.same(decode(Buffer.concat([Buffer.from(ascii), windows1251(text)])), { text: ascii + text, guessed: 'windows-1251' });
  t.same(decode(Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from(text)])), { text: `${text}\ufffd${text}`, guessed: 'UTF-8' });
  t.end();
});
