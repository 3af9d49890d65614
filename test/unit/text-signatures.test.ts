/** Signatures of texts: which files they take, and in what time. */
import t from 'tap';
import { isManualPage } from '../../src/formats/text-signatures.js';

t.test('a manual page begins with its title, behind comments and definitions', async (t) => {
  for (const page of ['.TH PUMP 1\n', '.\\" Copyright\n.\\"\n.Dd May 1\n', '\n\'\\" t\n.ds x y\n..\n.TH A 1\n', '.\\" a\r\n.TH PUMP 1\r\n']) t.ok(isManualPage(page), JSON.stringify(page));
  for (const text of ['.so what,is\n1,2\n', '.so far so good\n\nText', '...\n\n.so it goes', '.. _name: https://a.example\n', '.TL\nTitle\n', 'a\n.TH b', '', '.TH\n']) t.notOk(isManualPage(text), JSON.stringify(text));
});

t.test('long heads cost no time', async (t) => {
  for (const line of ['.. _name1: https://example.org/some/path/1\n', '.\\" Copyright\n', '..\n', '\n', '.\n']) {
    const began = process.cpuUsage();
    isManualPage(`${line.repeat(400)}.TL\n`);
    t.ok(process.cpuUsage(began).user < 100_000, `${JSON.stringify(line)}: ${process.cpuUsage(began).user} us`);
  }
});
