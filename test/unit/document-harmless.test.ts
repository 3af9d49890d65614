/** Nothing that strangers wrote is run by what renders the outputs: judged by a renderer of markdown that allows everything, and by what browsers read of addresses. */
import MarkdownIt from 'markdown-it';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import t, { type Test } from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeHtml } from '../../src/document/html.js';
import { writeMarkdown, type MarkdownOptions } from '../../src/document/markdown.js';
import { isScript } from '../../src/document/safe-addresses.js';
import { growthOf } from '../support/growth.js';

const renderer = new MarkdownIt({ html: true });
renderer.validateLink = () => true;

/** Elements and addresses of a page; addresses by the scheme that a browser finds. */
function found(html: string): { names: Set<string>; schemes: Set<string> } {
  const [names, schemes] = [new Set<string>(), new Set<string>()];
  const visit = (node: DefaultTreeAdapterTypes.ParentNode): void => {
    for (const child of node.childNodes) {
      if (!('tagName' in child)) continue;
      names.add(child.tagName);
      for (const { name, value } of child.attrs) {
        if (name.startsWith('on')) names.add(name);
        if (name === 'href' || name === 'src') schemes.add(URL.canParse(value, 'http://page/') ? new URL(value, 'http://page/').protocol : 'none');
      }
      visit(child);
    }
  };
  visit(parseFragment(html));
  return { names, schemes };
}

const hostile = ['javascript:', 'vbscript:', 'data:'];

const addresses = [
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)', 'java\nscript:alert(1)', '\u0001javascript:alert(1)', 'java&#115;cript:alert(1)', 'java&#x73;cript:alert(1)',
  'javascript&colon;alert(1)', 'javascript&#58;alert(1)', '&#106;avascript:alert(1)', 'javascript\\:alert(1)', 'java&Tab;script:alert(1)', 'java&NewLine;script:alert(1)', `${'&Tab;'.repeat(40)}javascript:alert(1)`,
  `${' '.repeat(500)}javascript:alert(1)`, 'vbscript:msgbox(1)', 'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==', 'data:image/svg+xml;base64,PHN2Zz4=', '&#x1;javascript:alert(1)', 'javascript&#0000058alert(1)',
];

function written(build: (builder: DocumentBuilder) => void, options: MarkdownOptions = {}): { markdown: string; html: string } {
  const builder = new DocumentBuilder({ name: 'made' });
  build(builder);
  return { markdown: [...writeMarkdown(builder.document, options)].join(''), html: [...writeHtml(builder.document, { imageMode: options.imageMode })].join('') };
}

function check(t: Test, what: string, build: (builder: DocumentBuilder) => void, options: MarkdownOptions = {}): string {
  const { markdown, html } = written(build, options);
  for (const [kind, page] of [['markdown', renderer.render(markdown)], ['html', html]] as const) {
    const { names, schemes } = found(page);
    for (const scheme of hostile) t.notOk(schemes.has(scheme), `${what}: ${scheme} in ${kind}`);
    for (const name of ['script', 'iframe', 'svg', 'onerror', 'object', 'form', 'base']) t.notOk(names.has(name), `${what}: ${name} in ${kind}`);
  }
  return markdown;
}


t.test('links of the document itself', (t) => {
  for (const address of addresses) {
    check(t, JSON.stringify(address), (builder) => {
      builder.addText('text', 'click', { hyperlink: address });
      builder.addText('text', address);
    });
    t.ok(isScript(address), JSON.stringify(address));
  }
  for (const address of ['https://example.org/javascript:x', 'page.html#data:', 'mailto:a@example.org', 'database:1', '/data:x', 'x?next=javascript:1', 'https://example.org/a(b)']) t.notOk(isScript(address), address);
  t.end();
});

