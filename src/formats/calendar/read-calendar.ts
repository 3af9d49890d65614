/** Calendars (ICS) and cards of people (VCF) as blocks: what is meant for readers, line by line; numbers of records and times of changes are left out. */
import type { FlowBlock, FlowRun } from '../flow/flow-blocks.js';
import { readContentLines, valueParts, valueText } from './content-lines.js';
import type { ContentComponent, ContentProperty } from './content-lines.js';

function labelled(label: string, value: string): FlowBlock[] {
  return value === '' ? [] : [{ kind: 'paragraph', runs: [{ text: `${label}:`, bold: true }, { text: ` ${value}` }] }];
}

/** `20260305T090000Z` as `2026-03-05 09:00 UTC`, a day as `2026-03-05`; other values stay as they are. */
function timeText({ value, parameters }: ContentProperty): string {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{0,2}(Z)?)?$/.exec(value.trim());
  if (match === null) return valueText(value);
  const [, year, month, day, hour, minute, zulu] = match;
  const zone = zulu === undefined ? parameters.get('TZID') ?? '' : 'UTC';
  return `${year}-${month}-${day}${hour === undefined ? '' : ` ${hour}:${minute}${zone === '' ? '' : ` ${zone}`}`}`;
}

const find = (component: ContentComponent, name: string): ContentProperty | undefined => component.properties.find((property) => property.name === name);
const textOf = (component: ContentComponent, name: string): string => valueText(find(component, name)?.value ?? '');

function personText({ value, parameters }: ContentProperty): string {
  const address = valueText(value).replace(/^mailto:/i, '');
  const name = parameters.get('CN') ?? '';
  return name === '' || name === address ? address : `${name} <${address}>`;
}

/** Properties whose values are said as they stand, in the order of a printed invitation. */
const eventLines: [label: string, name: string][] = [['Place', 'LOCATION'], ['Repeats', 'RRULE'], ['Status', 'STATUS'], ['Categories', 'CATEGORIES'], ['Contact', 'CONTACT'], ['Link', 'URL']];

function eventBlocks(event: ContentComponent, level: number): FlowBlock[] {
  const summary = textOf(event, 'SUMMARY').replace(/\s+/g, ' ');
  const times = [find(event, 'DTSTART'), find(event, 'DTEND') ?? find(event, 'DUE')].filter((time) => time !== undefined).map(timeText);
  const people = (name: string): string => event.properties.filter((property) => property.name === name).map(personText).join(', ');
  return [
    { kind: 'heading', level, runs: [{ text: summary === '' ? 'Entry without a title' : summary }] },
    ...labelled('Time', times.join(' \u2013 ')), ...labelled('Duration', textOf(event, 'DURATION')),
    ...eventLines.flatMap(([label, name]) => labelled(label, event.properties.filter((property) => property.name === name).map(({ value }) => valueText(value)).join(', '))),
    ...labelled('Organiser', people('ORGANIZER')), ...labelled('Attendees', people('ATTENDEE')),
    ...texts(event, 'DESCRIPTION'), ...texts(event, 'COMMENT'),
  ];
}

function paragraphs(text: string): FlowBlock[] {
  return text.split(/\n\s*\n/).filter((part) => part.trim() !== '').map((part) => ({ kind: 'paragraph', runs: [{ text: part.trim() }] as FlowRun[] }));
}

/** Of each property of that name. */
function texts(component: ContentComponent, name: string): FlowBlock[] {
  return component.properties.filter((property) => property.name === name).flatMap(({ value }) => paragraphs(valueText(value)));
}

/** The entries of a calendar: events, tasks and journals, each below a heading of `level`. */
export function readCalendar(text: string, level = 1): FlowBlock[] {
  const calendars = readContentLines(text).components.flatMap((component) => (component.name === 'VCALENDAR' ? [component] : []));
  return calendars.flatMap((calendar) => {
    const name = textOf(calendar, 'X-WR-CALNAME');
    const entries = calendar.components.filter((component) => /^V(?:EVENT|TODO|JOURNAL)$/.test(component.name));
    return [...(name === '' ? [] : [{ kind: 'title', runs: [{ text: name }] } as FlowBlock]), ...entries.flatMap((entry) => eventBlocks(entry, level))];
  });
}

const cardLines: [label: string, name: string][] = [
  ['Name', 'N'], ['Nickname', 'NICKNAME'], ['Organisation', 'ORG'], ['Title', 'TITLE'], ['Role', 'ROLE'], ['Telephone', 'TEL'], ['E-mail', 'EMAIL'], ['Address', 'ADR'], ['Address', 'LABEL'], ['Birthday', 'BDAY'],
  ['Anniversary', 'ANNIVERSARY'], ['Messaging', 'IMPP'], ['Related', 'RELATED'], ['Language', 'LANG'], ['Categories', 'CATEGORIES'], ['Link', 'URL'],
];

function cardValue({ name, value }: ContentProperty): string {
  const parts = valueParts(value).filter((part) => part !== '');
  // Family name, given name and more: `Poe, Dora`.
  return parts.join(name === 'ORG' ? ' \u2013 ' : ', ').replace(/^(?:tel|mailto):/i, '');
}

function kindOf({ parameters }: ContentProperty): string {
  const kinds = [...(parameters.get('TYPE') ?? '').split(','), ...[...parameters.entries()].filter(([, value]) => value === '').map(([name]) => name)];
  const shown = kinds.map((kind) => kind.toLowerCase()).filter((kind) => /^(?:home|work|cell|mobile|fax|voice|pager|video|textphone)$/.test(kind));
  return shown.length === 0 ? '' : ` (${[...new Set(shown)].join(', ')})`;
}

/** The cards of people, each below a heading with its name. */
export function readCards(text: string): FlowBlock[] {
  return readContentLines(text).components.filter(({ name }) => name === 'VCARD').flatMap((card): FlowBlock[] => {
    const full = textOf(card, 'FN');
    const name = full === '' ? cardValue(find(card, 'N') ?? { name: 'N', value: '', parameters: new Map() }) : full;
    // Family name and given name are in the heading, as a rule.
    const isSaid = ({ name: key, value }: ContentProperty): boolean => key === 'N' && valueParts(value).every((part) => full.includes(part));
    const lines = cardLines.flatMap(([label, key]) => card.properties.filter((property) => property.name === key && !isSaid(property)).flatMap((property) => labelled(`${label}${kindOf(property)}`, cardValue(property))));
    return [{ kind: 'heading', level: 1, runs: [{ text: name === '' ? 'Card without a name' : name.replace(/\s+/g, ' ') }] }, ...lines, ...texts(card, 'NOTE')];
  });
}
