/** Pages, markdown, values and subtitles: what is kept of them, what is left out, and that no made page costs more than its size. */
import t from 'tap';
import { layTable, maximumCells } from '../../src/formats/flow/flow-table-grid.js';
import { failureOf } from '../support/failure-of.js';
import { markdownOf, readFormat } from '../support/read-format.js';

const html = (body: string): Promise<string> => markdownOf('html', `<!DOCTYPE html><title>no</title><body>${body}`);

t.test('blocks of a page', async (t) => {
  t.equal(await html('<h1>T</h1><p>a  b\n c</p><h3>U <i>v</i></h3>text<div>more</div>'), '# T\n\na b c\n\n### U *v*\n\ntext\n\nmore');
  t.equal(await html('<p>one<br>two<p><b>bold</b>, <em>it</em>. <del>gone</del> x<sub>2</sub> <code>f(x)</code>;'), 'one\ntwo\n\n**bold**, *it*. ~~gone~~ x₂ `f(x)`;');
  t.equal(await html('<a href="/x"><div>block <b>in</b> link</div></a>'), '[block](/x) [**in**](/x) [link](/x)');
  t.equal(await html('<p>see <a href="javascript:alert(1)">this</a>'), 'see this', 'scripts are no addresses');
  t.equal(await html('<pre><code class="language-py">\n  a = 1\n\n  b</code></pre>'), '```python\n  a = 1\n\n  b\n```');
  t.equal(await html('<dl><dt>term<dd>meaning</dl><details><summary>more</summary>hid</details>'), 'term\n\nmeaning\n\nmore\n\nhid');
  t.equal(await html('<figure><img src=x.png><figcaption>Fig. 1</figcaption></figure><p>a <img alt="alt text"> b'), 'Fig. 1\n\n<!-- image -->\n\na b\n\nalt text\n\n<!-- image -->');
  t.equal(await html('<q>said</q> <ruby>漢<rt>kan</rt></ruby>'), '\u201csaid\u201d 漢(kan)');
});

t.test('lists: nested, counted from a number, with paragraphs and checkboxes', async (t) => {
  t.equal(await html('<ul><li>a<ul><li>b<ol start=3><li>c<li value=7>d</ol></ul><li><p>e</p><p>f</p></ul>'), '- a\n    - b\n        3. c\n        7. d\n- e\n\n    f');
  t.equal(await html('<ul><li><ul><li>deep</ul></ul>'), '    - deep');
  t.equal(await html('<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>'), '- [x] done\n- [ ] open');
  t.equal(await html('<ul><li></ul><p>x'), 'x', 'an empty list is none');
  t.equal(await html('<ul><li>valve<table><tr><th>a<th>b<tr><td>1<td>2</table>after<li><div>pump</div><div>pier</div></ul>'), '- valve\n\n    | a | b |\n    | - | - |\n    | 1 | 2 |\n\n    after\n- pump\n\n    pier');
});

t.test('tables: spans, headers, captions, parts within cells', async (t) => {
  t.equal(await html('<table><caption>Cap</caption><tr><th rowspan=2>A<th colspan=2>B<tr><td>1<td>2<tr><td>x|y<td colspan=2><ul><li>i<li>j</ul></table>'),
    'Cap\n\n| A | B | B |\n| - | - | - |\n| A | 1 | 2 |\n| x&#124;y | - i - j | - i - j |');
  t.equal(await html('<table role=presentation><tr><td>left<td>right</table>'), 'left\n\nright');
  t.equal(await html('<table><tr><td>a<td><table><tr><td>b<td>c</table></table>'), '| a | <table><tr><td>b</td><td>c</td></tr></table> |\n| - | - |');
  const { document } = await readFormat('html', '<table><thead><tr><th>h<th>i<tbody><tr><th>r<td rowspan=0>d<tr><td>e</table>');
  const cells = document.tables[0]?.data.table_cells ?? [];
  t.same(cells.map((cell) => [cell.text, cell.column_header, cell.row_header, cell.row_span]), [
    ['h', true, false, 1], ['i', true, false, 1], ['r', false, true, 1], ['d', false, false, 2], ['e', false, false, 1],
  ]);
});

