/** Papers in JATS XML as blocks: title, authors, abstract, sections, figures, tables, formulas, notes and references, in the order they are printed. */
import { LecternError } from '../../errors.js';
import { wordsOfBlocks } from '../flow/flow-blocks.js';
import type { FlowBlock, FlowListEntry, FlowRun, FlowTable, FlowTableEntry } from '../flow/flow-blocks.js';
import { parseXml } from '../xml.js';
import type { XmlElement } from '../xml.js';
import { JatsInlineReader, formulaOf, plainWords } from './jats-inline.js';
import { citationText, referenceLines } from './references.js';

const options = {
  namespaces: { 'http://www.w3.org/1998/Math/MathML': '', 'http://www.w3.org/1999/xlink': 'xlink' },
  entities: { nbsp: '\u00a0', ndash: '\u2013', mdash: '\u2014', hellip: '\u2026', rsquo: '\u2019', lsquo: '\u2018', rdquo: '\u201d', ldquo: '\u201c', middot: '\u00b7' },
  subject: 'The article',
};

/** Elements that stand as blocks of their own, also where they are written inside a paragraph. */
const blockNames = new Set([
  'p', 'sec', 'title', 'list', 'def-list', 'fig', 'fig-group', 'table-wrap', 'table-wrap-group', 'disp-formula', 'disp-formula-group', 'disp-quote', 'boxed-text', 'preformat', 'code',
  'graphic', 'supplementary-material', 'verse-group', 'statement', 'ref-list', 'ack', 'app', 'app-group', 'fn-group', 'glossary', 'speech', 'notes', 'bio', 'abstract',
]);

