/** Papers, books and mail: LaTeX, JATS, AsciiDoc, EPUB, EML, docling's JSON; and files of each kind that are damaged, wrong or made to hurt. */
import { zipSync, strToU8 } from 'fflate';
import t from 'tap';
import { detectFormat } from '../../src/convert/input/input-format.js';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeJson } from '../../src/document/json.js';
import { readLatex } from '../../src/formats/latex/read-latex.js';
import { failureOf } from '../support/failure-of.js';
import { growthOf } from '../support/growth.js';
import { markdownOf, readFormat } from '../support/read-format.js';

t.test('LaTeX: text, signs and an author\'s own commands', async (t) => {
  const tex = (body: string): Promise<string> => markdownOf('latex', body);
  t.equal(await tex('Caf\\\'e na\\"{\\i}ve --- ``q\'\' 5\\% \\& x\\_y % gone\n next \\LaTeX{} \\c{c}.'), 'Café naïve — “q” 5% &amp; x\\_y next LaTeX ç.');
  t.equal(await tex('\\textbf{b \\emph{bi}} {\\it i} \\texttt{c\\_d} \\unknown{kept} \\verb|x_y|'), '**b** ***bi*** *i* `c_d` kept `x_y`');
  t.equal(await tex('\\newcommand{\\R}{\\mathbb{R}}\\newcommand\\two[2][x]{\\textbf{#2}#1}\\def\\z#1{(#1)} $\\R$ \\two{a} \\two[y]{b} \\z{c}'), '$\\mathbb{R}$ **a**x **b**y (c)');
  t.equal(await tex('see~\\cite[p.~3]{a,b}, \\ref{s}; \\href{http://x.org/a\\_b}{l} \\url{http://y.org}\\footnote{n \\emph{m}}.'),
    'see\u00a0[a, b], s; [l](http://x.org/a_b) [http://y.org](http://y.org)<sup>[1]</sup>.\n\n1. n *m*');
  t.equal(await tex('cost $5 and\n\n\\$6; \\(a\\) \\[b\\] $$c$$'), 'cost $5 and\n\n$6; $a$\n\n$$b$$\n\n$$c$$');
  t.equal(await tex('\\newcommand{\\a}{\\a\\a}\\a ok'), await tex('\\newcommand{\\a}{\\a\\a}\\a ok'), 'a command that calls itself ends');
});

t.test('LaTeX: structure', async (t) => {
  const document = '\\documentclass{article}\\title{T}\\author{A}\\begin{document}\\maketitle\\begin{abstract}x\\end{abstract}\\section*{S}\\subsection{U}p\n\nq\\end{document} behind';
  t.equal(await markdownOf('latex', document), '# T\n\nA\n\n## Abstract\n\nx\n\n## S\n\n### U\n\np\n\nq');
  t.equal(await markdownOf('latex', '\\begin{enumerate}\\item a \\begin{itemize}\\item b\\item[] c\\end{itemize}\\item d\n\ne\\end{enumerate}'), '1. a\n    - b\n    - c\n2. d\n\n    e');
  t.equal(await markdownOf('latex', '\\begin{table}\\caption{C}\\begin{tabular}{ll}\\hline A & B\\\\ \\multirow{2}{*}{m} & 1\\\\ & 2\\\\[2pt] \\multicolumn{2}{c}{w}\\\\ \\end{tabular}\\end{table}'),
    'C\n\n| A | B |\n| - | - |\n| m | 1 |\n| m | 2 |\n| w | w |');
  t.equal(await markdownOf('latex', '\\begin{figure}\\includegraphics[width=1cm]{a}\\caption{F}\\end{figure}\\begin{equation}\\label{e}x\\end{equation}\\begin{align}a&=b\\\\c&=d\\end{align}\\begin{verbatim}\n % \\x\n\\end{verbatim}'),
    'F\n\n<!-- image -->\n\n$$x$$\n\n$$\\begin{align}a&=b\\\\c&=d\\end{align}$$\n\n```\n % \\x\n```');
});

