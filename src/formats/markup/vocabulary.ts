/** What the elements of an XML vocabulary are in a document. Elements that a vocabulary does not name are transparent: their words stay. */
import type { RunStyle } from '../flow/flow-blocks.js';

export type MarkupRole = 'section' | 'title' | 'block' | 'paragraph' | 'line' | 'list' | 'ordered' | 'item' | 'table' | 'row' | 'head' | 'cell' | 'headcell' | 'quote' | 'code' | 'note' | 'picture' | 'figure' | 'break' | 'skip';

export interface Vocabulary {
  roles: Readonly<Record<string, MarkupRole>>;
  styles: Readonly<Record<string, RunStyle>>;
  /** Attributes that hold an address of a link. */
  links: readonly string[];
  namespaces: Readonly<Record<string, string>>;
}

/** One role for many names. */
export function roles(table: Partial<Record<MarkupRole, string>>): Record<string, MarkupRole> {
  return Object.fromEntries(Object.entries(table).flatMap(([role, names]) => names.split(' ').map((name) => [name, role as MarkupRole])));
}

const xlink = { 'http://www.w3.org/1999/xlink': 'xlink' };

/** FictionBook 2. */
export const fictionBook: Vocabulary = {
  roles: roles({
    section: 'section', title: 'title', block: 'body poem stanza annotation coverpage', paragraph: 'p subtitle text-author date', line: 'v', table: 'table', row: 'tr', cell: 'td', headcell: 'th', quote: 'cite epigraph',
    picture: 'image', break: 'empty-line', skip: 'binary stylesheet',
  }),
  styles: { strong: { bold: true }, emphasis: { italic: true }, subtitle: { bold: true }, strikethrough: { strikethrough: true }, sub: { script: 'sub' }, sup: { script: 'super' }, code: { kind: 'code' } },
  links: ['xlink:href'],
  namespaces: { ...xlink, 'http://www.gribuser.ru/xml/fictionbook/2.0': '' },
};

/** DocBook 4 and 5. */
export const docBook: Vocabulary = {
  roles: roles({
    section: 'book article part chapter appendix preface section sect1 sect2 sect3 sect4 sect5 simplesect refsect1 refsect2 refsection glossary bibliography glossdiv dedication colophon set topic', title: 'title',
    block: 'info bookinfo articleinfo chapterinfo sectioninfo formalpara note warning tip caution important example sidebar qandaset qandaentry question answer abstract glossentry glossdef biblioentry author authorgroup personname affiliation revhistory legalnotice copyright epigraph procedure refentry refnamediv refsynopsisdiv',
    paragraph: 'para simpara subtitle term glossterm bibliomixed attribution releaseinfo pubdate date bridgehead caption refname refpurpose', list: 'itemizedlist simplelist variablelist calloutlist segmentedlist', ordered: 'orderedlist procedure substeps',
    item: 'listitem member varlistentry callout step', table: 'table informaltable', row: 'row tr', head: 'thead', cell: 'entry td', headcell: 'th', quote: 'blockquote', code: 'programlisting screen synopsis literallayout computeroutput.block',
    note: 'footnote', figure: 'figure informalfigure mediaobject inlinemediaobject', picture: 'imagedata graphic inlinegraphic', skip: 'indexterm colspec spanspec index toc tgroup.colspec titleabbrev',
  }),
  styles: {
    emphasis: { italic: true }, literal: { kind: 'code' }, code: { kind: 'code' }, command: { kind: 'code' }, filename: { kind: 'code' }, option: { kind: 'code' }, function: { kind: 'code' }, varname: { kind: 'code' }, classname: { kind: 'code' },
    subscript: { script: 'sub' }, superscript: { script: 'super' }, firstterm: { italic: true }, citetitle: { italic: true }, bridgehead: { bold: true }, term: { bold: true },
  },
  links: ['xlink:href', 'url'],
  namespaces: { ...xlink, 'http://docbook.org/ns/docbook': '', 'http://www.w3.org/1998/Math/MathML': 'math' },
};

/** The Text Encoding Initiative's P5. */
export const tei: Vocabulary = {
  roles: roles({
    section: 'div div1 div2 div3 div4 div5', title: 'head', block: 'text front body back group lg sp titlePage docTitle figure.block listBibl', paragraph: 'p ab opener closer salute signed dateline trailer byline docAuthor docDate titlePart speaker stage bibl biblStruct argument label',
    line: 'l', list: 'list', item: 'item', table: 'table', row: 'row', cell: 'cell', quote: 'quote cit epigraph', code: 'eg egXML', note: 'note', figure: 'figure', picture: 'graphic', break: 'lb', skip: 'pb cb milestone gap fw index',
  }),
  styles: { emph: { italic: true }, foreign: { italic: true }, title: { italic: true }, code: { kind: 'code' }, ident: { kind: 'code' }, gi: { kind: 'code' }, del: { strikethrough: true }, speaker: { bold: true } },
  links: ['target'],
  namespaces: { ...xlink, 'http://www.tei-c.org/ns/1.0': '' },
};

/** Patents as the United States Patent and Trademark Office publishes them: grants and applications since 2001. */
export const patent: Vocabulary = {
  roles: roles({
    section: 'description abstract claims drawings-section', title: 'invention-title heading', block: 'us-claim-statement claim description-of-drawings', paragraph: 'p claim-text', list: 'ul dl', ordered: 'ol', item: 'li dd', table: 'table', row: 'row', head: 'thead', cell: 'entry',
    picture: 'img', break: 'br', skip: 'us-bibliographic-data-grant us-bibliographic-data-application drawings colspec sequence-list-doc table-external-doc us-sequence-list-doc',
  }),
  styles: { b: { bold: true }, i: { italic: true }, u: { underline: true }, sub: { script: 'sub' }, sup: { script: 'super' }, sub2: { script: 'sub' }, sup2: { script: 'super' } },
  links: [],
  namespaces: { 'http://www.w3.org/1998/Math/MathML': 'math' },
};
