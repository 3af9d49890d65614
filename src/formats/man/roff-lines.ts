/** The lines of a roff source after its conditions, definitions and comments: what a terminal (nroff) is given. */
import type { RoffBudget } from './roff-budget.js';
import { requestArguments } from './roff-text.js';
import type { RoffStrings } from './roff-text.js';

const deepestMacros = 8;
/** Conditions in conditions: each is a call of its own, and the stack has an end. */
const deepestConditions = 100;

/** Whether a terminal takes the branch; null where the condition is one that is not judged (registers, strings), which counts as false. */
function condition(rest: string): { holds: boolean; body: string } {
  const match = /^\s*(!?)(?:([ntoe])(?=\s|\\\{|$)|(\d+)(?=\s|\\\{|$)|('[^']*'[^']*'|\\?[^\s\\]+(?:\\\(?\[?\w+\]?)*))\s?/.exec(rest);
  if (match === null) return { holds: false, body: rest };
  const [whole, not, letter, digits] = match;
  const holds = letter === undefined ? digits !== undefined && Number(digits) > 0 : letter === 'n' || letter === 'o';
  return { holds: holds !== (not === '!'), body: rest.slice(whole.length).trimStart() };
}

class Lines {
  readonly made: string[] = [];
  readonly #macros = new Map<string, string[]>();
  readonly #branches: boolean[] = [];
  #conditions = 0;

  constructor(private readonly strings: RoffStrings, private readonly budget: RoffBudget) {}

  read(lines: string[], depth = 0): void {
    for (let at = 0; at < lines.length && this.budget.takeLines(1); at++) {
      const line = lines[at] as string;
      const request = /^[.'][ \t]*(\S*)(.*)$/.exec(line);
      if (request === null) {
        this.made.push(line);
        continue;
      }
      const [, name = '', rest = ''] = request;
      if (name === '' || name.startsWith('\\"')) continue;
      if (name === 'de' || name === 'de1' || name === 'am' || name === 'ig') at = this.#definition(lines, at, name, rest);
      else if (name === 'ds' || name === 'as') this.#string(name, rest);
      else if (name === 'if' || name === 'ie' || name === 'el') at = this.#conditional(lines, at, name, rest, depth);
      else if (this.#macros.has(name) && depth < deepestMacros) this.#call(name, rest, depth);
      else this.made.push(line.replace(/^'[ \t]*|^\.[ \t]+/, '.'));
    }
  }

  #definition(lines: string[], at: number, name: string, rest: string): number {
    const [macro = '', until = '.'] = rest.trim().split(/\s+/);
    const end = name === 'ig' && macro !== '' ? `.${macro}` : until === '.' ? '..' : `.${until}`;
    let last = at + 1;
    while (last < lines.length && (lines[last] as string).replace(/^[.'][ \t]*/, '.').trimEnd() !== end) last++;
    this.budget.takeLines(last - at);
    // The macros that pages are made of keep their meaning: pages define them again only where they are missing.
    if (name !== 'ig' && !/^(?:TH|SH|SS|PP|P|LP|TP|IP|RS|RE|B|I|R|BI|BR|IB|IR|RB|RI|SM|SB|UR|UE|MT|ME|EX|EE|SY|YS|OP)$/.test(macro)) this.#macros.set(macro, lines.slice(at + 1, last));
    return last;
  }

  #string(name: string, rest: string): void {
    const [, string = '', value = ''] = /^\s*(\S+)\s?"?(.*)$/.exec(rest) ?? [];
    if (string !== '') this.strings.set(string, name === 'as' ? (this.strings.get(string) ?? '') + value : value);
  }

  /** The macro's lines with `\\$1` to `\\$9` and `\\$*` in place. */
  #call(name: string, rest: string, depth: number): void {
    const given = requestArguments(rest);
    const all = given.join(' ');
    const put = (_: string, which: string): string => {
      const words = /\d/.test(which) ? given[Number(which) - 1] ?? '' : all;
      return this.budget.takeText(words.length) ? words : '';
    };
    const lines: string[] = [];
    for (const line of this.#macros.get(name) ?? []) {
      if (!this.budget.takeText(line.length)) return;
      lines.push(line.replace(/\\\\?\$([1-9*@])/g, put).replaceAll('\\\\', '\\'));
    }
    this.read(lines, depth + 1);
  }

  #conditional(lines: string[], at: number, name: string, rest: string, depth: number): number {
    let [holds, body] = [false, rest.trimStart()];
    if (name === 'el') holds = !(this.#branches.pop() ?? true);
    else ({ holds, body } = condition(rest));
    if (name === 'ie') this.#branches.push(holds);
    if (!body.startsWith('\\{')) {
      if (holds && body.trim() !== '') this.#inside([body], depth);
      return at;
    }
    // A block ends where its braces do.
    const inside: string[] = [];
    let open = 0;
    let line = body;
    let last = at;
    for (;;) {
      const braces = line.match(/\\[{}]/g) ?? [];
      for (const brace of braces) open += brace === '\\{' ? 1 : -1;
      inside.push(line);
      if (open <= 0 || last + 1 >= lines.length) break;
      line = lines[++last] as string;
    }
    inside[0] = (inside[0] as string).replace(/^\\\{\\?/, '');
    const ending = inside.at(-1) as string;
    const brace = ending.lastIndexOf('\\}');
    if (brace >= 0) inside[inside.length - 1] = ending.slice(0, brace) + ending.slice(brace + 2);
    this.budget.takeLines(last - at);
    if (holds) this.#inside(inside.filter((one) => one.trim() !== '' && one.trim() !== '.'), depth);
    return last;
  }

  #inside(lines: string[], depth: number): void {
    if (this.#conditions >= deepestConditions) {
      this.budget.tooDeep = true;
      return;
    }
    this.#conditions++;
    this.read(lines, depth);
    this.#conditions--;
  }
}

/** Strings that the source defines are added to `strings`. */
export function roffLines(source: string, strings: RoffStrings): string[] {
  const lines = new Lines(strings, strings.budget);
  // A backslash at the end of a line joins it with the next; comments go first.
  lines.read(source.replace(/\r\n?/g, '\n').replace(/(^|[^\\])\\[#"].*$/gm, '$1').replace(/(^|[^\\])\\\n/g, '$1').split('\n'));
  return lines.made;
}