t.test('AsciiDoc', async (t) => {
  const adoc = (text: string): Promise<string> => markdownOf('asciidoc', text);
  t.equal(await adoc('= T\nAnn <a@b.c>\n:v: w\n\n== S {v}\n\na *b* _c_ `d` https://x.org[e], <<s,f>> H~2~Ofootnote:[g].\nh +\ni'),
    '# T\n\nAnn &lt;a@b.c&gt;\n\n## S w\n\na **b** *c* `d` [e](https://x.org), f H₂O<sup>[1]</sup>. h\ni\n\n1. g');
  t.equal(await adoc('* a\n** b\n* c\n+\nd\n\n. e\n.. f\n\n//x\n\nt:: u'), '- a\n    - b\n- c\n\n    d\n    1. e\n        1. f\n\n- **t**: u');
  t.equal(await adoc('[cols="1,1",options="header"]\n|===\n|A |B\n|1\na|* x\n2+|w\n|===\n\n|===\n|p |q\n\n.2+|r |s\n|t\n|==='), '| A | B |\n| - | - |\n| 1 | - x |\n| w | w |\n\n| p | q |\n| - | - |\n| r | s |\n| r | t |');
  t.equal(await adoc('[source,ruby]\n----\nputs 1 <1>\n----\n\nNOTE: n\n\n====\nin\n====\n\n////\nno\n////\n\ninclude::/etc/passwd[]\n\nimage::a.png[alt]'), '```ruby\nputs 1 <1>\n```\n\n**NOTE:** n\n\nin\n\nalt\n\n<!-- image -->');
});

const article = (body: string, front = '<article-title>T</article-title>'): string =>
  `<?xml version="1.0"?><!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]><article article-type="a" xmlns:mml="http://www.w3.org/1998/Math/MathML"><front><article-meta><title-group>${front}</title-group><contrib-group><contrib contrib-type="author"><name><surname>B</surname><given-names>A</given-names></name></contrib><aff><label>1</label><institution>I</institution><country>C</country></aff></contrib-group><abstract><p>abs</p></abstract></article-meta></front>${body}</article>`;

t.test('JATS', async (t) => {
  const jats = (body: string): Promise<string> => markdownOf('xml_jats', article(body));
  const head = '# T\n\nA B\n\nI, C\n\n## Abstract\n\nabs';
  t.equal(await jats('<body><sec><label>1.</label><title>S</title><p>a <italic>b</italic> <xref rid="r">[1]</xref> &x;<list list-type="order"><list-item><p>c</p></list-item></list>d</p><sec><title>U</title></sec></sec></body>'),
    `${head}\n\n## 1. S\n\na *b* [1] &amp;x;\n\n1. c\n\nd\n\n### U`);
  t.equal(await jats('<body><fig><label>F1</label><caption><title>t</title><p>p</p></caption><graphic/></fig><table-wrap><label>T1</label><table><thead><tr><th colspan="2">h</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table><table-wrap-foot><p>n</p></table-wrap-foot></table-wrap></body>'),
    `${head}\n\nF1 t p\n\n<!-- image -->\n\nT1\n\n| h | h |\n| - | - |\n| 1 | 2 |\n\nn`);
  t.equal(await jats('<body><p>x <inline-formula><mml:math><mml:msup><mml:mi>a</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math></inline-formula></p><disp-formula><tex-math>\\begin{document}$$y$$\\end{document}</tex-math></disp-formula></body>'), `${head}\n\nx $a^2$\n\n$$y$$`);
  t.equal(await jats('<back><ref-list><ref><element-citation><person-group><name><surname>K</surname><given-names>D</given-names></name></person-group><article-title>Art</article-title><source>J</source><volume>1</volume><fpage>2</fpage><lpage>3</lpage><year>1999</year><pub-id pub-id-type="doi">10/x</pub-id></element-citation></ref></ref-list></back>'),
    `${head}\n\n## References\n\n- K D. Art. J 1:2–3 (1999). DOI: 10/x`);
});