t.test('words that stand where few pages have any', async (t) => {
  t.equal(await html('<ol>Before <b>all</b><li>one</li>and after<p>more</p><li>two</ol>'), 'Before **all**\n\n1. one\n\n    and after\n\n    more\n2. two');
  t.equal(await html('<p>Out<iframe srcdoc="&lt;h2&gt;In&lt;/h2&gt;&lt;p hidden&gt;no&lt;/p&gt;"></iframe><iframe src=x srcdoc="&lt;iframe srcdoc=&quot;deep&quot;&gt;" hidden></iframe>'), 'Out\n\n## In');
  let nested = '<p>end';
  for (let depth = 0; depth < 6; depth++) nested = `<p>${depth}<iframe srcdoc="${nested.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"></iframe>`;
  t.equal(await html(nested), '5\n\n4\n\n3\n\n2', 'frames in frames have an end');
  t.equal(await html('<header><address>3 Mole Street</address></header><footer>Since 1911</footer>'), '3 Mole Street\n\nSince 1911', 'nothing else remains');
  t.equal(await html('<nav>menu</nav><footer>legal</footer><p>x'), 'x');
  t.equal(await html('<svg><title>icon</title><g><text>Inlet</text><text>Outlet</text></g></svg><svg style="display:none"><text>no</text></svg>'), 'Inlet Outlet');
  const { document } = await readFormat('html', '<figure><img alt="A grey pier"><figcaption>Fig. 3</figcaption></figure>');
  t.match(document.pictures[0]?.meta, { description: { text: 'A grey pier' } });
  t.equal(await html('<figure><img><figcaption>Fig. <ul><li>left<li>right</ul></figcaption></figure>'), 'Fig. left\nright\n\n<!-- image -->');
});

t.test('quotations', async (t) => {
  t.equal(await html('a<blockquote>b<p>c</p><blockquote>d</blockquote></blockquote>e'), 'a\n\n> b\n>\n> c\n>\n> > d\n\ne');
  t.equal(await html('<ul><li>a<blockquote>b</blockquote></ul><blockquote></blockquote>'), '- a\n\n    > b');
});

t.test('tables that lay out a page are no tables, and their inner tables are', async (t) => {
  const data = '<table><tr><th>Month<th>Rain<tr><td>May<td>12</table>';
  t.equal(await html(`<table><tr><td><a>Home</a><td><h2>Weather</h2><p>It rained.</p>${data}</table>`), 'Home\n\n## Weather\n\nIt rained.\n\n| Month | Rain |\n| - | - |\n| May | 12 |');
  t.equal(await html(`<table><tr><td>Letter of May</td></tr><tr><td><p>Dear all,</p></td></tr><tr><td>${data}</td></tr></table>`), 'Letter of May\n\nDear all,\n\n| Month | Rain |\n| - | - |\n| May | 12 |');
  t.equal(await html(`<table border=1><tr><td>a<td><p>see</p>${data}</table>`), '| a | see  <table><tr><th>Month</th><th>Rain</th></tr><tr><td>May</td><td>12</td></tr></table> |\n| - | - |', 'a border shows that it is one');
  t.equal(await html('<table><tr><td>a<td><p>one</p><p>two</p></table>'), '| a | one two |\n| - | - |', 'paragraphs alone do not lay out a page');
});

t.test('hidden parts and what stands around the text are left out', async (t) => {
  t.equal(await html('<p hidden>a<p style="x:1; DISPLAY : none">b<script>c</script><style>d</style><noscript>e</noscript><template>f</template><p>g'), 'g');
  t.equal(await html('<nav>menu</nav><header>brand</header><h1>T</h1><article><header>by me</header>text</article><footer>legal</footer>'), '# T\n\nby me\n\ntext');
  t.equal(await html('<div>skip</div><div><main>text</main><aside>ads</aside></div>'), 'text');
  const { document } = await readFormat('html', '<nav>menu</nav><p>x');
  t.equal(document.texts.find(({ text }) => text === 'menu')?.content_layer, 'furniture');
  t.equal(await html('a<span class="katex"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math><span class="katex-html">x2</span></span>'), 'a$x^2$');
  t.equal(await html('<math display=block><mfrac><mi>a</mi><msup><mi>b</mi><mn>12</mn></msup></mfrac><mo>≤</mo><mi>α</mi><mi>x</mi></math>'), '$$\\frac{a}{b^{12}}\\leq \\alpha x$$');
});

