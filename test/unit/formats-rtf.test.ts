/** RTF as mail holds it: packed by a packer written here from the published layout, made from pages, from plain text, or written as it is. */
import t from 'tap';
import { pageOfRtf, rtfOrigin, textOfRtf } from '../../src/formats/rtf/encapsulated-html.js';
import { readRtf } from '../../src/formats/rtf/read-rtf.js';
import { unpackRtf } from '../../src/formats/rtf/compressed-rtf.js';
import { pixel } from '../support/golden-office.js';
import { makeMsg } from '../support/outlook-message.js';
import { packRtf } from '../support/packed-rtf.js';
import { markdownOf, readFormat } from '../support/read-format.js';

const most = 1_000_000;
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

t.test('packed text: the examples of the specification, and what is packed here', async (t) => {
  const hello = Buffer.from('2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0', 'hex');
  t.equal(Buffer.from(unpackRtf(hello, most)).toString('latin1'), '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n');
  const repeated = Buffer.from('1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0', 'hex');
  t.equal(Buffer.from(unpackRtf(repeated, most)).toString('latin1'), '{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}');
  let seed = 7;
  const long = Buffer.from(Array.from({ length: 30_000 }, (_, index) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return index % 3000 < 1000 ? seed % 5 : seed % 251;
  }));
  for (const compress of [true, false]) {
    const made = packRtf(long, compress);
    t.ok(Buffer.from(unpackRtf(made, most)).equals(long), compress ? `${made.length} bytes for ${long.length}` : 'stored');
  }
  t.ok(packRtf(latin('\\par \\pard'.repeat(500)), true).length < 1500, 'the packer does pack');
});

t.test('damaged and lying packed text', async (t) => {
  const made = packRtf(latin('{\\rtf1 words and words and words}'), true);
  for (let length = 0; length < made.length; length++) t.throws(() => unpackRtf(made.subarray(0, length), most), { code: 'invalid_document' });
  const changed = Buffer.from(made);
  changed.writeUInt8(changed[20]! ^ 1, 20);
  t.throws(() => unpackRtf(changed, most), { code: 'invalid_document' });
  t.throws(() => unpackRtf(made, 10), { code: 'too_large' });
  const boastful = Buffer.from(made);
  boastful.writeUInt32LE(most - 1, 4);
  t.equal(Buffer.from(unpackRtf(boastful, most)).toString('latin1'), '{\\rtf1 words and words and words}');
});

/** As Outlook keeps a page: markup in groups, what RTF needs between `\htmlrtf` and `\htmlrtf0`. */
const page = latin('{\\rtf1\\ansi\\ansicpg1252\\fromhtml1 \\fbidis \\deff0{\\fonttbl\r\n{\\f0\\fswiss\\fcharset0 Arial;}{\\f1\\fmodern\\fcharset204 Courier;}{\\f2\\fnil\\fcharset128 Gothic;}}\r\n{\\colortbl;\\red0\\green0\\blue0;}\r\n\\uc1\\pard\\plain\\deftab360 \\f0\\fs24 '
  + '\r\n{\\*\\htmltag19 <html>}\\htmlrtf \\b \\htmlrtf0 {\\*\\htmltag34 <head>\\par <title>t</title></head>}{\\*\\htmltag50 <body>}\\htmlrtf {\\htmlrtf0 '
  + '{\\*\\htmltag64 <p class="a \\{b\\}">}\\htmlrtf \\par {\\htmlrtf0 Gr\\\'fc\\\'dfe, {\\*\\htmltag84 <b>}\\htmlrtf {\\b \\htmlrtf0 1 {\\*\\htmltag84 &lt;}\\htmlrtf <\\htmlrtf0  2{\\*\\htmltag92 </b>}\\htmlrtf }\\htmlrtf0 '
  + '{\\*\\htmltag84 &nbsp;}\\htmlrtf \\\'a0\\htmlrtf0 \\f1\\\'ef\\\'f0\\\'e8\\\'e2\\\'e5\\\'f2\\f0  \\u8364?5 \\f2\\\'82\\\'b1\\\'82\\\'cc\\f0 {\\*\\mhtmltag84 <img>}\\lquote x\\rquote {\\*\\htmltag72 </p>}\\htmlrtf }\\htmlrtf0 \\htmlrtf }\\htmlrtf0 '
  + '{\\*\\htmltag64 <ul><li>}one{\\*\\htmltag64 </li></ul>}{\\*\\htmltag58 </body></html>}}\0');

t.test('a page that is kept as RTF', async (t) => {
  t.equal(rtfOrigin(page), 'html');
  t.equal(pageOfRtf(page).replace(/\0|\r\n/g, ''), '<html><head><title>t</title></head><body><p class="a {b}">Gr\u00fc\u00dfe, <b>1 &lt; 2</b>&nbsp;\u043f\u0440\u0438\u0432\u0435\u0442 \u20ac5 \u3053\u306e\u2018x\u2019</p><ul><li>one</li></ul></body></html>');
  const mail = makeMsg({ subject: 'Kept', rtf: packRtf(page, true), sender: { name: 'A', address: 'a@x.example' } });
  t.equal(await markdownOf('email', mail, 'a.msg'), '# Kept\n\n**From:** A &lt;a@x.example&gt;\n\nGr\u00fc\u00dfe, **1 &lt; 2**\u00a0\u043f\u0440\u0438\u0432\u0435\u0442 \u20ac5 \u3053\u306e\u2018x\u2019\n\n- one');
});

