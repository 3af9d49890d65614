/** Cited works as lines: as the paper writes them where it does, else put together from their fields. */
import type { XmlElement } from '../xml.js';
import { plainWords } from './jats-inline.js';

function names(group: XmlElement): string {
  const parts: string[] = [];
  for (const node of group.elements()) {
    if (node.name === 'name' || node.name === 'string-name') {
      const surname = plainWords(node.child('surname'));
      parts.push(surname === '' ? plainWords(node) : [surname, plainWords(node.child('given-names'))].filter((part) => part !== '').join(' '));
    } else if (node.name === 'collab' || node.name === 'etal' || node.name === 'anonymous') {
      parts.push(node.name === 'etal' ? 'et al' : plainWords(node));
    }
  }
  return parts.filter((part) => part !== '').join(', ');
}

function sentence(text: string): string {
  return text === '' || /[.?!]$/.test(text) ? text : `${text}.`;
}

/** `Source 37:W202–W208 (2009).` */
function placeOf(citation: XmlElement): string {
  const field = (name: string): string => plainWords(citation.child(name));
  const [first, last, locator] = [field('fpage'), field('lpage'), field('elocation-id')];
  const pages = first === '' ? locator : last === '' || last === first ? first : `${first}–${last}`;
  const volume = field('volume');
  const where = [volume, pages].filter((part) => part !== '').join(':');
  const year = field('year');
  const publisher = [field('publisher-name'), field('publisher-loc')].filter((part) => part !== '').join(', ');
  const line = [[field('source'), where].filter((part) => part !== '').join(' '), publisher].filter((part) => part !== '').join('. ');
  return sentence([line, year === '' ? '' : `(${year})`].filter((part) => part !== '').join(' '));
}

function numbersOf(citation: XmlElement): string {
  const known: Record<string, string> = { doi: 'DOI', pmid: 'PMID', pmcid: 'PMCID', isbn: 'ISBN', arxiv: 'arXiv', accession: 'Accession' };
  const ids = [...citation.elements('pub-id')].map((id) => {
    const kind = id.get('pub-id-type') ?? '';
    const label = known[kind] ?? id.get('assigning-authority') ?? kind;
    return label === '' ? plainWords(id) : `${label}: ${plainWords(id)}`;
  });
  return ids.join(', ');
}

function fromFields(citation: XmlElement): string {
  const groups = [...citation.elements('person-group')];
  const authors = groups.length > 0 ? groups.map(names).filter((text) => text !== '').join('; ') : names(citation);
  const title = plainWords(citation.child('article-title') ?? citation.child('chapter-title') ?? citation.child('data-title') ?? citation.child('part-title'));
  return [sentence(authors), sentence(title), placeOf(citation), numbersOf(citation)].filter((part) => part !== '').join(' ');
}

/** One work: the citation of a `ref`. Empty where it holds nothing. */
export function citationText(citation: XmlElement): string {
  // In a mixed citation the paper's own punctuation stands between the fields.
  const written = citation.children.some((node) => typeof node === 'string' && /[^\s]/.test(node));
  return written || citation.name === 'mixed-citation' ? plainWords(citation) : fromFields(citation) || plainWords(citation);
}

const citations = ['mixed-citation', 'element-citation', 'citation', 'nlm-citation'];

/** The lines of a `ref`: one for each work it names. */
export function referenceLines(ref: XmlElement): string[] {
  const lines: string[] = [];
  const gather = (element: XmlElement): void => {
    for (const node of element.elements()) {
      if (citations.includes(node.name)) lines.push(citationText(node));
      else if (node.name === 'citation-alternatives') {
        const first = [...node.elements()].find((one) => citations.includes(one.name));
        if (first !== undefined) lines.push(citationText(first));
      } else if (node.name === 'note') lines.push(plainWords(node));
    }
  };
  gather(ref);
  return lines.filter((line) => line !== '');
}
