/** LaTeX source made ready to be read: comments out, an author's own commands replaced, braces matched once for all. */

/** Comments go with their line's end; a `%` behind a backslash stands for itself, and in verbatim text there are no comments. */
export function withoutComments(source: string): string {
  let verbatim = false;
  const lines = source.replace(/\r\n?/g, '\n').split('\n').map((line) => {
    const wasVerbatim = verbatim;
    if (/\\begin\{(?:verbatim|lstlisting|minted|Verbatim)\*?\}/.test(line)) verbatim = true;
    if (/\\end\{(?:verbatim|lstlisting|minted|Verbatim)\*?\}/.test(line)) verbatim = false;
    if (wasVerbatim || verbatim) return `${line}\n`;
    const comment = /(?<!\\)(?:\\\\)*%/.exec(line);
    if (comment === null) return `${line}\n`;
    const kept = line.slice(0, comment.index + comment[0].length - 1);
    // A line that is nothing but a comment is no empty line.
    return kept.trim() === '' ? '' : kept;
  });
  return lines.join('');
}

/** For each `{` the place of its `}`, for all others 0; one that is never closed has its partner at the end. */
export function matchBraces(source: string): Uint32Array {
  const partners = new Uint32Array(source.length);
  const open: number[] = [];
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 123) open.push(at);
    else if (code === 125) {
      const begin = open.pop();
      if (begin !== undefined) partners[begin] = at;
    }
  }
  for (const begin of open) partners[begin] = source.length;
  return partners;
}

interface AuthorCommand {
  parameters: number;
  /** Of the first parameter, where it may be left out. */
  fallback: string | null;
  body: string;
}

const definition = /\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*(?:\{\s*\\([A-Za-z@]+)\s*\}|\\([A-Za-z@]+))\s*(?:\[(\d)\])?\s*(?:\[([^\]]{0,200})\])?\s*(?=\{)|\\(?:def|gdef)\s*\\([A-Za-z@]+)((?:#\d){0,9})\s*(?=\{)/g;

/** The source without its definitions, and what they define. */
function takeDefinitions(source: string): { rest: string; commands: Map<string, AuthorCommand> } {
  const partners = matchBraces(source);
  const commands = new Map<string, AuthorCommand>();
  let rest = '';
  let done = 0;
  for (const match of source.matchAll(definition)) {
    if (match.index < done) continue;
    const begin = match.index + match[0].length;
    const end = partners[begin] ?? 0;
    if (end <= begin) continue;
    const [, braced, bare, count, fallback, defined, places] = match;
    const name = braced ?? bare ?? defined ?? '';
    commands.set(name, { parameters: count === undefined ? (places ?? '').length / 2 : Number(count), fallback: fallback ?? null, body: source.slice(begin + 1, end) });
    rest += source.slice(done, match.index);
    done = Math.min(source.length, end + 1);
  }
  return { rest: rest + source.slice(done), commands };
}

const deepestExpansion = 12;

/** Commands that the author defined, replaced by what they stand for; those that stand for themselves, or for too much, stay as they are: `unfinished` names them. */
export function expandCommands(source: string): { source: string; unfinished: string[] } {
  const { rest, commands } = takeDefinitions(source);
  const unfinished = new Set<string>();
  if (commands.size === 0) return { source: rest, unfinished: [] };
  // Commands may double in each step: what they add is bounded by what is there.
  let budget = rest.length + 1_000_000;
  const expand = (text: string, depth: number): string => {
    const partners = matchBraces(text);
    let written = '';
    let done = 0;
    for (const match of text.matchAll(/\\([A-Za-z@]+)/g)) {
      const command = commands.get(match[1] ?? '');
      if (match.index < done || command === undefined) continue;
      if (depth >= deepestExpansion || budget <= 0) {
        unfinished.add(match[1] ?? '');
        continue;
      }
      const found = readArguments(text, match.index + match[0].length, command, partners);
      if (found === null) continue;
      const body = command.body.replace(/#(\d)/g, (_, digit: string) => found.values[Number(digit) - 1] ?? '');
      budget -= body.length;
      written += text.slice(done, match.index) + expand(body, depth + 1) + (/^[A-Za-z]/.test(text[found.end] ?? '') && /\\[A-Za-z]+$/.test(body) ? ' ' : '');
      done = found.end;
    }
    return written + text.slice(done);
  };
  return { source: expand(rest, 0), unfinished: [...unfinished] };
}

function readArguments(text: string, from: number, command: AuthorCommand, partners: Uint32Array): { values: string[]; end: number } | null {
  const values: string[] = [];
  let at = from;
  const skipSpace = (): void => {
    while (/[ \t]/.test(text[at] ?? '')) at++;
  };
  if (command.fallback !== null) {
    const optional = /^\s*\[([^\]]{0,1000})\]/.exec(text.slice(at, at + 1100));
    values.push(optional?.[1] ?? command.fallback);
    at += optional?.[0].length ?? 0;
  }
  while (values.length < command.parameters) {
    skipSpace();
    const end = partners[at] ?? 0;
    if (text[at] !== '{' || end <= at) return null;
    values.push(text.slice(at + 1, end));
    at = Math.min(text.length, end + 1);
  }
  return { values, end: at };
}