function book(chapters: Record<string, string>, listed = Object.keys(chapters)): Uint8Array {
  const items = listed.map((name, index) => `<item id="i${index}" href="${name}" media-type="application/xhtml+xml"/>`).join('');
  const opf = `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title></metadata><manifest>${items}</manifest><spine>${listed.map((_, index) => `<itemref idref="i${index}"/>`).join('')}</spine></package>`;
  const container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>';
  const files = { mimetype: 'application/epub+zip', 'META-INF/container.xml': container, 'OPS/p.opf': opf, ...Object.fromEntries(Object.entries(chapters).map(([name, text]) => [`OPS/${name}`, text])) };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}

t.test('EPUB', async (t) => {
  const read = await readFormat('epub', book({ 'b.xhtml': '<html><body><nav>kept</nav><p>two <img src="a.png"/><img src="../../../etc/passwd"/></p></body></html>', 'a.xhtml': '<body><h2>One</h2></body>', 'a.png': 'P' }, ['a.xhtml', 'b.xhtml', 'gone.xhtml']));
  t.same(read.document.texts.map(({ text }) => text), ['Book', 'One', 'kept', 'two']);
  t.equal(read.pictures.length, 1);
  t.equal(Buffer.from(read.pictures[0]?.bytes() ?? []).toString(), 'P');
  t.same(read.losses, ['The chapter OPS/gone.xhtml is missing from the book.']);
  t.match(detectFormat(book({}), 'a.bin'), { name: 'epub', supported: true });
});

t.test('mail', async (t) => {
  const eml = [
    'From: =?utf-8?q?Ann_=C3=89?= <a@x.org>', 'To: b@y.org, C <c@z.org>', 'Subject: Re:', ' =?utf-8?b?w6Q=?=', 'Date: Tue, 1 Jul 2025 10:00:00 +0200', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=m', '',
    '--m', 'Content-Type: text/html; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable', '', '<table><tr><td><h2>Hi =E4</h2><img src=3D"cid:p"></td><td>side</td></tr></table>', '--m',
    'Content-Type: image/png', 'Content-ID: <p>', 'Content-Transfer-Encoding: base64', '', 'AAEC', '--m', 'Content-Type: application/pdf; name=r.pdf', 'Content-Disposition: attachment; filename=r.pdf', 'Content-Transfer-Encoding: base64', '', 'eHg=', '--m--', '',
  ].join('\r\n');
  const read = await readFormat('email', eml, 'a.eml');
  t.equal(read.pictures.length, 1);
  t.equal(await markdownOf('email', eml, 'a.eml'),
    '# Re: ä\n\n**From:** Ann É &lt;a@x.org&gt;\n\n**To:** b@y.org, C &lt;c@z.org&gt;\n\n**Date:** 2025-07-01 08:00 UTC\n\n## Hi ä\n\n<!-- image -->\n\nside\n\n## Attachments\n\n- r.pdf (application/pdf, 2 bytes)');
  t.equal(detectFormat(Buffer.from(eml), 'noname').name, 'email');
});

t.test('docling\'s own JSON comes back, and reaches no file of this machine', async (t) => {
  const builder = new DocumentBuilder({ name: 'd' });
  builder.addTitle('T');
  const image = (uri: string) => ({ mimetype: 'image/png', dpi: 72, size: { width: 1, height: 1 }, uri });
  builder.addPicture({ image: image('artifacts/../../../../etc/passwd') });
  builder.addPicture({ image: image('data:image/png;base64,AA==') });
  const json = [...writeJson(builder.document)].join('');
  const { document } = await readFormat('json_docling', json);
  t.same(document.pictures.map((picture) => picture.image?.uri ?? null), [null, 'data:image/png;base64,AA==']);
  t.equal(await markdownOf('json_docling', json), '# T\n\n<!-- image -->\n\n<!-- image -->');
  t.equal(detectFormat(Buffer.from(json), 'noname').name, 'json_docling');
});

