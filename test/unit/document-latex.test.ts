// LaTeX: what each item becomes, that no character of a document is a command, and that TeX itself takes all of it where it is installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeLatex, type LatexOptions } from '../../src/document/latex.js';
import { escapeLatex, latexAddress, safeFormula } from '../../src/document/latex-text.js';
import { plainWords } from '../../src/document/document-words.js';
import { makeDocument } from '../support/made-document.js';

function whole(builder: DocumentBuilder, options: LatexOptions = {}): string {
  return [...writeLatex(builder.document, options)].join('');
}

/** What stands in the body, block by block. */
function blocks(builder: DocumentBuilder, options: LatexOptions = {}): string[] {
  const latex = whole(builder, options);
  const body = latex.slice(latex.indexOf('\\begin{document}\n') + 17, latex.indexOf('\n\\end{document}'));
  return body.split('\n\n').map((block) => block.trim()).filter((block) => block !== '');
}

const made = (): DocumentBuilder => new DocumentBuilder({ name: 'a_b & c' });
const image = (uri: string, width = 200) => ({ mimetype: 'image/png', dpi: 144, size: { width, height: 10 }, uri });

t.test('every special character stands for itself', (t) => {
  t.equal(escapeLatex('\\{}$&#%_^~<>`[]'), '\\textbackslash{}\\{\\}\\$\\&\\#\\%\\_\\textasciicircum{}\\textasciitilde{}\\textless{}\\textgreater{}\\textasciigrave{}{[}{]}');
  t.equal(escapeLatex("a--b ''c'' ,,d"), "a-{}-b '{}'c'{}' ,{},d", 'fonts make no dashes and quotation marks of them');
  t.equal(escapeLatex('a\u0000b\tc\nd'), 'ab c d');
  t.equal(escapeLatex('Größe 漢 😀'), 'Größe 漢 😀');
  t.equal(latexAddress('https://a.b/c_d?x=1&y=%20#z{}~\\"'), 'https://a.b/c\\_d?x=1\\&y=\\%20\\#z\\%7B\\%7D\\%7E\\%5C\\%22');
  t.end();
});

t.test('texts: title, levels, lines, decorations, check boxes, footnotes', (t) => {
  const builder = made();
  builder.addTitle('T & t');
  builder.addHeading(1, 'one\ntwo');
  builder.addHeading(9, 'deep');
  builder.addText('text', 'line\n\n*next* 50%');
  builder.addText('text', 'loud ', { formatting: { bold: true, italic: true, underline: true, strikethrough: true, script: 'super' } });
  builder.addText('text', 'link', { hyperlink: 'https://a.b/c_d' });
  builder.addText('text', 'no link', { hyperlink: 'javascript:alert(1)' });
  builder.addCheckbox(true, 'done');
  builder.addCheckbox(false, 'open');
  builder.addText('footnote', '1 See there.');
  builder.addTitle('Second');
  t.strictSame(blocks(builder), [
    '\\title{T \\& t}\n\\date{}\n\\maketitle', '\\section{one two}', '\\subparagraph{deep}', 'line\\\\{}\n*next* 50\\%',
    '\\sout{\\uline{\\textit{\\textbf{\\textsuperscript{loud}}}}}', '\\href{https://a.b/c\\_d}{link}', 'no link', '$\\boxtimes$ done', '$\\square$ open', '\\ownmarkfootnote{1 See there.}', '\\part*{Second}',
  ]);
  t.match(whole(builder), '\\hypersetup{pdftitle={a\\_b \\& c}}\n\\begin{document}\n');
  t.end();
});

t.test('lists: nested, counted, with markers of their own, and none of them empty', (t) => {
  const builder = made();
  const list = builder.addListGroup();
  const item = builder.addListItem(list, '[one]', { enumerated: false, marker: '-' });
  const inner = builder.addListGroup({ parent: item });
  builder.addListItem(inner, 'a', { enumerated: true, marker: '1.' });
  builder.addListItem(inner, 'b', { enumerated: true, marker: '(ii)' });
  builder.addListItem(list, 'two', { enumerated: false, marker: '\u2022' });
  builder.addListGroup();
  t.strictSame(blocks(builder).join('\n'), [
    '\\begin{itemize}', '\\item {[}one{]}', '\\begin{enumerate}', '\\item a', '\\item[{(ii)}] b', '\\end{enumerate}', '\\item two', '\\end{itemize}',
  ].join('\n'));
  t.end();
});

