/** A log line as people read it, on a terminal: the time of day, what is not usual, the sentence, and what it is about. */

interface LogLine {
  level: string;
  time: string;
  msg: string;
  err?: { message?: unknown; stack?: unknown };
  [about: string]: unknown;
}

/** `line` is one of the log's JSON lines, with its end; so is the result, of several lines where it reports a defect. */
export function forPeople(line: string): string {
  const { level, time, msg, err, ...about } = JSON.parse(line) as LogLine;
  // The sentence is enough without the name of the room that logs it.
  const told = Object.entries(about).flatMap(([key, value]) => (value === null || key === 'room' ? [] : [`${key}=${valueOf(value)}`]));
  const head = [timeOfDay(time), ...(level === 'info' ? [] : [level.toUpperCase()]), msg, ...told].join(' ');
  // What begins at the margin is a line of the log, and no part of a name or a message from outside.
  return `${[oneLine(head), ...stackOf(err)].map(harmless).join('\n  ')}\n`;
}

function timeOfDay(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function valueOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueOf).join(',');
  return typeof value === 'string' && /^[^\s"=]+$/u.test(value) ? value : JSON.stringify(value);
}

function stackOf(err: LogLine['err']): string[] {
  const text = err?.stack ?? err?.message;
  return typeof text === 'string' ? text.split('\n') : [];
}

function oneLine(text: string): string {
  return text.replaceAll('\n', '\\n');
}

/** Names from outside could move the cursor or change the colours of a terminal. */
function harmless(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
