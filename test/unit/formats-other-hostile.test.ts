/** Manual pages, notes, DocTags, reports and subtitles that are made to take long, to overflow the stack, or to be misread. */
import tap from 'tap';
import { markdownOf, readFormat } from '../support/read-format.js';

/** Milliseconds: each takes far less; what these inputs did before took many times as long. */
const longest = 4000;

tap.test('macros and strings that expand to much or to nothing end with a loss', async (t) => {
  const macros = Array.from({ length: 7 }, (_, level) => `.de M${level}\n${`.M${level + 1}\n`.repeat(20)}..\n`).join('');
  const strings = Array.from({ length: 8 }, (_, level) => `.ds S${level} ${`\\*(S${level + 1}`.repeat(20)}\n`).join('');
  const pages = [`${macros}.de M7\n..\n.M0\n`, `${strings}\\*(S0\n`, `.de A\n${'\\\\$*\\\\$*\\\\$*\n'.repeat(1000)}..\n.A ${'x'.repeat(100_000)}\n`];
  for (const page of pages) {
    const begin = performance.now();
    const { losses } = await readFormat('man', `.TH X 1\n.SH NAME\nwords\n${page}`);
    t.match(losses, [/^The macros and strings of the page make more than/]);
    t.ok(performance.now() - begin < longest, page.slice(0, 20));
  }
});

tap.test('what nests deep, or is long, overflows no stack', async (t) => {
  t.match(await markdownOf('man', `.TH X 1\n.SH NAME\n${'.RS\n.IP x\ny\n'.repeat(4000)}`), /y/);
  t.match((await readFormat('man', `.TH X 1\n.SH NAME\nwords\n${'.if n '.repeat(9000)}end\n`)).losses, [/^Conditions of the page/]);
  t.match((await readFormat('man', `.TH X 1\n.SH NAME\nwords\n${'.if n \\{\n'.repeat(9000)}end\n`)).losses, [/^Conditions of the page/]);
  const levels = Array.from({ length: 3000 }, (_, level) => [String(level), ['list', `bullet${level + 1}`]] as const);
  const attribs = levels.map(([key]) => `*${Number(key).toString(36)}+3`).join('');
  t.match(await markdownOf('boxnote', JSON.stringify({ atext: { text: '*a\n'.repeat(3000), attribs }, pool: { numToAttrib: Object.fromEntries(levels) } })), /a/);
  t.equal((await markdownOf('boxnote', JSON.stringify({ doc: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'word', marks: [null, { type: 'strong' }] }] }] } }))).trim(), '**word**');
  t.ok(await readFormat('doctags', `<doctag><text><inline>${'<formula>x</formula>'.repeat(60_000)}</inline></text></doctag>`));
});

tap.test('patterns look at each character a few times at most', async (t) => {
  const xbrl = (body: string): string => `<?xml version="1.0"?><xbrl xmlns="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi" xmlns:p="urn:p"><context id="c"><entity><identifier scheme="x">1</identifier></entity><period><instant>2026-01-01</instant></period></context><p:Note contextRef="c">${body}</p:Note></xbrl>`;
  const spaces = ' '.repeat(80_000);
  const inputs: [string, string][] = [
    ['vtt', `[Script Info]\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,${'{'.repeat(160_000)}\n`], ['xml_xbrl', xbrl('&lt;a '.repeat(80_000))], ['boxnote', JSON.stringify({ atext: { text: 'word', attribs: '*1'.repeat(80_000) } })],
    ['doctags', `<doctag><code>a${spaces}b</code></doctag>`], ['man', `.TH X 1\n.SH NAME\n.nf\na${spaces}b\n.fi\n`], ['man', `.TH X 1\n.SH NAME\n${'.de A\n..\n.TS\nl.\nx\n.TE\n'.repeat(8000)}`],
  ];
  for (const [format, text] of inputs) {
    const begin = performance.now();
    await readFormat(format, text);
    const took = performance.now() - begin;
    t.ok(took < longest, `${format}: ${Math.round(took)} ms`);
  }
});
