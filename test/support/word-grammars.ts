/** Documents from seeds whose words are counted: every element of a grammar may stand wherever the grammar lets it, and each word is given once. */
import { randomFrom } from './random.js';

export interface Element {
  open: string;
  close: string;
  /** What may stand inside; `#` is a word. */
  inside: string;
  /** Elements that every one of these has, before the random ones. */
  always?: string;
  most?: number;
}

export type Grammar = Record<string, Element>;

/** A word that no program writes by itself. */
export const countedWord = /q\d+z/g;

/** The text of one document, and the words in it, in their order. */
export function growText(grammar: Grammar, seed: number, size: number): { text: string; words: string[] } {
  const random = randomFrom(seed);
  const words: string[] = [];
  let left = size;
  const word = (): string => {
    words.push(`q${words.length + 1}z`);
    return ` ${words.at(-1)} `;
  };
  const grow = (name: string, depth: number): string => {
    if (name === '#') return word();
    const { open, close, inside, always = '', most = 4 } = grammar[name] as Element;
    left--;
    const fixed = always === '' ? [] : always.split(' ');
    const choices = inside === '' ? [] : inside.split(' ');
    const number = choices.length === 0 || depth > 9 ? 0 : 1 + Math.floor(random() * most);
    const free = Array.from({ length: number }, () => choices[Math.floor(random() * choices.length)] as string);
    // Where the size is used up words alone are added.
    const names = [...fixed, ...(left > 0 ? free : choices.includes('#') ? ['#'] : fixed.length > 0 ? [] : free.slice(0, 1))];
    return `${open}${names.map((child) => grow(child, depth + 1)).join('')}${close}`;
  };
  let text = '';
  while (left > 0) text += grow('root', 0);
  return { text, words };
}

const element = (name: string, inside: string, attributes = '', more: Partial<Element> = {}): Element => ({ open: `<${name}${attributes}>`, close: `</${name}>`, inside, ...more });
const elements = (names: string, inside: string): Grammar => Object.fromEntries(names.split(' ').map((name) => [name, element(name, inside)]));
const nothing: Element = { open: '', close: '', inside: '' };

const phrases = 'b i em strong u s del ins sub sup small mark code kbd samp var cite q abbr dfn span a label time data bdi font big tt';
const blocks = 'p div section article main h1 h2 h3 h4 h5 h6 blockquote pre address figure ul ol dl table details fieldset center';
const flow = `# # ${phrases} ${blocks}`;

/** A page as people write it: anything inside anything, words directly in lists and tables too. */
export const wildPage: Grammar = {
  root: { ...nothing, inside: flow },
  ...elements(phrases, `# # ${phrases}`), ...elements(blocks, flow),
  ...elements('ul ol', 'li li li # ul ol p'), li: element('li', flow), dl: element('dl', 'dt dd dt dd div #'), dt: element('dt', `# ${phrases}`), dd: element('dd', flow),
  table: element('table', 'caption thead tbody tfoot tr tr'), ...elements('thead tbody tfoot', 'tr tr'), tr: element('tr', 'td td th'), td: element('td', flow), th: element('th', `# ${phrases}`), caption: element('caption', `# ${phrases}`),
  figure: element('figure', `p table figcaption pre`), figcaption: element('figcaption', `# ${phrases}`), details: element('details', `# p ul table`, '', { always: 'summary' }), summary: element('summary', '#'),
  fieldset: element('fieldset', `legend p # ul`), legend: element('legend', '#'), pre: element('pre', '# code b'), a: element('a', '# b i', ' href="https://x.example/"'),
  ...elements('h1 h2 h3 h4 h5 h6', `# # ${phrases}`), p: element('p', `# # ${phrases}`),
};

const w = (name: string, inside: string, properties = '', more: Partial<Element> = {}): Element => ({ open: `<w:${name}>${properties}`, close: `</w:${name}>`, inside, ...more });
const wordInline = 'r r rb rs ins link sdtr smart simple';

