/** Papers and manuals print what they say: numbers of theorems and references, notes of authors, quotations with their source. */
import t from 'tap';
import { markdownOf } from '../support/read-format.js';

t.test('LaTeX prints numbers and names as TeX does', async (t) => {
  const tex = (body: string, preamble = ''): Promise<string> => markdownOf('latex', `\\documentclass{article}${preamble}\\begin{document}${body}\\end{document}`);
  const preamble = '\\newtheorem{thm}{Theorem}[section]\\newtheorem{lm}[thm]{Lemma}\\newtheorem*{rem}{Remark}';
  t.equal(await tex('\\section{A}\\begin{thm}[Mole]\\label{m} One.\\end{thm}\\begin{lm}\\label{l}Two.\\end{lm}\\begin{rem}Three.\\end{rem}\\begin{proof}[Proof of \\ref{m}]Four.\\end{proof}See \\ref{m}, \\cref{l}.', preamble),
    '## A\n\n**Theorem 1.1** (Mole). One.\n\n**Lemma 1.2.** Two.\n\n**Remark.** Three.\n\n*Proof of 1.1.* Four. \u25a1\n\nSee 1.1, 1.2.');
  t.match(await tex('\\section{A}\\subsection{B}\\label{b}\\begin{equation}\\label{e}a\\end{equation}\\begin{align}b&=c\\label{f}\\\\d&=e\\nonumber\\\\g&=h\\label{g}\\end{align}\\begin{figure}\\caption{C}\\label{h}\\end{figure}\\begin{enumerate}\\item x\\item\\label{i} y\\end{enumerate}\\appendix\\section{Z}\\label{z}R \\ref{b} \\eqref{e} \\eqref{f} \\eqref{g} \\ref{h} \\ref{i} \\ref{z} \\ref{none}.'), 'R 1.1 (1) (2) (3) 1 2 A none.');
  t.match(await tex('Said \\cite{p,q}, \\citep[p.~4]{r}.\\begin{thebibliography}{9}\\bibitem{q} Low.\\bibitem{p} Ray.\\bibitem[Poe(1999)]{r} Poe.\\end{thebibliography}'), /Said \[2, 1\], \[Poe[^]*- \[1\] Low\.\n- \[2\] Ray\.\n- \[Poe\] Poe\./);
  t.equal(await tex('At \\SI{3.2e-4}{\\kilo\\metre\\per\\second\\squared}, \\num{5}, \\qty{7}{\\degreeCelsius}, \\si{\\mega\\watt}.').then((text) => text.replace(/\u00a0/g, ' ')), 'At 3.2 \u00d7 10⁻⁴ km s⁻², 5, 7 °C, MW.');
});

t.test('JATS keeps notes of authors, statements and the letters behind a paper', async (t) => {
  const markdown = await markdownOf('xml_jats', '<article article-type="research-article"><front><article-meta><title-group><article-title>T</article-title></title-group><author-notes><corresp id="c">Write to <email>a@x.example</email></corresp><fn><p>Both worked alike.</p></fn></author-notes><custom-meta-group><custom-meta><meta-name>Data</meta-name><meta-value>On the shelf.</meta-value></custom-meta><custom-meta><meta-name>version</meta-name><meta-value>2.0</meta-value></custom-meta></custom-meta-group></article-meta></front><body><p>B</p></body><sub-article><front-stub><title-group><article-title>Letter</article-title></title-group></front-stub><body><sec><title>S</title><p>L</p></sec></body></sub-article><response><front-stub><title-group><article-title>Answer</article-title></title-group></front-stub><body><p>A</p></body></response></article>');
  t.equal(markdown, '# T\n\nWrite to a@x.example\n\nBoth worked alike.\n\n**Data:** On the shelf.\n\nB\n\n## Letter\n\n### S\n\nL\n\n## Answer\n\nA');
});

t.test('AsciiDoc quotations, verse and callouts', async (t) => {
  const adoc = (text: string): Promise<string> => markdownOf('asciidoc', text);
  t.equal(await adoc('[quote, Dora Poe, "Letters, vol. 2"]\n____\nRain all day.\n\n* and mud\n____'), '> Rain all day.\n>\n> - and mud\n>\n> \u2014 Dora Poe, Letters, vol. 2');
  t.equal(await adoc('[verse, Eli Ray]\n____\nfirst *line*\n  second\n\nthird\n____\n\nend'), '> first **line**\n> second\n>\n> third\n>\n> \u2014 Eli Ray\n\nend');
  t.equal(await adoc('[verse]\none\ntwo\n\n"So it goes,\nsaid he."\n-- Fay Low, A Tale'), '> one\n> two\n\n> So it goes, said he.\n>\n> \u2014 Fay Low, A Tale');
  t.equal(await adoc('[source,c]\n----\nint a; // <1>\nint b; <2>\n----\n<1> first\n<2> second'), '```c\nint a; // <1>\nint b; <2>\n```\n\n1. first\n2. second');
});