class ArticleReader {
  blocks(parent: XmlElement, level: number): FlowBlock[] {
    return [...parent.elements()].flatMap((element) => this.#block(element, level));
  }

  #block(element: XmlElement, level: number): FlowBlock[] {
    switch (element.name) {
      case 'p': return this.#paragraph(element, level);
      case 'sec': case 'ack': case 'app': case 'notes': case 'glossary': case 'statement': case 'abstract': case 'boxed-text': case 'bio':
        return this.#section(element, level);
      case 'book-part': case 'preface': case 'foreword': case 'dedication': case 'front-matter-part': case 'book-app': case 'toc': return this.#bookPart(element, level);
      case 'book-app-group': case 'front-matter': case 'named-book-part-body': return this.blocks(element, level);
      case 'label': case 'title': case 'object-id': case 'sec-meta': case 'permissions': case 'alternatives': return [];
      case 'attrib': return [{ kind: 'paragraph', runs: [{ text: '\u2014 ' }, ...new JatsInlineReader().read(element)] }];
      case 'disp-quote': return [{ kind: 'quote', blocks: this.blocks(element, level) }];
      case 'list': return [this.#list(element, level)];
      case 'def-list': return this.#definitions(element, level);
      case 'fig': return this.#figure(element, level);
      case 'table-wrap': return this.#table(element, level);
      case 'disp-formula': return this.#formula(element);
      case 'preformat': case 'code': return [{ kind: 'code', text: element.text.replace(/^\n+|\s+$/g, '') }];
      case 'graphic': return [{ kind: 'picture', caption: this.#caption(element) }];
      case 'ref-list': return this.#references(element, level);
      case 'fn-group': return this.#notes(element, level);
      case 'fn': return this.blocks(element, level);
      case 'supplementary-material': return this.#captioned(element);
      case 'verse-line': case 'element-citation': case 'mixed-citation': return [this.#line(element)];
      case 'caption': return [...this.#named(element), ...this.blocks(element, level)];
      default: return blockNames.has(element.name) || element.child('p') !== undefined ? [...this.#named(element), ...this.blocks(element, level)] : [this.#line(element)];
    }
  }

  #line(element: XmlElement): FlowBlock {
    if (element.name.endsWith('-citation')) return { kind: 'paragraph', runs: [{ text: citationText(element) }] };
    return { kind: 'paragraph', runs: new JatsInlineReader().read(element) };
  }

  /** Blocks inside a paragraph part it; the text after them becomes a paragraph of its own. */
  #paragraph(element: XmlElement, level: number): FlowBlock[] {
    const blocks: FlowBlock[] = [];
    let runs: FlowRun[] = [];
    const inline = new JatsInlineReader((node) => {
      if (!blockNames.has(node.name) || node.name === 'code' && node.text.length < 80) return false;
      if (node.name === 'graphic' && node.text === '') return false;
      blocks.push({ kind: 'paragraph', runs: runs.splice(0) });
      blocks.push(...this.#block(node, level));
      return true;
    });
    runs = inline.read(element, {}, runs);
    blocks.push({ kind: 'paragraph', runs });
    return blocks.filter((block) => block.kind !== 'paragraph' || block.runs.some((run) => run.text.trim() !== ''));
  }

  /** The number of a section and its title, which may be one without the other. */
  #heading(element: XmlElement, level: number): FlowBlock[] {
    const label = plainWords(element.child('label'));
    const title = element.child('title');
    const words: FlowRun[] = title === undefined ? [] : new JatsInlineReader().read(title).filter((run) => run.text !== '\n');
    const runs: FlowRun[] = [...(label === '' ? [] : [{ text: `${label} ` }]), ...words];
    return runs.some((run) => run.text.trim() !== '') ? [{ kind: 'heading', level, runs }] : [];
  }

  /** Label and title of a part that is no section. */
  #named(element: XmlElement): FlowBlock[] {
    return this.#heading(element, 1).map((block): FlowBlock => ({ kind: 'paragraph', runs: 'runs' in block ? block.runs.map((run) => ({ ...run, bold: true })) : [] }));
  }

  #section(element: XmlElement, level: number): FlowBlock[] {
    const heading = this.#heading(element, level);
    return [...heading, ...this.blocks(element, heading.length > 0 ? level + 1 : level)];
  }

  #list(element: XmlElement, level: number): FlowBlock {
    const counts = /^(?:order|alpha|roman)/.test(element.get('list-type') ?? '');
    const entries = [...element.elements('list-item')].map((item, index): FlowListEntry => {
      const [first, ...rest] = this.blocks(item, level);
      const label = plainWords(item.child('label'));
      const marker = label !== '' ? label : counts ? `${index + 1}.` : undefined;
      if (first?.kind !== 'paragraph') return { marker, runs: [], blocks: first === undefined ? [] : [first, ...rest] };
      return { marker, runs: first.runs, blocks: rest };
    });
    return { kind: 'list', entries };
  }

  #definitions(element: XmlElement, level: number): FlowBlock[] {
    const blocks = this.#heading(element, level);
    for (const item of element.elements('def-item')) {
      const term = item.child('term');
      const [first, ...rest] = [...item.elements('def')].flatMap((definition) => this.blocks(definition, level));
      const termRuns = term === undefined ? [] : new JatsInlineReader().read(term);
      const said = first?.kind === 'paragraph' ? first.runs : [];
      blocks.push({ kind: 'paragraph', runs: [...termRuns, { text: said.length > 0 ? ': ' : '' }, ...said] });
      if (first !== undefined && first.kind !== 'paragraph') blocks.push(first);
      blocks.push(...rest);
    }
    return blocks;
  }