/** The body of a docx: all that holds text, inside what may hold it. */
export const wordBody: Grammar = {
  root: { ...nothing, inside: 'p p p h l tbl sdt custom ins0 alternate' },
  p: w('p', wordInline), h: w('p', wordInline, '<w:pPr><w:pStyle w:val="H1"/></w:pPr>'), l: w('p', wordInline, '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'),
  r: w('r', 't t tab br', ''), rb: w('r', 't', '<w:rPr><w:b/></w:rPr>'), rs: w('r', 't', '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'),
  t: { open: '<w:t xml:space="preserve">', close: '</w:t>', inside: '#', most: 2 }, tab: { ...nothing, open: '<w:tab/>' }, br: { ...nothing, open: '<w:br/>' },
  ins: w('ins', 'r rb'), link: { open: '<w:hyperlink w:anchor="x">', close: '</w:hyperlink>', inside: 'r rb' }, smart: { open: '<w:smartTag w:element="x">', close: '</w:smartTag>', inside: 'r ins' },
  simple: { open: '<w:fldSimple w:instr=" REF x ">', close: '</w:fldSimple>', inside: 'r' }, sdtr: { open: '<w:sdt><w:sdtContent>', close: '</w:sdtContent></w:sdt>', inside: 'r rb link' },
  sdt: { open: '<w:sdt><w:sdtContent>', close: '</w:sdtContent></w:sdt>', inside: 'p p l tbl sdt' }, custom: { open: '<w:customXml w:element="x">', close: '</w:customXml>', inside: 'p tbl' }, ins0: w('ins', 'p p'),
  tbl: w('tbl', 'tr tr'), tr: w('tr', 'tc tc tcw'), tc: w('tc', 'p p l tbl sdt', '', { always: 'p' }), tcw: w('tc', 'p', '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'),
  alternate: { open: '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx><w:txbxContent>', close: '</w:txbxContent></wps:txbx></wps:wsp></w:drawing></mc:Choice></mc:AlternateContent></w:r></w:p>', inside: 'p p l tbl' },
};

const odfInline = '# # span link br ruby note bookmark box';

/** The text of an odt. */
export const odfText: Grammar = {
  root: { ...nothing, inside: 'p p h list table section index numbered' },
  p: element('text:p', odfInline), h: element('text:h', '# # span link br', ' text:outline-level="2"'), span: element('text:span', odfInline), link: element('text:a', '# span', ' xlink:href="https://x.example/"'),
  br: { ...nothing, open: '<text:line-break/>' }, ruby: { open: '<text:ruby><text:ruby-base>', close: '</text:ruby-base></text:ruby>', inside: '#' }, bookmark: element('text:bookmark-ref', '#', ' text:ref-name="x"'),
  note: { open: '<text:note text:note-class="footnote"><text:note-citation>7</text:note-citation><text:note-body>', close: '</text:note-body></text:note>', inside: 'pp pp' }, pp: element('text:p', '# span2'), span2: element('text:span', '#'),
  box: { open: '<draw:frame><draw:text-box>', close: '</draw:text-box></draw:frame>', inside: 'pp list table' },
  list: element('text:list', 'item item head'), item: element('text:list-item', 'p p list h'), head: element('text:list-header', 'p'), section: element('text:section', 'p list table section'),
  numbered: element('text:numbered-paragraph', 'p', '', { most: 1 }),
  index: { open: '<text:table-of-content><text:index-body>', close: '</text:index-body></text:table-of-content>', inside: 'p p' },
  table: element('table:table', 'row row rows'), rows: element('table:table-header-rows', 'row'), row: element('table:table-row', 'cell cell wide'), cell: element('table:table-cell', 'p p list table'),
  wide: { open: '<table:table-cell table:number-columns-spanned="2">', close: '</table:table-cell><table:covered-table-cell/>', inside: 'p' },
};

const jatsPhrases = 'bold italic sc monospace sub sup underline strike named-content styled-content ext-link xref';

/** The body of a paper in JATS. */
export const jatsBody: Grammar = {
  root: { ...nothing, inside: 'sec p p list table-wrap fig boxed-text disp-quote' },
  ...elements(jatsPhrases, `# ${jatsPhrases}`), p: element('p', `# # ${jatsPhrases} list disp-quote fn boxed-text`),
  sec: element('sec', 'p p sec list table-wrap fig boxed-text disp-quote def-list speech statement verse-group preformat code supplementary-material', '', { always: 'title' }),
  title: element('title', `# ${jatsPhrases}`), list: element('list', 'list-item list-item'), 'list-item': element('list-item', 'p p list', '', { always: 'p' }), fn: element('fn', 'p'),
  'def-list': element('def-list', 'def-item def-item'), 'def-item': element('def-item', 'def', '', { always: 'term', most: 1 }), term: element('term', '#'), def: element('def', 'p'),
  'boxed-text': element('boxed-text', 'p p list', '', { always: 'caption' }), caption: element('caption', 'p', '', { always: 'title' }), 'disp-quote': element('disp-quote', 'p p attrib'), attrib: element('attrib', '#'),
  speech: element('speech', 'p', '', { always: 'speaker' }), speaker: element('speaker', '#'), statement: element('statement', 'p', '', { always: 'label0 title' }), label0: element('label', '#'),
  'verse-group': element('verse-group', 'verse-line verse-line'), 'verse-line': element('verse-line', '#'), preformat: element('preformat', '#'), code: element('code', '#'), 'supplementary-material': element('supplementary-material', 'p', '', { always: 'label0 caption' }),
  fig: element('fig', '', '', { always: 'label0 caption graphic' }), graphic: { ...nothing, open: '<graphic/>' },
  'table-wrap': { open: '<table-wrap>', close: '</table-wrap>', inside: '', always: 'label0 caption table foot' }, foot: element('table-wrap-foot', 'fn p attrib'),
  table: element('table', 'thead tbody tr'), ...elements('thead tbody', 'tr tr'), tr: element('tr', 'td td th'), td: element('td', `# ${jatsPhrases} list p`), th: element('th', '#'),
};

