/** Content lines of iCalendar (RFC 5545) and vCard (RFC 6350): folded lines joined, parameters and values told apart, components nested. */
import { decodeText } from '../text-encoding.js';

export interface ContentProperty {
  /** Upper case, without its group: `TEL` of `home.TEL`. */
  name: string;
  parameters: Map<string, string>;
  /** As it is written: its escapes are decoded by `valueText`. */
  value: string;
}

export interface ContentComponent {
  /** `VEVENT`, `VCARD`; empty for the file itself. */
  name: string;
  properties: ContentProperty[];
  components: ContentComponent[];
}

/** Components in components: deeper ones are read as if they stood one level higher. */
const deepest = 20;
const longestName = 100;
/** Kinds that never stand in one of their own kind. */
const neverNested = new Set(['VCARD', 'VCALENDAR', 'VEVENT', 'VTODO', 'VJOURNAL']);

function unfolded(text: string): string[] {
  // The pieces of each line: joined once, as a value may have many.
  const lines: { pieces: string[]; isQuotedPrintable: boolean }[] = [];
  for (const piece of text.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    const last = lines.at(-1);
    if (last !== undefined && (piece.startsWith(' ') || piece.startsWith('\t'))) last.pieces.push(piece.slice(1));
    // vCard 2.1: a value in quoted-printable goes on behind a soft line end.
    else if (last?.isQuotedPrintable === true && last.pieces.at(-1)?.endsWith('=') === true) last.pieces.push(last.pieces.pop()?.slice(0, -1) ?? '', piece);
    else lines.push({ pieces: [piece], isQuotedPrintable: /;(?:ENCODING=)?QUOTED-PRINTABLE/i.test(piece) });
  }
  return lines.map(({ pieces }) => pieces.join(''));
}

function propertyOf(line: string): ContentProperty | null {
  const head = /^(?:[\w-]{1,100}\.)?([\w-]{1,100})((?:;(?:[^":;]|"[^"]*")*)*):/.exec(line.slice(0, line.indexOf(':') < 0 ? longestName : line.length));
  if (head === null) return null;
  const parameters = new Map<string, string>();
  for (const [, name = '', value = ''] of (head[2] ?? '').matchAll(/;([\w-]+)(?:=((?:[^";]|"[^"]*")*))?/g)) {
    const key = name.toUpperCase();
    const known = parameters.get(key);
    parameters.set(key, `${known === undefined ? '' : `${known},`}${value.replace(/"/g, '')}`);
  }
  return { name: (head[1] ?? '').toUpperCase(), parameters, value: decodedValue(line.slice(head[0].length), parameters) };
}

function decodedValue(value: string, parameters: Map<string, string>): string {
  if (!/^quoted-printable$/i.test(parameters.get('ENCODING') ?? '') && !parameters.has('QUOTED-PRINTABLE')) return value;
  const charset = parameters.get('CHARSET') ?? null;
  // Other characters stand as they are: some programs leave them so.
  return value.replace(/(?:=[0-9a-f]{2})+/gi, (codes) => decodeText(Buffer.from(codes.replaceAll('=', ''), 'hex'), charset));
}

/** The components of a text. Lines that are no content lines are passed over. */
export function readContentLines(text: string): ContentComponent {
  const root: ContentComponent = { name: '', properties: [], components: [] };
  const open = [root];
  for (const line of unfolded(text)) {
    const property = propertyOf(line);
    if (property === null) continue;
    const around = open.at(-1) ?? root;
    if (property.name === 'BEGIN') {
      const component: ContentComponent = { name: property.value.trim().toUpperCase(), properties: [], components: [] };
      // A component of this kind that was not ended ends here.
      const same = neverNested.has(component.name) ? open.findIndex(({ name }) => name === component.name) : -1;
      if (same > 0) open.length = same;
      (open.at(-1) ?? root).components.push(component);
      if (open.length < deepest) open.push(component);
    } else if (property.name === 'END') {
      const ended = open.findLastIndex(({ name }) => name === property.value.trim().toUpperCase());
      if (ended > 0) open.length = ended;
    } else around.properties.push(property);
  }
  return root;
}

/** A value as people read it: `\n` is a line end, `\,` a comma. */
export function valueText(value: string): string {
  return value.replace(/\\([nN,;:\\])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)).trim();
}

/** The parts of a value that has several, such as a name or an address. */
export function valueParts(value: string): string[] {
  return value.split(/(?<!\\);/).map(valueText);
}