t.test('words that would be links: in texts, lists, headings, cells, captions, runs', (t) => {
  for (const address of addresses) {
    for (const words of [`[click](${address})`, `![x](${address})`, `[click](<${address}>)`, `[click](\n${address})`, `[a]: ${address}\n\n[a]`, `[a]:\n${address}\n\n[a] [b][a]`]) {
      const what = JSON.stringify(words);
      check(t, what, (builder) => {
        builder.addHeading(1, words);
        builder.addText('text', words);
        builder.addListItem(builder.addListGroup(), words);
        const table = builder.addTable(1, 2, [{ row: 0, column: 0, text: words }, { row: 0, column: 1, text: 'b' }]);
        builder.addCaption(table, words);
        builder.addText('text', '[a] [click][a]');
        builder.addFormula(words);
      });
      check(t, `runs ${what}`, (builder) => {
        const group = builder.addInlineGroup();
        const half = Math.floor(words.length / 2);
        builder.addText('text', words.slice(0, half), { parent: group });
        builder.addText('text', words.slice(half), { parent: group });
      });
    }
  }
  t.end();
});

t.test('the words stay, and so do links that lead somewhere', (t) => {
  const markdown = check(t, 'words', (builder) => {
    builder.addText('text', '[click](javascript:alert(1))');
    builder.addText('text', '[manual](https://example.org/a) and [b]: c');
    builder.addText('text', 'manual', { hyperlink: 'https://example.org/a' });
    builder.addCode('[click](javascript:alert(1)) <b>');
  });
  t.equal(markdown, '[click]\\(javascript:alert(1))\n\n[manual](https://example.org/a) and [b]: c\n\n[manual](https://example.org/a)\n\n```\n[click](javascript:alert(1)) <b>\n```');
  t.match(renderer.render(markdown), '[click](javascript:alert(1))');
  t.end();
});

t.test('raw HTML of strangers', (t) => {
  for (const tag of ['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '<!-- x --><svg onload=alert(1)>', '<iframe src=javascript:alert(1)></iframe>', '</td><base href=data:x>', '<a href="javascript:alert(1)">x</a>', '<IMG SRC=x ONERROR=alert(1)>']) {
    check(t, tag, (builder) => {
      builder.addText('text', tag);
      builder.addFormula(tag);
      builder.addTable(1, 2, [{ row: 0, column: 0, text: tag }, { row: 0, column: 1, text: 'a < b, x<5' }]);
      const picture = builder.addPicture();
      builder.addCaption(picture, tag);
    });
  }
  const table = (builder: DocumentBuilder): void => { builder.addTable(1, 2, [{ row: 0, column: 0, text: '<b>x</b>' }, { row: 0, column: 1, text: 'a < b, x<5, c > d' }]); };
  t.match(written(table).markdown, '&lt;b>x&lt;/b>');
  t.match(written(table).markdown, 'a < b, x<5, c > d', 'what begins no tag stays as it is');
  t.match(written(table, { rawHtml: true }).markdown, '<b>x</b>', 'where it is wished');
  const text = 'a <b>x</b> & c [d](javascript:alert(1))';
  t.equal(written((builder) => { builder.addText('text', text); }, { rawHtml: true }).markdown, text, 'so do texts and links');
  t.end();
});

t.test('pictures: bitmaps that are embedded stay, other addresses do not', (t) => {
  const image = (uri: string) => ({ mimetype: 'image/png', dpi: 72, size: { width: 2, height: 2 }, uri });
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  const own = written((builder) => { builder.addPicture({ image: image(png) }); }, { imageMode: 'embedded' });
  t.equal(own.markdown, `![Image](${png})`);
  t.match(own.html, `<img src="${png}">`);
  for (const uri of addresses) {
    for (const imageMode of ['embedded', 'referenced'] as const) check(t, `${imageMode} ${JSON.stringify(uri)}`, (builder) => { builder.addPicture({ image: image(uri) }); }, { imageMode });
  }
  t.end();
});

t.test('long padding costs no more than its length', async (t) => {
  const growth = growthOf((size) => { written((builder) => { builder.addText('text', ']('.repeat(size)); }); }, 20_000);
  t.ok(growth < 8, `four times the text takes ${growth} times as long`);
});