t.test('tables: spans, headers, captions, wide texts', (t) => {
  const builder = made();
  const table = builder.addTable(3, 3, [
    { row: 0, column: 0, columnSpan: 2, text: 'Wide & bold', columnHeader: true }, { row: 0, column: 2, text: 'C', columnHeader: true },
    { row: 1, column: 0, rowSpan: 2, text: 'two\nrows' }, { row: 1, column: 1, text: '[1]' }, { row: 2, column: 1, text: 'x_y' }, { row: 2, column: 2, text: '' },
  ]);
  builder.addCaption(table, 'Table 1: all');
  t.strictSame(blocks(builder), [[
    '\\begin{longtable}{lll}', '\\caption*{Table 1: all} \\\\', '\\hline', '\\multicolumn{2}{l}{\\textbf{Wide \\& bold}} & \\textbf{C} \\\\', '\\hline', '\\endhead',
    '\\multirow{2}{*}{two rows} & {[}1{]} &  \\\\', ' & x\\_y &  \\\\', '\\hline', '\\end{longtable}',
  ].join('\n')]);
  const wide = made();
  wide.addTable(1, 2, [{ row: 0, column: 0, text: 'short' }, { row: 0, column: 1, text: 'long words '.repeat(30) }]);
  t.match(blocks(wide)[0], /^\\begin\{longtable\}\{p\{\\dimexpr0\.091\\linewidth-2\\tabcolsep\\relax\}p\{\\dimexpr0\.909/);
  t.end();
});

t.test('code, pictures and fields', (t) => {
  const builder = made();
  builder.addCode('if (a < b) {\n\treturn "$%_";\n}');
  builder.addCode('\\end{verbatim}\\input{x}');
  const paragraph = builder.addInlineGroup();
  builder.addText('text', 'Call', { parent: paragraph });
  builder.addCode('f(x_1)  {}', { parent: paragraph });
  const picture = builder.addPicture({});
  picture.image = image('artifacts/image_000000_ab.png');
  builder.addCaption(picture, 'Figure 1');
  const strange = builder.addPicture({});
  strange.image = image('../../etc/secret.png');
  t.strictSame(blocks(builder), [
    '\\begin{verbatim}\nif (a < b) {\n    return "$%_";\n}\n\\end{verbatim}',
    '\\begin{flushleft}\n\\texttt{\\textbackslash{}end\\{verbatim\\}\\textbackslash{}input\\{x\\}}\n\\end{flushleft}',
    'Call \\texttt{f(x\\_1)\\  \\{\\}}', '\\begin{figure}[H]\n\\centering\n% image\n\\caption*{Figure 1}\n\\end{figure}', '% image',
  ]);
  const shown = blocks(builder, { imageMode: 'referenced' }).join('\n\n');
  t.match(shown, '\\includegraphics[width=100.0bp,height=0.9\\textheight,keepaspectratio]{artifacts/image_000000_ab.png}');
  t.notMatch(shown, 'secret');
  t.end();
});

t.test('formulas: TeX as it is, unless it would break the document or be a program', (t) => {
  const builder = made();
  builder.addFormula('E = mc^2');
  builder.addFormula('\\begin{align}a &= b \\\\ c &= d\\end{align}');
  builder.addFormula('\\mine{x} + \\frac{1}{2}');
  const paragraph = builder.addInlineGroup();
  builder.addText('text', 'so', { parent: paragraph });
  builder.addFormula('x_1', { parent: paragraph });
  t.strictSame(blocks(builder), ['\\[E = mc^2\\]', '\\begin{align}a &= b \\\\ c &= d\\end{align}', '\\[\\mine{x} + \\frac{1}{2}\\]', 'so \\(x_1\\)']);
  t.match(whole(builder), '\n\\providecommand{\\mine}{\\operatorname{mine}}\n', 'a command of its author is known');
  t.notMatch(whole(builder), '\\providecommand{\\frac}');
  for (const tex of ['\\left( \\begin{pmatrix}a & b\\end{pmatrix} \\right)', 'a\\%b', '\\text{if }x', '\\{a\\}']) t.equal(safeFormula(tex)?.tex, tex, tex);
  t.equal(safeFormula('100% + a\n\nb')?.tex, '100\\% + a b', 'neither a comment nor the end of a paragraph');
  for (const tex of [
    '', '{', '}{', '\\left(x', 'a $ b', 'a & b', '\\input{/etc/passwd}', '\\write18{x}', '\\immediate\\write18{x}', '\\catcode`\\%=12', '^^5cinput{x}', '\\csname input\\endcsname', 'x\\]\\input{y}\\[',
    '\\begin{document}x\\end{document}', '\\begin{verbatim}x\\end{verbatim}', '\\end{document}', '\\def\\x{y}', 'a # b', '\\begin{matrix}',
  ]) t.equal(safeFormula(tex), null, tex);
  t.end();
});

t.test('an item deeper than lists go is an item of the deepest list', (t) => {
  const builder = made();
  let list = builder.addListGroup();
  for (let depth = 0; depth < 40; depth++) list = builder.addListGroup({ parent: builder.addListItem(list, `level ${depth}`, { enumerated: false, marker: '-' }) });
  builder.addListItem(list, 'deepest', { enumerated: false, marker: '-' });
  const latex = whole(builder);
  t.equal(latex.match(/\\begin\{itemize\}/g)?.length, 20);
  t.match(latex, '\\item deepest');
  t.end();
});

t.test('no word is lost', (t) => {
  for (let seed = 1; seed <= 30; seed++) {
    const { document } = makeDocument(seed, 25);
    const inPictures = new Set(document.pictures.flatMap(({ children }) => children.map((ref) => ref.$ref)));
    const captions = new Set([...document.pictures, ...document.tables].flatMap(({ captions: refs }) => refs.map((ref) => ref.$ref)));
    const latex = [...writeLatex(document, { keepFurniture: true })].join('');
    const shown = new Set(latex.match(/w\d+/g) ?? []);
    const hidden = document.texts.filter(({ self_ref: ref }) => inPictures.has(ref) && !captions.has(ref)).flatMap(({ text }) => text.match(/w\d+/g) ?? []);
    const wanted = [...plainWords(document)].flatMap((word) => word.match(/w\d+/g) ?? []);
    t.strictSame(wanted.filter((word) => !shown.has(word) && !hidden.includes(word)), [], `seed ${seed}`);
  }
  t.end();
});

/** TeX that takes all letters; undefined where it or its packages are not installed. */
function findTex(): string | undefined {
  try {
    for (const style of ['enumitem.sty', 'multirow.sty', 'ulem.sty', 'longtable.sty', 'caption.sty']) execFileSync('kpsewhich', [style]);
    execFileSync('lualatex', ['--version']);
    return 'lualatex';
  } catch {
    return undefined;
  }
}

const tex = findTex();

t.test('TeX takes documents of every kind of item', { skip: tex === undefined && 'lualatex or a package is not installed' }, (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-latex-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  for (const seed of [1, 2, 3]) {
    writeFileSync(join(directory, 'made.tex'), [...writeLatex(makeDocument(seed, 25).document, { keepFurniture: true })].join(''));
    const { status } = spawnSync(tex as string, ['-interaction=nonstopmode', '-halt-on-error', 'made.tex'], { cwd: directory, stdio: 'ignore' });
    t.equal(status, 0, `seed ${seed}: ${readFileSync(join(directory, 'made.log'), 'latin1').match(/^! [^]{0,300}/m)?.[0] ?? 'no error in the log'}`);
  }
  t.end();
});
