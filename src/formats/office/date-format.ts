/** Dates and times of spreadsheets: days since an epoch, shown by a format's code. */

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const dayMs = 86_400_000;
/** The last day of the year 9999. */
const lastDay = 2_958_466;
/** Longest time that is shown as elapsed, in days. */
const mostElapsedDays = 1e8;
const secondsPerMinute = 60;
const secondsPerHour = 3_600;
const secondsPerDay = 86_400;
const minutesPerHour = 60;
const hoursPerDay = 24;
const noon = 12;
/** Seconds, so that 59.9999999999 is a whole minute. */
const roundingSlack = 1e-9;
/** Decimals of a second that spreadsheets show. */
const mostDecimals = 3;

const withoutLiterals = (code: string): string => code.replace(/"[^"]*"|\\.|_.|\*./g, '');

/** Whether a section of a format shows its number as a date or a time. */
export function hasDateTokens(code: string): boolean {
  const bare = withoutLiterals(code);
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return true;
  return /[dyhms]/i.test(bare.replace(/\[[^\]]*\]/g, '').replace(/general|e[+-]/gi, ''));
}

/** The moment of a serial number as UTC. Excel's 1900 has a 29th of February, which is day 60; null outside what Excel can show. */
export function dateOf(serial: number, date1904: boolean): Date | null {
  const counted = date1904 ? serial + 1462 : serial;
  if (!(counted >= 0 && counted < lastDay)) return null;
  const day = counted < 60 ? counted + 1 : counted;
  return new Date(Math.round((day - 25_569) * dayMs));
}

interface DatePiece {
  token: string;
  literal: boolean;
}

function pieces(code: string): DatePiece[] {
  const found: DatePiece[] = [];
  const pattern = /"([^"]*)"?|\\(.)|_.|\*.|(\[(?:h+|m+|s+)\])|\[[^\]]*\]|(AM\/PM|A\/P)|(\.0+)|(y+|m+|d+|h+|s+|e+)|([^])/gi;
  for (const [whole, quoted, escaped, elapsed, half, fraction, token, other] of code.matchAll(pattern)) {
    const part = elapsed ?? half ?? fraction ?? token;
    if (part !== undefined) found.push({ token: part.toLowerCase(), literal: false });
    else found.push({ token: quoted ?? escaped ?? other ?? (whole.startsWith('_') ? ' ' : ''), literal: true });
  }
  return found;
}

/** `m` is a minute beside hours before it or seconds behind it, else a month. */
function isMinute(parts: DatePiece[], index: number): boolean {
  const tokens = parts.map((part, at) => ({ ...part, at })).filter(({ literal }) => !literal);
  const position = tokens.findIndex(({ at }) => at === index);
  return /^\[?h/.test(tokens[position - 1]?.token ?? '') || /^(?:\[?s|\.0)/.test(tokens[position + 1]?.token ?? '');
}

const two = (value: number): string => String(value).padStart(2, '0');

/** How dates look under a section of a format; gives null where the number is no moment that a spreadsheet can show. */
export function dateFormatter(code: string, date1904: boolean): (serial: number) => string | null {
  const parts = pieces(code);
  const decimals = Math.max(0, ...parts.filter(({ literal, token }) => !literal && /^\.0/.test(token)).map(({ token }) => token.length - 1));
  const unit = 10 ** Math.min(decimals, mostDecimals);
  const hasElapsed = parts.some(({ literal, token }) => !literal && token.startsWith('['));
  const half = parts.some(({ literal, token }) => !literal && /^a/.test(token));
  const minutes = parts.map((_, index) => isMinute(parts, index));
  return (serial) => {
    if (!hasElapsed && (serial < 0 || serial >= lastDay) || !Number.isFinite(serial) || Math.abs(serial) > mostElapsedDays) return null;
    // Rounded to what is shown, so that 23:59:59.99 does not become 23:59:60.
    const seconds = Math.round(Math.abs(serial) * secondsPerDay * unit) / unit;
    const moment = hasElapsed ? new Date(0) : dateOf(seconds / secondsPerDay, date1904);
    if (moment === null) return null;
    let text = hasElapsed && serial < 0 ? '-' : '';
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as DatePiece;
      text += part.literal ? part.token : shown(part.token, moment, seconds, half, minutes[index] ?? false);
    }
    return text;
  };
}

function shown(token: string, moment: Date, seconds: number, half: boolean, minute: boolean): string {
  const hours = Math.floor(seconds / secondsPerHour) % hoursPerDay;
  const hour = half ? (hours + noon - 1) % noon + 1 : hours;
  const width = token.length;
  const minutes = Math.floor(seconds / secondsPerMinute) % minutesPerHour;
  const wholeSeconds = Math.floor(seconds + roundingSlack) % secondsPerMinute;
  if (token.startsWith('[')) {
    const whole = Math.floor(seconds / (token[1] === 'h' ? secondsPerHour : token[1] === 'm' ? secondsPerMinute : 1) + roundingSlack);
    return String(whole).padStart(width - 2, '0');
  }
  if (token.startsWith('.')) return (seconds % 1).toFixed(Math.min(mostDecimals, width - 1)).slice(1);
  switch (token[0]) {
    case 'y': case 'e': return width <= 2 && token[0] === 'y' ? two(moment.getUTCFullYear() % 100) : String(moment.getUTCFullYear());
    case 'm': if (minute && width <= 2) return width === 2 ? two(minutes) : String(minutes);
      return monthName(moment.getUTCMonth(), width);
    case 'd': return dayName(moment, width);
    case 'h': return width >= 2 ? two(hour) : String(hour);
    case 's': return width >= 2 ? two(wholeSeconds) : String(wholeSeconds);
    default: return width > 3 ? (hours < noon ? 'AM' : 'PM') : hours < noon ? 'A' : 'P';
  }
}

function monthName(month: number, width: number): string {
  if (width <= 2) return width === 2 ? two(month + 1) : String(month + 1);
  const name = months[month] ?? '';
  return width === 3 ? name.slice(0, 3) : width === 5 ? name.slice(0, 1) : name;
}

function dayName(moment: Date, width: number): string {
  if (width <= 2) return width === 2 ? two(moment.getUTCDate()) : String(moment.getUTCDate());
  const name = days[moment.getUTCDay()] ?? '';
  return width === 3 ? name.slice(0, 3) : name;
}
