/** A book and a message with all that their readers know: sources of test/fixtures/formats. */
import { pixel } from './golden-office.js';
import { makeArchive } from './office-files.js';
import { makeMsg } from './outlook-message.js';

export function goldenEpub(): Uint8Array {
  const page = (body: string): string => `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title><script>alert('never run')</script></head><body>${body}</body></html>`;
  const opf = '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The pump book</dc:title><dc:creator>Ann Bell</dc:creator></metadata>'
    + '<manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="b" href="two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/><item id="i" href="img/a.png" media-type="image/png"/></manifest>'
    + '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>';
  return makeArchive({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OPS/book.opf': opf, 'OPS/img/a.png': pixel,
    'OPS/nav.xhtml': page('<nav><ol><li><a href="one.xhtml">One</a></li></ol></nav>'),
    'OPS/one.xhtml': page('<h1>One</h1><p>It was <em>cold</em>.<sup><a href="#n1">1</a></sup></p><ul><li>lid</li><li>rotor<ol><li>blade</li></ol></li></ul><figure><img src="img/a.png" alt=""/><figcaption>The pump</figcaption></figure><aside id="n1"><p>A note.</p></aside>'),
    'OPS/two.xhtml': page('<h1>Two</h1><table><tr><th>Month</th><th>Flow</th></tr><tr><td>May</td><td>4.5</td></tr></table><blockquote><p>Water is heavy.</p></blockquote><img src="https://spy.example/b.png"/>'),
  });
}

export function goldenMsg(): Uint8Array {
  const html = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1252"></head><body><p>Gr\u00fc\u00dfe,</p><ul><li>one</li><li>two</li></ul><p><img src="cid:logo@x"> <img src="http://spy.example/t.gif"></p><table><tr><th>Item</th><th>Price</th></tr><tr><td>Pump</td><td>12</td></tr></table></body></html>';
  return makeMsg({
    subject: 'Pr\u00fcfbericht', body: 'plain words that the other form repeats', html: Buffer.from(html, 'latin1'), sender: { name: 'J\u00f6rg Maas', address: 'joerg@maas.example' }, date: new Date('2025-03-04T08:30:00Z'),
    to: [{ name: 'Anna', address: 'anna@x.example' }, { name: 'bo@x.example', address: 'bo@x.example' }], cc: [{ name: 'Carl', address: 'carl@x.example' }],
    attachments: [
      { name: 'logo.png', mimetype: 'image/png', contentId: 'logo@x', bytes: pixel },
      // Past the small streams.
      { name: 'report.pdf', mimetype: 'application/pdf', bytes: Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(9000, 32)]) },
      { name: 'earlier mail', message: { subject: 'Earlier', body: 'What was said before.', sender: { name: 'Anna', address: 'anna@x.example' } } },
    ],
  });
}
