/**
 * Business reports as XBRL instances: figures as a table of concept, period, value and unit, texts of notes as the pages that they hold. Concepts have their names of the taxonomy, because its labels are in other files.
 */
import { LecternError } from '../../errors.js';
import type { FlowBlock, FlowTableEntry } from '../flow/flow-blocks.js';
import { readHtml } from '../html/read-html.js';
import { parseXml } from '../xml.js';
import type { XmlElement } from '../xml.js';

const options = {
  namespaces: { 'http://www.xbrl.org/2003/instance': 'xbrli', 'http://www.xbrl.org/2003/linkbase': 'link', 'http://www.w3.org/1999/xlink': 'xlink', 'http://xbrl.org/2006/xbrldi': 'xbrldi' }, subject: 'The report',
};
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** `us-gaap:RevenueFromSales` -> `Revenue From Sales`. */
const nameOf = (name: string): string => name.replace(/^.*:/, '').replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4');
/** Text with marks of a page, or longer than a cell should hold. */
const isPage = (text: string): boolean => /<\/?[a-z][^<>]*>/i.test(text);
const longestCell = 400;

interface Context {
  period: string;
  /** Members of dimensions. */
  members: string;
}

/** The value of a typed member as it is written; of one that is made of several elements, each with its name. */
function typedValue(member: XmlElement): string {
  const [value] = member.elements();
  const parts = [...(value?.elements() ?? [])];
  return parts.length === 0 ? oneLine(member.text) : parts.map((part) => `${nameOf(part.name)} ${oneLine(part.text)}`).join(', ');
}

function contextOf(element: XmlElement): Context {
  const period = element.child('xbrli:period');
  const [instant, start, end] = ['xbrli:instant', 'xbrli:startDate', 'xbrli:endDate'].map((name) => oneLine(period?.child(name)?.text ?? ''));
  // A typed member is a value, an explicit one the name of a concept.
  const members = [...element.descendants('xbrldi:explicitMember')].map((member) => `${nameOf(member.get('dimension') ?? '')}: ${nameOf(oneLine(member.text))}`);
  members.push(...[...element.descendants('xbrldi:typedMember')].map((member) => `${nameOf(member.get('dimension') ?? '')}: ${typedValue(member)}`));
  return { period: instant !== '' ? instant ?? '' : start === '' ? '' : `${start} \u2013 ${end}`, members: members.join('; ') };
}

function unitOf(element: XmlElement): string {
  const measures = (name: string): string => [...(element.at('xbrli:divide', name)?.elements('xbrli:measure') ?? [])].map(({ text }) => nameOf(oneLine(text))).join(' \u00d7 ');
  const divided = element.child('xbrli:divide');
  return divided === undefined ? [...element.elements('xbrli:measure')].map(({ text }) => nameOf(oneLine(text))).join(' \u00d7 ') : `${measures('xbrli:unitNumerator')} / ${measures('xbrli:unitDenominator')}`;
}

/** Facts in their order; those of a tuple stand in it. */
function* factsOf(parent: XmlElement): Generator<XmlElement> {
  for (const element of parent.elements()) {
    if (element.name.startsWith('xbrli:') || element.name.startsWith('link:')) continue;
    if (element.get('contextRef') !== undefined) yield element;
    else yield* factsOf(element);
  }
}

const entry = (text: string, header?: 'column'): FlowTableEntry => ({ blocks: text === '' ? [] : [{ kind: 'paragraph', runs: [{ text }] }], rowSpan: 1, columnSpan: 1, header });

/** Throws LecternError `invalid_document`. */
export function readXbrl(bytes: Uint8Array): FlowBlock[] {
  const root = parseXml(bytes, options);
  if (root.name !== 'xbrli:xbrl') throw new LecternError('invalid_document', 'The XML file is no XBRL instance.');
  const contexts = new Map([...root.elements('xbrli:context')].map((element) => [element.get('id') ?? '', contextOf(element)]));
  const units = new Map([...root.elements('xbrli:unit')].map((element) => [element.get('id') ?? '', unitOf(element)]));
  const entities = new Set([...root.elements('xbrli:context')].map((element) => oneLine(element.at('xbrli:entity', 'xbrli:identifier')?.text ?? '')).filter((text) => text !== ''));
  const [rows, pages]: [FlowTableEntry[][], FlowBlock[]] = [[], []];
  for (const fact of factsOf(root)) {
    const context = contexts.get(fact.get('contextRef') ?? '');
    const text = fact.text.trim();
    const [name, period, unit] = [nameOf(fact.name), [context?.period ?? '', context?.members ?? ''].filter((part) => part !== '').join('; '), units.get(fact.get('unitRef') ?? '') ?? ''];
    if (text === '') continue;
    if (unit === '' && (isPage(text) || text.length > longestCell)) {
      pages.push({ kind: 'heading', level: 1, runs: [{ text: period === '' ? name : `${name} (${period})` }] });
      if (isPage(text)) for (const block of readHtml(text)) pages.push(block);
      else pages.push({ kind: 'paragraph', runs: [{ text: oneLine(text) }] });
    } else rows.push([name, period, oneLine(text), unit].map((words) => entry(words)));
  }
  const notes = [...root.elements('link:footnoteLink')].flatMap((link) => [...link.elements('link:footnote')]).map((note): FlowBlock => ({ kind: 'footnote', runs: [{ text: oneLine(note.text) }] }));
  const table: FlowBlock[] = rows.length === 0 ? [] : [{ kind: 'table', caption: [], rows: [['Concept', 'Period', 'Value', 'Unit'].map((words) => entry(words, 'column')), ...rows] }];
  return [...(entities.size === 0 ? [] : [{ kind: 'paragraph', runs: [{ text: 'Entity:', bold: true }, { text: ` ${[...entities].join(', ')}` }] } as FlowBlock]), ...table, ...pages, ...notes];
}