/** RTF: groups, styles, lists, tables. */
export const rtfBody: Grammar = {
  root: { ...nothing, inside: 'p p h l table note' },
  p: { open: '\\pard\\plain ', close: '\\par\n', inside: '# # b i sup field group note box' }, h: { open: '\\pard\\plain\\outlinelevel0 ', close: '\\par\n', inside: '# b' },
  l: { open: '\\pard\\plain{\\listtext\\bullet\\tab}\\ls1\\ilvl0 ', close: '\\par\n', inside: '# b i' },
  b: { open: '{\\b ', close: '}', inside: '# i' }, i: { open: '{\\i ', close: '}', inside: '# #' }, sup: { open: '{\\super ', close: '}', inside: '#', most: 1 }, group: { open: '{', close: '}', inside: '# b i field' },
  field: { open: '{\\field{\\*\\fldinst HYPERLINK "https://x.example/"}{\\fldrslt ', close: '}}', inside: '# b' }, note: { open: '{\\footnote\\pard ', close: '\\par}', inside: '# i' },
  box: { open: '{\\shp{\\*\\shpinst{\\shptxt \\pard ', close: '\\par}}}', inside: '#' },
  table: { open: '', close: '\\pard ', inside: 'row row' }, row: { open: '\\trowd\\cellx1000\\cellx2000\\cellx3000\\pard\\intbl ', close: '\\row\n', inside: '', always: 'cell cell cell' }, cell: { open: '', close: '\\cell ', inside: '# b i' },
};

/** Cells of a sheet. */
export const sheetRows: Grammar = {
  root: { ...nothing, inside: 'row row gap' }, row: element('row', 'cell cell rich number hole'), gap: { ...nothing, open: '<row/>' }, hole: { ...nothing, open: '<c/>' },
  cell: { open: '<c t="inlineStr"><is><t>', close: '</t></is></c>', inside: '#' }, rich: { open: '<c t="inlineStr"><is>', close: '</is></c>', inside: 'run run' }, run: { open: '<r><t xml:space="preserve">', close: '</t></r>', inside: '#' },
  number: { open: '<c t="str"><f>1</f><v>', close: '</v></c>', inside: '#', most: 1 },
};

const shape = (text: string): Element => ({ open: `<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody>`, close: '</p:txBody></p:sp>', inside: text });

/** The shapes of a slide. */
export const slideShapes: Grammar = {
  root: { ...nothing, inside: 'sp sp grp tbl title alt connector' }, sp: shape('p p bullet'), p: element('a:p', 'r r field br'), bullet: { open: '<a:p><a:pPr lvl="1"><a:buChar char="-"/></a:pPr>', close: '</a:p>', inside: 'r r' },
  title: { ...shape('p'), open: '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody>', most: 1 },
  r: { open: '<a:r><a:t>', close: '</a:t></a:r>', inside: '#' }, field: { open: '<a:fld type="datetime"><a:t>', close: '</a:t></a:fld>', inside: '#' }, br: { ...nothing, open: '<a:br/>' },
  grp: { open: '<p:grpSp><p:grpSpPr/>', close: '</p:grpSp>', inside: 'sp sp grp' }, connector: { ...nothing, open: '<p:cxnSp/>' },
  alt: { open: '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="x">', close: '</mc:Choice></mc:AlternateContent>', inside: 'sp' },
  tbl: { open: '<p:graphicFrame><a:graphic><a:graphicData><a:tbl>', close: '</a:tbl></a:graphicData></a:graphic></p:graphicFrame>', inside: 'tr tr' }, tr: element('a:tr', '', '', { always: 'tc tc' }),
  tc: { open: '<a:tc><a:txBody>', close: '</a:txBody></a:tc>', inside: 'p p' },
};