t.test('damaged, wrong and hostile files', async (t) => {
  const epub = book({ 'a.xhtml': '<p>x</p>' });
  for (const [name, bytes, filename] of [
    ['epub', epub.subarray(0, epub.length / 2), 'cut.epub'], ['epub', Buffer.from('<p>html</p>'), 'html.epub'], ['epub', book({}, ['none.xhtml']), 'empty.epub'],
    ['xml_jats', Buffer.from(article('<body><p>').slice(0, -12)), 'cut.xml'], ['xml_jats', Buffer.from('<other/>'), 'a.xml'], ['json_docling', Buffer.from('{"schema_name":'), 'cut.json'],
    ['email', Buffer.from('no mail at all'), 'a.eml'], ['email', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Array<number>(600).fill(7)]), 'a.msg'],
    ['html', epub, 'a.html'], ['md', epub, 'a.md'], ['csv', epub, 'a.csv'], ['latex', epub, 'a.tex'],
  ] as [string, Uint8Array, string][]) {
    const { code, message } = await failureOf(readFormat(name, bytes, filename));
    t.ok(code === 'invalid_document' && /^[A-Z].*\.$/s.test(message), `${name} ${filename}: ${code} ${message}`);
  }
  const bomb = book({ 'a.xhtml': '<p>' + 'x'.repeat(40_000_000) });
  t.match(await failureOf(readFormat('epub', bomb)), { code: 'too_large' });
});

t.test('ten thousand levels deep', async (t) => {
  const times = 10_000;
  for (const [name, source] of [
    ['latex', `${'\\begin{itemize}\\item x '.repeat(times)}`], ['latex', '{\\bf '.repeat(times) + 'x'], ['latex', '\\footnote{'.repeat(times) + 'x'], ['asciidoc', Array.from({ length: times }, (_, i) => `${'*'.repeat(i % 10 + 1)} x`).join('\n')],
    ['asciidoc', '====\n-----\n'.repeat(times)], ['md', '> - '.repeat(times)], ['md', '['.repeat(times)], ['md', '*a_ '.repeat(times)], ['vtt', `WEBVTT\n\n00:01.000 --> 00:02.000\n${'<i>'.repeat(times)}x`],
  ] as const) t.ok(await readFormat(name, source), `${name} ${source.slice(0, 12)}`);
  t.match(await failureOf(readFormat('xml_jats', article(`<body>${'<sec>'.repeat(times)}</body>`))), { code: 'invalid_document' });
});

t.test('chapters and sections of very many paragraphs', async (t) => {
  const many = 150_000;
  const chapter = await readFormat('epub', book({ 'a.xhtml': `<body>${'<p>x</p>'.repeat(many)}</body>` }));
  t.ok(chapter.document.texts.length >= many);
  const section = await readFormat('latex', `\\documentclass{a}\\begin{document}\\begin{center}${'x\n\n'.repeat(many)}\\end{center}\\end{document}`);
  t.equal(section.document.texts.length, many);
  const block = await readFormat('asciidoc', `====\n${'x\n\n'.repeat(many)}====\n`);
  t.equal(block.document.texts.length, many);
});

t.test('the end of code that nothing ends is searched for once', async (t) => {
  const open = (size: number): unknown => readLatex(`\\begin{document}\n${'\\begin{verbatim}a\n'.repeat(size)}`);
  const growth = growthOf(open, 10_000);
  t.ok(growth < 12, `four times the text takes ${growth.toFixed(1)} times as long`);
  const losses: string[] = [];
  readLatex('\\begin{document}\\input{a}\\verb|\\input{b}|\\begin{lstlisting}\\input{c}\\end{lstlisting}\\input{d}\\begin{verbatim}\\input{e}\\end{document}', losses);
  t.same(losses.map((loss) => /file (\S+)/.exec(loss)?.[1]), ['a', 'd'], 'what stands in code is not included');
});