t.test('pictures: those inside the page alone', async (t) => {
  const { pictures, document } = await readFormat('html', '<img src="http://example.com/a.png"><img src="file:///etc/passwd"><img src="data:image/png;base64,AAEC"><img width=1 height=1>');
  t.equal(document.pictures.length, 3);
  t.equal(pictures.length, 1);
  t.same([...(pictures[0]?.bytes() ?? [])], [0, 1, 2]);
});

t.test('pages made to hurt', async (t) => {
  const deep = await html(`${'<div>'.repeat(10_000)}<b>text</b>`);
  t.equal(deep, 'text');
  const lists = await readFormat('html', `${'<ul><li>x'.repeat(10_000)}`);
  t.equal(lists.document.texts.length, 10_000, 'no entry is lost past the deepest level');
  const tables = await readFormat('html', `${'<table><tr><td>x'.repeat(2000)}`);
  t.match([...new Set(tables.document.texts.map(({ text }) => text))], ['x']);
  const spans = await readFormat('html', `<table>${'<tr><td colspan=1000 rowspan=65534>x'.repeat(3000)}</table>`);
  const [table] = spans.document.tables;
  t.ok((table?.data.num_rows ?? 0) * (table?.data.num_cols ?? Infinity) <= maximumCells);
  t.equal(table?.data.table_cells.length, 1, 'rows that spans have filled take no more');
});

t.test('a grid is bounded and laid out as pages do it', async (t) => {
  const cell = (columnSpan = 1, rowSpan = 1) => ({ blocks: [], columnSpan, rowSpan });
  const wide = layTable(Array.from({ length: 5000 }, () => [cell(1000)]));
  t.same([wide.rowCount, wide.columnCount], [5000, 1]);
  const row = new Array<ReturnType<typeof cell>>(1000).fill(cell());
  const million = layTable(Array.from({ length: 2100 }, () => row));
  t.ok(million.rowCount * million.columnCount <= maximumCells);
  t.same(layTable([[cell(1, 2), cell()], [cell(3)]]).places.map(({ row, column, rowSpan, columnSpan }) => [row, column, rowSpan, columnSpan]),
    [[0, 0, 2, 1], [0, 1, 1, 1], [1, 1, 1, 3]]);
});

t.test('encodings: by mark, by declaration, by what the bytes can be', async (t) => {
  t.equal(await markdownOf('html', Buffer.from('<p>\u00e4\u00f6\u00fc caf\u00e9', 'latin1')), 'äöü café');
  t.equal(await markdownOf('html', Buffer.from('<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2', 'latin1')), 'Привет');
  t.equal(await markdownOf('md', Buffer.from('\ufeffno\u0308rm', 'utf16le'), 'a.txt'), 'no\u0308rm');
  t.equal(await markdownOf('md', Buffer.from('plain text, no mark', 'utf16le'), 'a.txt'), 'plain text, no mark');
  t.equal(await markdownOf('md', Buffer.from('\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0?', 'latin1'), 'a.txt'), 'Привет, как дела?');
  t.equal(await markdownOf('md', Buffer.from([0x82, 0xb1, 0x82, 0xea, 0x82, 0xcd, 0x83, 0x65, 0x83, 0x58, 0x83, 0x67]), 'a.txt'), 'これはテスト');
  t.match(await failureOf(markdownOf('html', Buffer.from('MZ\x90\x00\x03\x00\x00\x00 program'))), { code: 'invalid_document' });
});