/** Markdown, from marks that may stand beside each other. */
export const markdownText: Grammar = {
  root: { ...nothing, inside: 'p p h list quote table code html details rule deflist' }, p: { open: '', close: '\n\n', inside: '# b i code1 link strike image' }, b: { open: '**x', close: 'x**', inside: '#', most: 1 }, i: { open: '*x', close: 'x*', inside: '#', most: 1 },
  strike: { open: '~~x', close: 'x~~', inside: '#', most: 1 }, code1: { open: '`', close: '`', inside: '#', most: 1 }, link: { open: '[', close: '](https://x.example)', inside: '# b' }, image: { open: '![', close: '](https://x.example/a.png)', inside: '#', most: 1 },
  h: { open: '## ', close: '\n\n', inside: '# b' }, rule: { ...nothing, open: '---\n\n' }, list: { open: '', close: '\n\n', inside: 'item item' }, item: { open: '- ', close: '\n', inside: '# b' },
  quote: { open: '> ', close: '\n\n', inside: '# b i' }, code: { open: '```c\n', close: '\n```\n\n', inside: '#' }, deflist: { open: 'x\n: ', close: '\n\n', inside: '#' },
  table: { open: '| a | b |\n|---|---|\n', close: '\n', inside: 'row row' }, row: { open: '|', close: '|\n', inside: '', always: 'cell cell' }, cell: { open: '', close: '|', inside: '# b', most: 1 },
  html: { open: '<div>', close: '</div>\n\n', inside: '#' }, details: { open: '<details><summary>x</summary>\n\n', close: '\n\n</details>\n\n', inside: '#' },
};

/** LaTeX without a preamble. */
export const latexText: Grammar = {
  root: { ...nothing, inside: 'p p sec list enum quote table figure note verb center theorem desc minipage' }, p: { open: '', close: '\n\n', inside: '# # bf em foot tt own' }, sec: { open: '\\section{', close: '}\n', inside: '# em' },
  bf: { open: '\\textbf{', close: '}', inside: '# em' }, em: { open: '\\emph{', close: '}', inside: '#' }, tt: { open: '\\texttt{', close: '}', inside: '#' }, own: { open: '{\\small ', close: '}', inside: '# bf' }, foot: { open: '\\footnote{', close: '}', inside: '# em' },
  list: { open: '\\begin{itemize}', close: '\\end{itemize}\n', inside: 'item item' }, enum: { open: '\\begin{enumerate}', close: '\\end{enumerate}\n', inside: 'item item' }, item: { open: '\\item ', close: '\n', inside: '# # bf list' },
  desc: { open: '\\begin{description}', close: '\\end{description}\n', inside: 'dterm dterm' }, dterm: { open: '\\item[', close: '\n', inside: '', always: '# close #' }, close: { ...nothing, open: ']' },
  quote: { open: '\\begin{quote}', close: '\\end{quote}\n', inside: '# p' }, center: { open: '\\begin{center}', close: '\\end{center}\n', inside: '# p table' }, minipage: { open: '\\begin{minipage}{5cm}', close: '\\end{minipage}\n', inside: 'p list' },
  theorem: { open: '\\begin{abstract}', close: '\\end{abstract}\n', inside: '# bf' }, note: { open: '\\marginpar{', close: '}\n', inside: '#' }, verb: { open: '\\begin{verbatim}\n', close: '\n\\end{verbatim}\n', inside: '#' },
  table: { open: '\\begin{tabular}{ll}', close: '\\end{tabular}\n', inside: 'row row' }, row: { open: '', close: '\\\\\n', inside: '', always: 'c amp c' }, c: { ...nothing, inside: '# bf', most: 1 }, amp: { ...nothing, open: '&' },
  figure: { open: '\\begin{figure}\\caption{', close: '}\\end{figure}\n', inside: '# em' },
};

/** AsciiDoc. */
export const asciidocText: Grammar = {
  root: { ...nothing, inside: 'p p h list quote table listing note side example term' }, p: { open: '', close: '\n\n', inside: '# # b i m link' }, b: { open: '*x', close: 'x*', inside: '#', most: 1 }, i: { open: '_x', close: 'x_', inside: '#', most: 1 }, m: { open: '`x', close: 'x`', inside: '#', most: 1 },
  link: { open: 'https://x.example[', close: ']', inside: '#', most: 1 }, h: { open: '== ', close: '\n\n', inside: '#' }, list: { open: '\n', close: '\n', inside: 'item item sub' }, item: { open: '* ', close: '\n', inside: '# b' }, sub: { open: '** ', close: '\n', inside: '#' },
  quote: { open: '____\n', close: '\n____\n\n', inside: '# b' }, listing: { open: '----\n', close: '\n----\n\n', inside: '#' }, note: { open: 'NOTE: ', close: '\n\n', inside: '#' }, side: { open: '****\n', close: '\n****\n\n', inside: '# p' }, example: { open: '====\n', close: '\n====\n\n', inside: '# p' },
  term: { open: '', close: '\n\n', inside: '', always: '# colons #' }, colons: { ...nothing, open: ':: ' },
  table: { open: '|===\n', close: '|===\n\n', inside: 'row row' }, row: { open: '', close: '\n', inside: '', always: 'cell cell' }, cell: { open: '|', close: '', inside: '# b', most: 1 },
};