  /** `Figure 1. Title. The paragraphs of the caption.` */
  #caption(element: XmlElement): FlowRun[] {
    const runs: FlowRun[] = [{ text: plainWords(element.child('label')) }];
    const caption = element.child('caption');
    if (caption !== undefined) {
      for (const part of caption.elements()) {
        const inline = new JatsInlineReader((node) => node.name === 'supplementary-material' || node.name === 'graphic');
        runs.push({ text: ' ' }, ...inline.read(part));
      }
    }
    return runs;
  }

  #figure(element: XmlElement, level: number): FlowBlock[] {
    const inside = [...element.elements()].filter(({ name }) => name !== 'label' && name !== 'caption' && name !== 'graphic' && name !== 'media' && name !== 'alt-text' && name !== 'long-desc').flatMap((node) => this.#block(node, level));
    return [{ kind: 'picture', caption: this.#caption(element) }, ...inside];
  }

  #captioned(element: XmlElement): FlowBlock[] {
    const runs = this.#caption(element);
    return runs.some((run) => run.text.trim() !== '') ? [{ kind: 'paragraph', runs }] : [];
  }

  #formula(element: XmlElement): FlowBlock[] {
    const latex = formulaOf(element);
    if (latex !== '') return [{ kind: 'formula', latex }];
    const words = plainWords(element);
    return words === '' ? [] : [{ kind: 'paragraph', runs: [{ text: words }] }];
  }

  #table(element: XmlElement, level: number): FlowBlock[] {
    const caption = this.#caption(element);
    const tables = [...element.descendants('table')];
    const footnotes = [...element.elements('table-wrap-foot')].flatMap((foot) => this.blocks(foot, level)).flatMap((block) => ('runs' in block ? [block.runs] : [[{ text: wordsOfBlocks([block]) }]]));
    // A table that is only a picture of one.
    if (tables.length === 0) return [{ kind: 'picture', caption }, ...footnotes.map((runs): FlowBlock => ({ kind: 'footnote', runs }))];
    return tables.map((table, index): FlowTable => ({
      kind: 'table', rows: this.#rows(table, level), caption: index === 0 ? caption : [], footnotes: index === tables.length - 1 ? footnotes : [],
    }));
  }

  #rows(table: XmlElement, level: number): FlowTableEntry[][] {
    const rows: FlowTableEntry[][] = [];
    const gather = (parent: XmlElement, header: boolean): void => {
      for (const node of parent.elements()) {
        if (node.name === 'tr') rows.push([...node.elements()].filter(({ name }) => name === 'td' || name === 'th').map((cell) => this.#cell(cell, header, level)));
        else if (node.name === 'thead' || node.name === 'tbody' || node.name === 'tfoot') gather(node, node.name === 'thead');
      }
    };
    gather(table, false);
    return rows.filter((row) => row.length > 0);
  }

  #cell(cell: XmlElement, header: boolean, level: number): FlowTableEntry {
    const span = (name: string): number => {
      const value = Number.parseInt(cell.get(name) ?? '1', 10);
      return value > 0 ? Math.min(value, 1000) : 1;
    };
    return {
      blocks: this.#paragraph(cell, level), rowSpan: span('rowspan'), columnSpan: span('colspan'),
      header: header ? 'column' : cell.name === 'th' ? 'row' : undefined,
    };
  }

  #notes(element: XmlElement, level: number): FlowBlock[] {
    const entries = [...element.elements('fn')].map((note): FlowListEntry => {
      const [first, ...rest] = this.blocks(note, level);
      const label = plainWords(note.child('label'));
      return { marker: label === '' ? undefined : label, runs: first?.kind === 'paragraph' ? first.runs : [], blocks: first?.kind === 'paragraph' ? rest : first === undefined ? [] : [first, ...rest] };
    });
    return [...this.#heading(element, level), { kind: 'list', entries }];
  }

  #references(element: XmlElement, level: number): FlowBlock[] {
    const heading = this.#heading(element, level);
    const entries = [...element.elements('ref')].flatMap((ref) => referenceLines(ref)).map((line): FlowListEntry => ({ runs: [{ text: line }], blocks: [] }));
    const nested = [...element.elements('ref-list')].flatMap((list) => this.#references(list, level + 1));
    const said = [...element.elements('p')].flatMap((node) => this.#paragraph(node, level));
    const list: FlowBlock[] = entries.length === 0 ? [] : [{ kind: 'list', entries }];
    return [...(heading.length > 0 ? heading : [{ kind: 'heading', level, runs: [{ text: 'References' }] } as FlowBlock]), ...said, ...list, ...nested];
  }

  front(meta: XmlElement | undefined): FlowBlock[] {
    if (meta === undefined) return [];
    const blocks: FlowBlock[] = [];
    const title = meta.at('title-group', 'article-title');
    const inline = new JatsInlineReader(({ name }) => name === 'xref' || name === 'fn');
    if (title !== undefined) blocks.push({ kind: 'title', runs: inline.read(title).map((run) => ({ ...run, text: run.text.replace(/\n/g, ' ') })) });
    const subtitle = plainWords(meta.at('title-group', 'subtitle'));
    if (subtitle !== '') blocks.push({ kind: 'paragraph', runs: [{ text: subtitle }] });
    blocks.push(...people(meta));
    for (const abstract of [...meta.elements('abstract'), ...meta.elements('trans-abstract')]) {
      const section = this.#section(abstract, 1);
      blocks.push(...(section[0]?.kind === 'heading' ? section : [{ kind: 'heading', level: 1, runs: [{ text: 'Abstract' }] } as FlowBlock, ...section]));
    }
    return [...blocks, ...keywords(meta), ...this.#authorNotes(meta), ...customMeta(meta)];
  }

  /** A chapter of a book (BITS) with its title, its authors and what it holds; parts have chapters. */
  #bookPart(element: XmlElement, level: number): FlowBlock[] {
    const meta = element.child('book-part-meta') ?? element.child('front-matter-part-meta');
    const titles = meta?.child('title-group');
    const heading = titles === undefined ? this.#heading(element, level) : this.#heading(titles, level);
    const subtitle = plainWords(titles?.child('subtitle'));
    const inner = heading.length > 0 ? level + 1 : level;
    const about = meta === undefined ? [] : [...people(meta), ...[...meta.elements('abstract')].flatMap((abstract) => this.#section(abstract, inner)), ...keywords(meta)];
    const body = [...element.elements()].filter(({ name }) => name !== 'book-part-meta' && name !== 'front-matter-part-meta' && name !== 'title' && name !== 'label');
    const parts = body.flatMap((part) => (/^(?:body|back|named-book-part-body)$/.test(part.name) ? this.blocks(part, inner) : this.#block(part, inner)));
    return [...heading, ...(subtitle === '' ? [] : [{ kind: 'paragraph', runs: [{ text: subtitle }] } as FlowBlock]), ...about, ...parts];
  }

  /** A book: its title and people, then all parts in their order. */
  book(root: XmlElement): FlowBlock[] {
    const meta = root.child('book-meta') ?? root.child('collection-meta');
    const titles = meta?.child('book-title-group') ?? meta?.child('title-group');
    const [title, subtitle] = [plainWords(titles?.child('book-title') ?? titles?.child('title')), plainWords(titles?.child('subtitle'))];
    return [
      ...(title === '' ? [] : [{ kind: 'title', runs: [{ text: title }] } as FlowBlock]), ...(subtitle === '' ? [] : [{ kind: 'paragraph', runs: [{ text: subtitle }] } as FlowBlock]),
      ...(meta === undefined ? [] : [...people(meta), ...[...meta.elements('abstract')].flatMap((abstract) => this.#section(abstract, 1)), ...keywords(meta)]),
      ...[...root.elements()].flatMap((part) => (/^(?:front-matter|book-body|book-back)$/.test(part.name) ? this.blocks(part, 1) : part.name === 'book-part' ? this.#bookPart(part, 1) : [])),
    ];
  }

  /** Conflicts of interest, correspondence, contributions. */
  #authorNotes(meta: XmlElement): FlowBlock[] {
    return [...meta.elements('author-notes')].flatMap((notes) => [...notes.elements()].flatMap((note): FlowBlock[] => {
      if (note.name === 'label' || note.name === 'title') return [];
      const blocks = note.child('p') === undefined ? [this.#line(note)] : this.blocks(note, 1);
      return blocks.map((block) => (block.kind === 'paragraph' ? { kind: 'footnote', runs: block.runs } : block));
    }));
  }

  /** A letter, a review or an answer that is printed behind the article, below a heading of its own. */
  subArticle(article: XmlElement): FlowBlock[] {
    const stub = article.child('front-stub') ?? article.at('front', 'article-meta');
    const front = this.front(stub).map((block): FlowBlock => (block.kind === 'title' ? { kind: 'heading', level: 1, runs: block.runs } : block));
    const parts = [article.child('body'), article.child('back')].flatMap((part) => (part === undefined ? [] : this.blocks(part, 2)));
    return [...front, ...parts, ...this.subArticles(article)];
  }

  subArticles(article: XmlElement): FlowBlock[] {
    return [...article.elements()].filter(({ name }) => name === 'sub-article' || name === 'response').flatMap((inner) => this.subArticle(inner));
  }
}

/** Statements that publishers keep as pairs of a name and a value; values of one word are for programs. */
function customMeta(meta: XmlElement): FlowBlock[] {
  return [...meta.descendants('custom-meta')].flatMap((pair): FlowBlock[] => {
    const [name, value] = [plainWords(pair.child('meta-name')), plainWords(pair.child('meta-value'))];
    return value.includes(' ') ? [{ kind: 'paragraph', runs: [{ text: `${name}:`, bold: true }, { text: ` ${value}` }] }] : [];
  });
}

/** `**Keywords:** one, two`, for each group of them. */
function keywords(meta: XmlElement): FlowBlock[] {
  return [...meta.elements('kwd-group')].flatMap((group): FlowBlock[] => {
    const words = [...group.descendants('kwd'), ...group.descendants('compound-kwd')].map(plainWords).filter((word) => word !== '');
    const name = plainWords(group.child('title')).replace(/:$/, '');
    return words.length === 0 ? [] : [{ kind: 'paragraph', runs: [{ text: `${name === '' ? 'Keywords' : name}:`, bold: true }, { text: ` ${words.join(', ')}` }] }];
  });
}

function people(meta: XmlElement): FlowBlock[] {
  const authors: string[] = [];
  const places: string[] = [];
  for (const group of meta.elements('contrib-group')) {
    for (const person of group.elements('contrib')) {
      if ((person.get('contrib-type') ?? 'author') !== 'author') continue;
      const name = person.child('name') ?? person.at('name-alternatives', 'name');
      const written = name === undefined ? plainWords(person.child('string-name') ?? person.child('collab'))
        : `${plainWords(name.child('given-names'))} ${plainWords(name.child('surname'))}`.trim();
      if (written !== '') authors.push(written);
    }
    places.push(...[...group.elements('aff')].map(affiliation));
  }
  places.push(...[...meta.elements('aff')].map(affiliation));
  const lines = [authors.join(', '), [...new Set(places)].filter((place) => place !== '').join('; ')];
  return lines.filter((line) => line !== '').map((line): FlowBlock => ({ kind: 'paragraph', runs: [{ text: line }] }));
}

function affiliation(element: XmlElement): string {
  const inline = new JatsInlineReader(({ name }) => name === 'label' || name === 'email' || name === 'sup' || name === 'ext-link');
  // Fields that follow each other without punctuation are separated by a comma.
  const parted = element.children.map((node, index) => (
    typeof node !== 'string' && typeof element.children[index - 1] === 'object' ? [', ', node] : [node]
  )).flat();
  return inline.read(Object.assign(Object.create(element) as XmlElement, { children: parted })).map((run) => run.text).join('').replace(/\s+/g, ' ').replace(/ ([,;])/g, '$1').replace(/(?:,\s*)+,/g, ',').replace(/^[\s,;]+|[\s,;.]+$/g, '');
}

/** The blocks of a paper, and of the letters and answers that are printed behind it. Throws LecternError `invalid_document` or `too_large`. */
export function readJats(source: Uint8Array | string): FlowBlock[] {
  const root = parseXml(source, options);
  if (root.name === 'book' || root.name === 'book-part-wrapper') return new ArticleReader().book(root);
  const article = root.name === 'article' ? root : [...root.descendants('article')][0];
  if (article === undefined) throw new LecternError('invalid_document', 'The XML file is no article of the kind JATS.');
  const reader = new ArticleReader();
  const [body, back, floats] = [article.child('body'), article.child('back'), article.child('floats-group')];
  return [
    ...reader.front(article.at('front', 'article-meta') ?? article.child('front')),
    ...(body === undefined ? [] : reader.blocks(body, 1)),
    ...(floats === undefined ? [] : reader.blocks(floats, 1)),
    ...(back === undefined ? [] : reader.blocks(back, 1)),
    ...reader.subArticles(article),
  ];
}
