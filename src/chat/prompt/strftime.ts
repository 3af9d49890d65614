/** Python's strftime in the English locale, local time. */
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Directives it does not know stay as they are; `%-d` leaves the zeros out. */
export function formatTime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (whole, dash: string, letter: string) => {
    const piece = pieceOf(date, letter);
    if (piece === null) return whole;
    return dash === '' ? piece : piece.replace(/^0+(?=\d)/, '');
  });
}

function pieceOf(date: Date, letter: string): string | null {
  const two = (value: number): string => String(value).padStart(2, '0');
  const month = months[date.getMonth()] ?? '';
  const weekday = weekdays[date.getDay()] ?? '';
  const hour12 = date.getHours() % 12 === 0 ? 12 : date.getHours() % 12;
  switch (letter) {
    case 'Y': return String(date.getFullYear());
    case 'y': return two(date.getFullYear() % 100);
    case 'm': return two(date.getMonth() + 1);
    case 'd': return two(date.getDate());
    case 'b': return month.slice(0, 3);
    case 'B': return month;
    case 'a': return weekday.slice(0, 3);
    case 'A': return weekday;
    case 'H': return two(date.getHours());
    case 'I': return two(hour12);
    case 'M': return two(date.getMinutes());
    case 'S': return two(date.getSeconds());
    case 'p': return date.getHours() < 12 ? 'AM' : 'PM';
    case 'j': return String(dayOfYear(date)).padStart(3, '0');
    case 'F': return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    case 'T': return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
    case '%': return '%';
    default: return null;
  }
}

function dayOfYear(date: Date): number {
  const year = date.getFullYear();
  return Math.round((Date.UTC(year, date.getMonth(), date.getDate()) - Date.UTC(year, 0, 1)) / 86_400_000) + 1;
}