t.test('plain text that is kept as RTF', async (t) => {
  const rtf = latin('{\\rtf1\\ansi\\ansicpg1250\\fromtext \\fbidis \\deff0{\\fonttbl{\\f0\\fswiss Arial;}}\\uc1\\pard\\plain\\f0\\fs20 P\\\'f8\\\'edli\\\'9a a\\\\b \\{x\\}\\par\r\n\\par\r\nsecond\\tab line\\par\r\n}');
  t.equal(rtfOrigin(rtf), 'text');
  t.equal(textOfRtf(rtf), 'P\u0159\u00edli\u0161 a\\b {x}\n\nsecond\tline\n');
  t.equal(await markdownOf('email', makeMsg({ subject: 'T', rtf: packRtf(rtf, true) }), 'a.msg'), '# T\n\nP\u0159\u00edli\u0161 a\\b {x}\n\nsecond line');
});

const written = `{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}{\\f3\\fcharset2 Symbol;}}{\\stylesheet{\\s1 heading 1;}}{\\info{\\title hidden}}{\\*\\generator x;}
{\\header running head}\\pard\\outlinelevel0 Report\\par\\pard Plain, {\\b bold}, {\\i slanted {\\b both}} and \\b on\\b0  off\\super 2\\nosupersub ; {\\v unseen}x{\\field{\\*\\fldinst{HYPERLINK "https://x.example/a b"}}{\\fldrslt{\\ul the link}}}.\\par
{\\listtext\\f3\\'b7\\tab}\\ilvl0 first\\par{\\listtext 1.\\tab}\\ilvl1 inner\\par{\\listtext 2.\\tab}inner two\\par{\\pntext\\f3\\'b7\\tab}\\ilvl0 second\\par{\\listtext 7.\\tab}counted\\par\\pard
\\trowd\\cellx1000\\cellx2000\\pard\\intbl Name\\cell Size\\cell\\row\\trowd\\cellx1000\\cellx2000\\pard\\intbl Pump\\par Mark II\\cell {\\b 12}\\cell\\row
\\trowd\\pard\\intbl\\itap2 a\\nestcell b\\nestcell{\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}\\pard\\intbl\\itap1 under\\cell last\\cell\\row
\\pard After{\\footnote\\pard{\\chftn} the {\\i note}\\par} the note\\line next line\\par{\\*\\shppict{\\pict\\pngblip\\picw1 ${pixel.toString('hex')}}}{\\nonshppict{\\pict\\wmetafile8 0100}}\\par
{\\pict\\wmetafile8\\bin4 \\}{\\}end\\par}`;

t.test('a text that was written as RTF', async (t) => {
  const mail = makeMsg({ subject: 'W', rtf: packRtf(latin(written), true), body: 'the same without its looks' });
  t.equal(await markdownOf('email', mail, 'a.msg'), [
    '# W', '## Report', 'Plain, **bold**, *slanted* ***both*** and **on** off²; x[the link](https://x.example/a%20b).', '- first\n    1. inner\n    2. inner two\n- second', '7. counted',
    '| Name | Size |\n| - | - |\n| Pump Mark II | **12** |\n| <table><tr><td>a</td><td>b</td></tr></table>  under | last |', 'After the note\nnext line', '<!-- image -->', 'end', 'the *note*',
  ].join('\n\n'));
  const { pictures } = await readFormat('email', mail, 'a.msg');
  t.ok(Buffer.from(pictures[0]!.bytes()).equals(pixel));
});

t.test('bad RTF', async (t) => {
  t.throws(() => readRtf(latin('{'.repeat(10_000))), { code: 'too_large' });
  for (let length = 0; length < written.length; length += 3) readRtf(latin(written.slice(0, length)));
  t.same(readRtf(latin('}}}\\par\\u99999999 \\bin999999999 x')), readRtf(latin(`\\u${99999999}`)));
  t.match(readRtf(latin('{\\listtext 1.}\\ilvl-5 entry\\par\\outlinelevel-3 words\\par')), [{ kind: 'list' }, { kind: 'paragraph' }], 'no level is below the first');
  const broken = packRtf(latin(written), true).subarray(0, 200);
  t.match(await markdownOf('email', makeMsg({ subject: 'B', rtf: broken, body: 'plain words' }), 'a.msg'), /plain words/, 'the plain form stands for it');
  await t.rejects(readFormat('email', makeMsg({ subject: 'B', rtf: broken }), 'a.msg'), { code: 'invalid_document', message: /RTF/ });
});

t.test('a note within a note, and in a text box: every word stays where it is', async (t) => {
  const markdown = await markdownOf('rtf', latin('{\\rtf1 Line {\\footnote NOTE {\\*\\annotation COMMENT} REST} end\\par {\\shptxt BOX {\\footnote INNER} MORE} after\\par}'));
  for (const word of ['NOTE', 'COMMENT', 'REST', 'BOX', 'INNER', 'MORE']) t.equal(markdown.split(word).length, 2, word);
  t.match(markdown, /^Line\s+end$/m);
  t.match(markdown, /NOTE\s+REST/);
});
