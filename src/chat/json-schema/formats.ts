/** The formats of strings that are kept, each by a pattern for its texts, and those of numbers. */
const date = '(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))'
  + '|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)';
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?';
const domain = '(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.)+[A-Za-z]{2,24}';
const path = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
const count = '\\d{1,9}';
const tilde = '(?:[^~/]|~[01])';

/** Eight groups, or fewer with one gap for the rest. */
function ipv6(): string {
  const group = '[0-9A-Fa-f]{1,4}';
  const groups = (least: number, most: number): string => (most === 0 ? '' : `(?:${group}(?::${group}){${Math.max(0, least - 1)},${most - 1}})${least === 0 ? '?' : ''}`);
  const gaps = Array.from({ length: 8 }, (_, left) => `${groups(left, left)}::${groups(0, 7 - left)}`);
  return [groups(8, 8), ...gaps].join('|');
}

/** Of RFC 3339, 4122, 5321, 3986 and 6901, in forms that every validator takes. */
const patterns: Record<string, string> = {
  date,
  time,
  'date-time': `${date}T${time}`,
  duration: `P(?!$)(?:${count}W|(?:${count}Y)?(?:${count}M)?(?:${count}D)?(?:T(?=\\d)(?:${count}H)?(?:${count}M)?(?:${count}S)?)?)`,
  email: `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]+)*@${domain}`,
  hostname: `${label}(?:\\.${label}){0,3}`,
  ipv4: `${octet}(?:\\.${octet}){3}`,
  ipv6: ipv6(),
  uuid: '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}',
  uri: `[a-z][a-z0-9+.-]{1,30}:(?://${domain}(?::\\d{1,5})?(?:/${path}*)*|${path}+)(?:\\?(?:${path}|[/?])*)?(?:#(?:${path}|[/?])*)?`,
  'json-pointer': `(?:/${tilde}*)*`,
  byte: '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?',
};
const alike: Record<string, string> = { 'uri-reference': 'uri', url: 'uri', iri: 'uri', 'iri-reference': 'uri', 'idn-email': 'email', 'idn-hostname': 'hostname', base64: 'byte' };
/** They only say how a value is to be shown or held. */
const free = new Set(['password', 'binary', 'int32', 'int64', 'float', 'double', 'number', 'string', 'text', 'textarea', 'multiline', 'markdown', 'html']);

/** A pattern for the whole text, empty for a format that every text has, null for one that is not known. */
export function formatPattern(name: string): string | null {
  if (free.has(name)) return '';
  const pattern = patterns[alike[name] ?? name];
  return pattern === undefined ? null : `^(?:${pattern})$`;
}

/** Bounds of a number's format; undefined for one that has none. */
export function formatBounds(name: unknown): readonly [least: number, most: number] | undefined {
  return name === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : undefined;
}
