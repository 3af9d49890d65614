/** Grammars of XML vocabularies for word-grammars.ts. */
import type { Element, Grammar } from './word-grammars.js';

const element = (name: string, inside: string, always = ''): Element => ({ open: `<${name}>`, close: `</${name}>`, inside, always });
const root = (inside: string): Element => ({ open: '', close: '', inside });
const all = (names: string, inside: string): Grammar => Object.fromEntries(names.split(' ').map((name) => [name, element(name, inside)]));

const docBookPhrases = 'emphasis literal command subscript link ulink quote phrase unknown';

/** The body of a DocBook article. */
export const docBookBody: Grammar = {
  root: root('section para itemizedlist orderedlist variablelist table note blockquote figure example programlisting formalpara'), ...all(docBookPhrases, `# ${docBookPhrases}`),
  para: element('para', `# # ${docBookPhrases} footnote itemizedlist`), section: element('section', 'para section itemizedlist table note', 'title'), title: element('title', '# emphasis'), footnote: element('footnote', 'para'),
  itemizedlist: element('itemizedlist', 'listitem listitem title'), orderedlist: element('orderedlist', 'listitem listitem'), listitem: element('listitem', 'para para itemizedlist note'),
  variablelist: element('variablelist', 'varlistentry varlistentry'), varlistentry: element('varlistentry', '', 'term listitem'), term: element('term', '#'),
  table: element('table', '', 'title tgroup'), tgroup: element('tgroup', '', 'thead tbody'), thead: element('thead', 'row'), tbody: element('tbody', 'row row'), row: element('row', 'entry entry'), entry: element('entry', '# para itemizedlist emphasis'),
  note: element('note', 'para itemizedlist', 'title'), blockquote: element('blockquote', 'para', 'attribution'), attribution: element('attribution', '#'), example: element('example', 'para programlisting', 'title'),
  figure: { open: '<figure>', close: '<mediaobject><imageobject><imagedata/></imageobject></mediaobject></figure>', inside: '', always: 'title' }, programlisting: element('programlisting', '#'), formalpara: element('formalpara', 'para', 'title'),
};

const teiPhrases = 'hi emph foreign ref name persName date said unclear supplied title';

/** The body of a text in TEI. */
export const teiBody: Grammar = {
  root: root('div p list table lg quote sp figure'), ...all(teiPhrases, `# ${teiPhrases}`), p: element('p', `# # ${teiPhrases} note quote list`), div: element('div', 'p div list lg table quote', 'head'), head: element('head', '# hi'), note: element('note', '# p'),
  list: element('list', 'item item label'), item: element('item', '# p list hi'), label: element('label', '#'), table: element('table', 'row row', 'head'), row: element('row', 'cell cell'), cell: element('cell', '# hi p'),
  lg: element('lg', 'l l lg'), l: element('l', '# hi'), quote: element('quote', '# p lg'), sp: element('sp', 'p l', 'speaker'), speaker: element('speaker', '#'), figure: { open: '<figure>', close: '<graphic/></figure>', inside: 'p', always: 'head' },
};

const fictionPhrases = 'strong emphasis sub sup code strikethrough style a';

/** A body of a FictionBook. */
export const fictionBookBody: Grammar = {
  root: root('section section'), ...all(fictionPhrases, `# ${fictionPhrases}`), section: element('section', 'p p poem cite subtitle section table', 'title'), title: element('title', 'p'), p: element('p', `# # ${fictionPhrases}`), subtitle: element('subtitle', '# strong'),
  poem: element('poem', 'stanza stanza', 'title'), stanza: element('stanza', 'v v'), v: element('v', '# emphasis'), cite: element('cite', 'p p textauthor'), textauthor: element('text-author', '#'),
  table: element('table', 'tr tr'), tr: element('tr', 'td td th'), td: element('td', '# strong'), th: element('th', '#'),
};
