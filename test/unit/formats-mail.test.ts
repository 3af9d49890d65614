/** Mail: character sets that nothing declares, flowed quotations, invitations, messages within messages; calendars and cards. */
import t from 'tap';
import { readCalendar, readCards } from '../../src/formats/calendar/read-calendar.js';
import { unflowed } from '../../src/formats/mail/mime-parts.js';
import { markdownOf, readFormat } from '../support/read-format.js';

const eml = (text: string | Uint8Array): Promise<string> => markdownOf('email', text, 'a.eml');

t.test('text without a declared character set', async (t) => {
  const bytes = Buffer.concat([Buffer.from('From: a@x.example\nSubject: '), Buffer.from('d7f1f2f0e5f7e0', 'hex'), Buffer.from('\nContent-Type: text/plain\n\n'), Buffer.from('c2f1f2f0e5f7e020e1f3e4e5f220e220f1f0e5e4f32e', 'hex'), Buffer.from('\n')]);
  t.match(await eml(bytes), 'Встреча будет в среду.');
  t.same((await readFormat('email', bytes, 'a.eml')).remarks, ['The file does not name its encoding. It was read as windows-1251, which is a guess from its bytes.']);
  t.match(await eml('From: a@x.example\nSubject: s\nContent-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: quoted-printable\n\nD=F3nde est=E1 la estaci=F3n\n'), 'Dónde está la estación');
  t.match(await eml(Buffer.from('\ufeffFrom: a@x.example\nSubject: Étroit\n\nmots larges\n', 'utf16le')), '# Étroit\n\n**From:** a@x.example\n\nmots larges');
  t.match(await eml('From: a@x.example\nContent-Type: text/html\n\n<meta charset=utf-8><p>déjà\n'), 'déjà');
});

t.test('quotations of plain text, flowed ones joined', async (t) => {
  t.equal(unflowed('one \ntwo\n> q \n> r\n>> s\n-- \nname', false), 'one two\n> q r\n>> s\n-- \nname');
  t.equal(unflowed('wo \nrd', true), 'word');
  t.equal(unflowed('> quoted \nanswer', false), '> quoted \nanswer', 'another depth is another line');
  t.match(await eml('From: a@x.example\nSubject: s\n\nHe wrote:\n> first\n> > deeper\n> \n> second\nYes.\n'), 'He wrote:\n\n> first\n>\n> > deeper\n>\n> second\n\nYes.');
});

const invitation = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Pump\\, repair\r\nLOCATION:Hall\r\n  7\r\nDTSTART;TZID=Europe/Oslo:20270504T101500\r\nDTEND:20270504T110000Z\r\nORGANIZER;CN="Low, Fay":mailto:fay@x.example\r\nATTENDEE:mailto:eli@x.example\r\nDESCRIPTION:Bring tools.\\n\\nAnd gloves.\r\nUID:machine-1\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nSUMMARY:Clean\r\nDUE;VALUE=DATE:20270506\r\nEND:VTODO\r\nEND:VCALENDAR\r\n';

t.test('invitations and messages within a message', async (t) => {
  const markdown = await eml(`From: a@x.example\nSubject: Outer\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nOuter words\n--b\nContent-Type: text/calendar\n\n${invitation}\n--b\nContent-Type: message/rfc822\n\nFrom: c@x.example\nSubject: Inner\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n> said\n--c\nContent-Type: message/rfc822\n\nSubject: Deep\n\ndeep words\n--c--\n--b--\n`);
  t.match(markdown, '# Outer\n\n**From:** a@x.example\n\nOuter words\n\n## Pump, repair\n\n**Time:** 2027-05-04 10:15 Europe/Oslo \u2013 2027-05-04 11:00 UTC\n\n**Place:** Hall 7\n\n**Organiser:** Low, Fay &lt;fay@x.example&gt;\n\n**Attendees:** eli@x.example\n\nBring tools.\n\nAnd gloves.');
  t.match(markdown, '## Clean\n\n**Time:** 2027-05-06');
  t.match(markdown, '## Inner\n\n**From:** c@x.example\n\n> said\n\n### Deep\n\ndeep words');
  t.notMatch(markdown, /machine-1|Attachments/);
});

t.test('every part once: a second text, one of two alternatives, a laid-out page as flow', async (t) => {
  const mail = (type: string, body: string): string => `From: a@x.example\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nFirst words\n--b\nContent-Type: ${type}\n\n${body}\n--b--\n`;
  t.equal(await eml(mail('text/plain', 'Second words')), '# s\n\n**From:** a@x.example\n\nFirst words\n\nSecond words');
  t.equal(await eml(mail('multipart/alternative; boundary=c', '--c\nContent-Type: text/plain\n\nplain pump\n--c\nContent-Type: text/html\n\n<p>rich <b>pump</b></p>\n--c--')), '# s\n\n**From:** a@x.example\n\nFirst words\n\nrich **pump**');
  t.equal(await eml('From: a@x.example\nSubject: s\nContent-Type: text/html\n\n<table><tr><td><table><tr><td>Dear all,</td></tr></table></td></tr><tr><td><p>It rained.</p></td></tr></table>'), '# s\n\n**From:** a@x.example\n\nDear all,\n\nIt rained.');
});

t.test('a header block written into plain text makes no heading of the lines above it', async (t) => {
  t.match(await eml('From: a@x.example\nSubject: s\n\nSee:\n-----\nFrom: b\n=====\n'), 'See:\n\\-----\nFrom: b\n\\=====');
});

t.test('cards of people', (t) => {
  const words = JSON.stringify(readCards('BEGIN:VCARD\nVERSION:3.0\nN:Poe;Dora;;;\nFN:Dora Poe\nORG:Reed Shop;Boots\nitem1.TEL;TYPE=WORK,VOICE:+47 1\nTEL;CELL:+47 2\nADR;TYPE=home:;;3 Mole St;York;;YO1;UK\nNOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:caf=C3=A9 =\n=C3=A0 midi\nEND:VCARD\nBEGIN:VCARD\nN:Ray;Eli\nEND:VCARD'));
  for (const expected of ['Dora Poe', 'Reed Shop \u2013 Boots', 'Telephone (work, voice):', '+47 1', 'Telephone (cell):', 'Address (home):', '3 Mole St, York, YO1, UK', 'café à midi', 'Ray, Eli']) t.match(words, expected);
  t.end();
});

t.test('calendars made to hurt', (t) => {
  const begin = performance.now();
  readCalendar(`BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n'.repeat(100_000)}SUMMARY:x\n${' y\n'.repeat(100_000)}`);
  t.ok(performance.now() - begin < 5000, 'in linear time');
  t.same(readCalendar('no calendar at all'), []);
  t.end();
});
