/** The object that a text of JSON begins: templates take arguments as an object, and a model may have been cut within it. */

/** What is whole of it, a text that was cut with what there is; `{}` for a text that begins no object. Takes time in proportion to the text. */
export function objectBegunBy(text: string): Record<string, unknown> {
  for (const candidate of [text, ...endings(text)]) {
    const value = parsed(candidate);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  }
  return {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const notable = /["{}[\],]/g;
const stringEnd = /[^"\\]*(?:\\.[^"\\]*)*"/ys;

/** The text closed where it ends, and cut behind its last whole value and closed there. */
function endings(text: string): string[] {
  const open: string[] = [];
  /** Where a comma or the end of a value last stood, and what was open there. */
  let safe = { at: 0, closers: '' };
  const closers = (): string => [...open].reverse().join('');
  notable.lastIndex = 0;
  for (let found = notable.exec(text); found !== null; found = notable.exec(text)) {
    const at = found.index;
    if (found[0] === '"') {
      stringEnd.lastIndex = at + 1;
      if (stringEnd.exec(text) === null) return [`${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')}"${closers()}`, `${text.slice(0, safe.at)}${safe.closers}`];
      notable.lastIndex = stringEnd.lastIndex;
    } else if (found[0] === '{' || found[0] === '[') {
      open.push(found[0] === '{' ? '}' : ']');
      safe = { at: at + 1, closers: closers() };
    } else if (found[0] === ',') safe = { at, closers: closers() };
    else {
      open.pop();
      safe = { at: at + 1, closers: closers() };
    }
  }
  return [`${text}${closers()}`, `${text.slice(0, safe.at)}${safe.closers}`];
}
