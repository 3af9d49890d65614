/** The instructions of a Containerfile, as far as ours uses them; every other one, and every other flag, is refused. */

export interface Instruction {
  name: string;
  /** Line by line joined, without its flags. */
  text: string;
  flags: Record<string, string>;
  line: number;
}

export interface Stage {
  /** As FROM names it, after substitution. */
  image: string;
  name: string | null;
  instructions: Instruction[];
}

/** The instructions that are understood, with their flags. */
const known: Record<string, string[]> = {
  FROM: [], ARG: [], ENV: [], RUN: [], COPY: ['from'], WORKDIR: [], USER: [], VOLUME: [], EXPOSE: [],
  HEALTHCHECK: ['interval', 'timeout', 'start-period', 'retries'], ENTRYPOINT: [], CMD: [],
};

export class ContainerfileError extends Error {
  constructor(line: number, sentence: string) {
    super(`Containerfile, line ${line}: ${sentence}`);
    this.name = 'ContainerfileError';
  }
}

/** Throws ContainerfileError for an instruction or a flag that is not known. */
export function parseInstructions(text: string): Instruction[] {
  const found: Instruction[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const first = lines[at]!.trim();
    if (first === '' || first.startsWith('#')) continue;
    const line = at + 1;
    const parts: string[] = [];
    let part = first;
    while (part.endsWith('\\')) {
      parts.push(part.slice(0, -1).trim());
      do at++; while (lines[at]?.trim().startsWith('#'));
      part = lines[at]?.trim() ?? '';
    }
    parts.push(part);
    const [, name = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(parts.join(' ').trim()) ?? [];
    found.push({ ...flagsOf(name, rest, line), name, line });
  }
  return found;
}

function flagsOf(name: string, rest: string, line: number): Pick<Instruction, 'text' | 'flags'> {
  const allowed = known[name];
  if (allowed === undefined) throw new ContainerfileError(line, `${name} is not understood.`);
  const flags: Record<string, string> = {};
  let text = rest;
  for (let match = /^--([a-z-]+)(?:=(\S*))?\s*/.exec(text); match !== null; match = /^--([a-z-]+)(?:=(\S*))?\s*/.exec(text)) {
    const [whole, flag = '', value = ''] = match;
    if (!allowed.includes(flag)) throw new ContainerfileError(line, `${name} --${flag} is not understood.`);
    flags[flag] = value;
    text = text.slice(whole.length);
  }
  return { text, flags };
}

/** `$NAME`, `${NAME}` and `${NAME:-otherwise}`; all but a plain default is refused, and a name without a value is ''. */
export function substitute(text: string, values: Readonly<Record<string, string>>, line: number): string {
  return text.replace(/\$(?:\{([^}]*)\}|(\w+))/g, (_all, braced: string | undefined, plain: string | undefined) => {
    const [, name, otherwise] = /^(\w+)(?::-(.*))?$/.exec(braced ?? plain ?? '') ?? [];
    if (name === undefined) throw new ContainerfileError(line, `\${${braced}} is not understood.`);
    return values[name] || (otherwise ?? '');
  });
}

/** `NAME=value NAME="a value"`. */
export function assignments({ text, line }: Pick<Instruction, 'text' | 'line'>): [string, string][] {
  const found = [...text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?:\s+|$)/g)];
  if (found.map(([all]) => all).join('') !== text) throw new ContainerfileError(line, `${text} is no list of NAME=value.`);
  return found.map(([, name = '', value = '']) => [name, value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value]);
}

/** The words of an instruction in the form of a JSON list, which is the only one that runs without a shell. */
export function execForm({ name, text, line }: Pick<Instruction, 'name' | 'text' | 'line'>): string[] {
  try {
    const words = JSON.parse(text) as unknown;
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words as string[];
  } catch {
    // Refused below.
  }
  throw new ContainerfileError(line, `${name} has to be a JSON list of words.`);
}

/** `given`: the build arguments. Throws ContainerfileError, also for an argument that no ARG names. */
export function stagesOf(instructions: readonly Instruction[], given: Readonly<Record<string, string>>): Stage[] {
  const globals: Record<string, string> = {};
  const stages: Stage[] = [];
  const named = new Set<string>();
  for (const instruction of instructions) {
    const { name, text, line } = instruction;
    const stage = stages.at(-1);
    if (name === 'ARG') named.add(text.split('=')[0] ?? '');
    if (name === 'FROM') {
      const [, image, as] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(text) ?? [];
      if (image === undefined) throw new ContainerfileError(line, `FROM ${text} is not understood.`);
      stages.push({ image: substitute(image, globals, line), name: as ?? null, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push(instruction);
    else if (name === 'ARG') for (const [key, value] of assignments(instruction)) globals[key] = given[key] ?? value;
    else throw new ContainerfileError(line, `${name} stands before the first FROM.`);
  }
  for (const key of Object.keys(given)) if (!named.has(key)) throw new Error(`No ARG of the Containerfile is named ${key}.`);
  return stages;
}
