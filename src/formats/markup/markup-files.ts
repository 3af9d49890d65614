/** Books, manuals, editions and patents in XML: FictionBook, DocBook, TEI, USPTO; any other XML is shown as it is written. */
import { LecternError } from '../../errors.js';
import { decodeXml } from '../xml-text.js';
import type { FlowBlock, FlowRun } from '../flow/flow-blocks.js';
import { readJats } from '../jats/read-jats.js';
import { parseXml } from '../xml.js';
import type { XmlElement } from '../xml.js';
import { readMarkup } from './read-markup.js';
import { docBook, fictionBook, patent, tei } from './vocabulary.js';
import type { Vocabulary } from './vocabulary.js';

const entities = { nbsp: '\u00a0', ndash: '\u2013', mdash: '\u2014', hellip: '\u2026', rsquo: '\u2019', lsquo: '\u2018', rdquo: '\u201d', ldquo: '\u201c' };
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const title = (text: string): FlowBlock[] => (oneLine(text) === '' ? [] : [{ kind: 'title', runs: [{ text: oneLine(text) }] }]);
const line = (text: string): FlowBlock[] => (oneLine(text) === '' ? [] : [{ kind: 'paragraph', runs: [{ text: oneLine(text) }] }]);

function parse(bytes: Uint8Array, { namespaces }: Vocabulary): XmlElement {
  return parseXml(bytes, { namespaces, entities, subject: 'The file' });
}

/** Title, authors and annotation of the description, then the bodies; notes are bodies of their own. */
export function readFictionBook(bytes: Uint8Array): FlowBlock[] {
  const root = parse(bytes, fictionBook);
  if (root.name !== 'FictionBook') throw new LecternError('invalid_document', 'The XML file is no FictionBook.');
  const pictures = new Map([...root.elements('binary')].map((binary) => [binary.get('id') ?? '', binary]));
  const image = (element: XmlElement): (() => Uint8Array) | undefined => {
    const found = pictures.get((element.get('xlink:href') ?? '').replace(/^#/, ''));
    return found === undefined ? undefined : () => Buffer.from(found.text, 'base64');
  };
  const about = root.at('description', 'title-info');
  const authors = [...about?.elements('author') ?? []].map((author) => oneLine([...author.elements()].filter(({ name }) => name.endsWith('name')).map(({ text }) => text).join(' ')));
  const annotation = about?.child('annotation');
  return [
    ...title(about?.child('book-title')?.text ?? ''), ...line(authors.filter((name) => name !== '').join(', ')),
    ...(annotation === undefined ? [] : readMarkup(annotation, fictionBook, { image })),
    ...[...root.elements('body')].flatMap((body) => readMarkup(body, fictionBook, { image }, { level: body.child('title') === undefined ? 1 : 2, isSection: true })),
  ];
}

export function readDocBook(bytes: Uint8Array): FlowBlock[] {
  return readMarkup(parse(bytes, docBook), docBook);
}

/** Of the statement of the title; where it has none, those of the source, as programs that read papers write them. */
function teiAuthors(root: XmlElement, statement: XmlElement | undefined): string[] {
  const stated = [...statement?.elements('author') ?? []];
  const authors = stated.length > 0 ? stated : [...[...root.descendants('sourceDesc')][0]?.descendants('author') ?? []];
  return [...new Set(authors.map((author) => {
    const person = author.child('persName');
    // Forename and surname stand in elements of their own, without a space between them.
    return oneLine(person === undefined ? author.text : [...person.children].map((part) => (typeof part === 'string' ? part : part.text)).join(' '));
  }))].filter((name) => name !== '');
}

function teiAbstracts(root: XmlElement): FlowBlock[] {
  const profile = [...root.descendants('profileDesc')][0];
  return [...profile?.elements('abstract') ?? []].flatMap((abstract): FlowBlock[] => {
    const blocks = readMarkup(abstract, tei, {}, { level: 2, isSection: true });
    return blocks.length === 0 || blocks[0]?.kind === 'heading' ? blocks : [{ kind: 'heading', level: 1, runs: [{ text: 'Abstract' }] }, ...blocks];
  });
}

/** Title, authors and abstract of the header, then the text. */
export function readTei(bytes: Uint8Array): FlowBlock[] {
  const root = parse(bytes, tei);
  const texts = [...root.descendants('text')];
  if (texts.length === 0) throw new LecternError('invalid_document', 'The XML file is no text of the Text Encoding Initiative.');
  const statement = [...root.descendants('titleStmt')][0];
  return [
    ...title([...statement?.elements('title') ?? []].map(({ text }) => oneLine(text)).join(': ')), ...line(teiAuthors(root, statement).join(', ')), ...teiAbstracts(root),
    ...texts.flatMap((text) => readMarkup(text, tei)),
  ];
}

/** Title, number, inventors and abstract, then description and claims. */
export function readPatent(bytes: Uint8Array): FlowBlock[] {
  const root = parse(bytes, patent);
  const about = [...root.elements()].find(({ name }) => name.startsWith('us-bibliographic-data'));
  const number = about?.child('publication-reference')?.child('document-id');
  const people = [...about?.descendants('inventor') ?? [], ...about?.descendants('us-applicant') ?? []].map((person) => {
    const book = [...person.descendants('addressbook')][0] ?? person;
    return oneLine(`${book.child('first-name')?.text ?? ''} ${book.child('last-name')?.text ?? ''}`);
  });
  const inventors = [...new Set(people)].filter((name) => name !== '').join(', ');
  const named = (name: string, text: string): FlowBlock[] => (oneLine(text) === '' ? [] : [{ kind: 'paragraph', runs: [{ text: `${name}:`, bold: true }, { text: ` ${oneLine(text)}` }] }]);
  const part = (name: string, heading: string, before: FlowBlock[] = []): FlowBlock[] => [...root.elements(name)].flatMap((element): FlowBlock[] => [{ kind: 'heading', level: 1, runs: [{ text: heading }] }, ...before, ...readMarkup(element, patent, {}, { level: 3, isSection: true })]);
  return [
    ...title(about?.child('invention-title')?.text ?? ''), ...named('Patent', number === undefined ? '' : [...number.elements()].map(({ text }) => text).join(' ')), ...named('Inventors', inventors),
    ...part('abstract', 'Abstract'), ...part('description', 'Description'), ...part('claims', 'Claims', [...root.elements('us-claim-statement')].flatMap(({ text }) => line(text))),
  ];
}

/** XML without a reader of its own, as it is written; an article of JATS without its marks is one all the same. */
export function readOtherXml(bytes: Uint8Array): FlowBlock[] {
  const text = decodeXml(bytes).replace(/^\ufeff/, '');
  const root = parseXml(text, { subject: 'The file' });
  if (root.name === 'article' && (root.child('front') ?? root.child('body')) !== undefined) return readJats(bytes);
  const runs: FlowRun[] = [];
  return [{ kind: 'code', text: text.trim(), language: 'XML', caption: runs }];
}
