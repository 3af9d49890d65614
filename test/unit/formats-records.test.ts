/** Notebooks, calendars, cards, mailboxes and SubRip: by name or first bytes, with all their words. */
import t from 'tap';
import { detectFormat } from '../../src/convert/input/input-format.js';
import { markdownOf, readFormat } from '../support/read-format.js';

t.test('which files they are', (t) => {
  for (const [name, text, format] of [
    ['a.ipynb', '{}', 'ipynb'], ['a.ics', 'x', 'ics'], ['none', 'BEGIN:VCALENDAR\r\n', 'ics'], ['none', 'BEGIN:VCARD\n', 'vcf'], ['a.vcf', 'x', 'vcf'], ['a.srt', '1', 'vtt'],
    ['a.mbox', 'From a', 'email'], ['a.emlx', '12', 'email'], ['none', '{\\rtf1 x}', 'rtf'],
  ] as const) t.match(detectFormat(Buffer.from(text), name), { name: format, supported: true }, `${name} ${text}`);
  t.end();
});

t.test('notebooks', async (t) => {
  const notebook = {
    nbformat: 4, metadata: { language_info: { name: 'python' } }, cells: [
      { cell_type: 'markdown', source: ['# Tides\n', '\n', 'High *water*.'] },
      { cell_type: 'code', source: 'print(1)\n2', outputs: [
        { output_type: 'stream', text: ['1\n'] }, { output_type: 'execute_result', data: { 'text/plain': '2', 'text/html': '<table><tr><th>n<tr><td>2</table>' } },
        { output_type: 'display_data', data: { 'image/png': 'AAEC', 'text/plain': '<Figure>' } }, { output_type: 'error', traceback: ['\u001b[31mValueError\u001b[0m: no'] },
      ] },
      { cell_type: 'raw', source: 'as it is' },
    ],
  };
  t.equal(await markdownOf('ipynb', JSON.stringify(notebook)), '# Tides\n\nHigh *water*.\n\n```python\nprint(1)\n2\n```\n\n```\n1\n```\n\n| n |\n| - |\n| 2 |\n\n<!-- image -->\n\n```\nValueError: no\n```\n\nas it is');
  const { pictures } = await readFormat('ipynb', JSON.stringify(notebook));
  t.same([...(pictures[0]?.bytes() ?? [])], [0, 1, 2]);
  await t.rejects(readFormat('ipynb', 'no json'), { code: 'invalid_document' });
  await t.rejects(readFormat('ipynb', '[]'), { code: 'invalid_document' });
  await t.rejects(readFormat('ics', 'words'), { code: 'invalid_document' });
});

t.test('calendars and cards as files', async (t) => {
  t.equal(await markdownOf('ics', 'BEGIN:VCALENDAR\nX-WR-CALNAME:Club\nBEGIN:VEVENT\nSUMMARY:Row\nDTSTART:20270102T030000Z\nEND:VEVENT\nEND:VCALENDAR\n'), '# Club\n\n## Row\n\n**Time:** 2027-01-02 03:00 UTC');
  t.equal(await markdownOf('vcf', 'BEGIN:VCARD\nFN:Dora Poe\nEMAIL:d@x.example\nEND:VCARD\n'), '## Dora Poe\n\n**E-mail:** d@x.example');
});

t.test('mailboxes', async (t) => {
  const mailbox = 'From a@x.example Sat Jan  2 03:04:05 2027\nFrom: a@x.example\nSubject: One\n\nfirst\n>From here\n\nFrom b@x.example Sun Jan  3 03:04:05 2027\nFrom: b@x.example\nSubject: Two\n\nsecond\n';
  t.equal(await markdownOf('email', mailbox, 'a.mbox'), '## One\n\n**From:** a@x.example\n\nfirst\nFrom here\n\n## Two\n\n**From:** b@x.example\n\nsecond');
  const mail = 'From: a@x.example\nSubject: One\n\nwords\n';
  t.equal(await markdownOf('email', `${mail.length}\n${mail}<?xml version="1.0"?><plist/>`, 'a.emlx'), '# One\n\n**From:** a@x.example\n\nwords');
});

t.test('SubRip', async (t) => {
  t.equal(await markdownOf('vtt', '\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}A <i>grey</i> heron\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nwaits\r\n', 'a.srt'), 'A *grey* heron\n\nwaits');
  await t.rejects(readFormat('vtt', 'words', 'a.srt'), { code: 'invalid_document' });
});

t.test('calendars and cards that are not well-formed lose nothing', async (t) => {
  t.match(await markdownOf('vcf', 'BEGIN:VCARD\nFN:Anna\nNOTE:one\nNOTE:two\nBEGIN:VCARD\nFN:Bob\nEND:VCARD\nBEGIN:VCARD\nFN:Cleo\nEND:VCARD\n'), /## Anna\n\none\n\ntwo\n\n## Bob\n\n## Cleo/);
  t.match(await markdownOf('ics', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:One\nBEGIN:VEVENT\nSUMMARY:Two\nEND:VCALENDAR\nBEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Three\nEND:VEVENT\nEND:VCALENDAR\n'), /## One\n\n## Two\n\n## Three/);
  t.match(await markdownOf('vcf', 'BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=A9 日 é=\n=20x\nEND:VCARD\n'), /^## é 日 é x$/m);
  const many = `BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:${'ab=\n'.repeat(300_000)}end\nEND:VCARD\n`;
  const began = performance.now();
  t.match(await markdownOf('vcf', many), /ababab[^]*end/);
  t.ok(performance.now() - began < 5_000, 'a long value costs its length');
});

t.test('notebooks of format 3, and long runs of blanks', async (t) => {
  const old = { nbformat: 3, worksheets: [{ cells: [
    { cell_type: 'heading', level: 2, source: ['Tides'] },
    { cell_type: 'code', input: 'x', language: 'python', outputs: [{ output_type: 'pyout', text: '2', html: '<table><tr><th>n<tr><td>2</table>' }, { output_type: 'display_data', png: 'AAEC' }, { output_type: 'pyerr', traceback: ['no'] }] },
  ] }] };
  t.equal(await markdownOf('ipynb', JSON.stringify(old)), '## Tides\n\n```\nx\n```\n\n| n |\n| - |\n| 2 |\n\n<!-- image -->\n\n```\nno\n```');
  const began = performance.now();
  await markdownOf('ipynb', JSON.stringify({ nbformat: 4, cells: [{ cell_type: 'code', source: `${' '.repeat(300_000)}x`, outputs: [] }] }));
  t.ok(performance.now() - began < 5_000);
});