t.test('markdown', async (t) => {
  const md = (text: string, name = 'a.md'): Promise<string> => markdownOf('md', text, name);
  t.equal(await md('# A\n\nB\n=\n\nc *d* **e** ~~f~~ `g_h` [i](http://j/k_l)\nm'), '# A\n\n# B\n\nc *d* **e** ~~f~~ `g_h` [i](http://j/k_l) m');
  t.equal(await md('- a\n  - b\n\n    c\n- [x] d\n- [ ] e\n\n3. f\n4. g'), '- a\n    - b\n\n        c\n- [x] d\n- [ ] e\n\n3. f\n4. g');
  t.equal(await md('| a | b \\| c |\n|---|---|\n| `x` | **y** |'), '| a | b &#124; c |\n| - | - |\n| `x` | **y** |');
  t.equal(await md('---\ntitle: x\n---\n\ntext\n\n<div>raw <b>html</b></div>\n\n<script>no</script>\n\n> quote\n\n***\n\n```js\nlet a\n```'), 'text\n\nraw **html**\n\n> quote\n\n```javascript\nlet a\n```');
  t.equal(await md('sum $a_i + b$ and \\(c\\), $5 and $6.\n\n$$\nx^2\n$$'), 'sum $a_i + b$ and $c$, $5 and $6.\n\n$$x^2$$');
  t.equal(await md('<|ref|>title<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>\n## Head'), '## Head');
  t.equal(await md(`---\n${'a: b\n'.repeat(400)}---\ntext`), 'text');
  t.match(await md(`---\n${'a: b\n'.repeat(5000)}`), /a: b a: b/, 'a head without an end is text, and found to be so in one pass');
  t.equal(await md('# no *markup*\nhere_\n\nnext', 'a.txt'), '\\# no \\*markup\\*\nhere\\_\n\nnext');
  t.match(await readFormat('md', `${'> '.repeat(10_000)}x`), { losses: [] });
});

t.test('footnotes of one word are text, and no addresses', async (t) => {
  t.equal(await markdownOf('md', 'a[^1] b[^2]\n\n[^1]: one\n[^2]: two\n\n[c]: https://x.example\n'), 'a[^1] b[^2]\n\n[^1]: one\n\n[^2]: two');
  t.equal(await markdownOf('md', '[^1]: See there.\n# Next\n\n[^2]: one\n- a\n- b\n'), '[^1]: See there.\n\n# Next\n\n[^2]: one\n\n- a\n- b', 'what follows a note stays what it is');
});

t.test('separated values', async (t) => {
  t.equal(await markdownOf('csv', 'a;b\n"1,5";"x;y"\n2'), '| a | b |\n| - | - |\n| 1,5 | x;y |\n| 2 |  |');
  t.equal(await markdownOf('csv', 'sep=|\na|b\n"c ""d"""|e\r\n\r\n'), '| a | b |\n| - | - |\n| c "d" | e |');
  t.equal(await markdownOf('csv', 'one\ntwo'), '| one |\n| - |\n| two |');
  t.equal(await markdownOf('csv', ''), '');
});

t.test('subtitles', async (t) => {
  const cues = 'WEBVTT - A talk\n\nNOTE x\nnot shown\n\nid\n00:01.000 --> 00:02.000 align:left\n<v Ann>Hi &amp; <i>welcome</i>\nsecond <c.loud>line</c>\n\n1:00:00.000 --> 1:00:01.000\nend';
  t.equal(await markdownOf('vtt', cues), '# A talk\n\n**Ann:** Hi &amp; *welcome*\n\nsecond line');
  t.equal(await markdownOf('vtt', cues.replace('1:00:00.000 --> 1:00:01.000', '01:00:00.000 --> 01:00:01.000')), '# A talk\n\n**Ann:** Hi &amp; *welcome*\n\nsecond line\n\nend');
  t.match(await failureOf(markdownOf('vtt', 'no')), { code: 'invalid_document' });
});

t.test('markdown nested deeper than its parser goes loses nothing', async (t) => {
  t.equal(await markdownOf('md', `${'> '.repeat(10_000)}core`), `${'> '.repeat(40)}core`);
  const items = Array.from({ length: 300 }, (_, depth) => `${' '.repeat(2 * depth)}- item${depth}x`).join('\n');
  const written = await markdownOf('md', items);
  t.equal(new Set(written.match(/item\d+x/g)).size, 300);
});

t.test('a table of very many rows', async (t) => {
  const { document } = await readFormat('html', `<table>${'<tr><td>1</td></tr>'.repeat(150_000)}</table>`);
  t.equal(document.tables[0]?.data.num_rows, 150_000);
});

t.test('markdown tables of too many cells are refused by their number', async (t) => {
  const table = (rows: number): string => `|a|b|c|\n|-|-|-|\n${'|1|2|3|\n'.repeat(rows)}`;
  t.match(await markdownOf('md', table(2)), /^\| +a \| +b \| +c \|/);
  t.match(await failureOf(markdownOf('md', table(200_001))), { code: 'too_large', message: /more than 600,000 cells/ });
});
