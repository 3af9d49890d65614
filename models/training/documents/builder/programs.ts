/** The programs of `sources` and `styles`: each lists its origins and serves one line of JSON for each request (README.md of the directory above). */
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type Split = 'train' | 'dev' | 'test';

/** An origin of a source or a style, as `list` prints it. */
export interface Origin {
  program: string;
  origin: string;
  licence: string;
  weight: number;
  family: string;
  /** Origins or names of sources that a style is for; empty for all. */
  for: string[];
  languages: string[];
  split: Split;
}

interface ProgramEntry {
  name: string;
  command: [string, ...string[]];
}

type SplitLists = Partial<Record<Split, { sources?: string[]; styles?: string[] }>>;

/** Milliseconds for one document. */
const SERVE_LIMIT = 60_000;
const MOST_LIST_BYTES = 64 * 1024 * 1024;

export class Programs {
  readonly origins: Origin[];
  #directory: string;
  #entries: ProgramEntry[];
  #running = new Map<string, Program>();

  /** `kind` is `sources` or `styles`, a directory below `root`, where `splits.json` lies. */
  constructor(root: string, kind: 'sources' | 'styles') {
    this.#directory = join(root, kind);
    this.#entries = JSON.parse(readFileSync(join(this.#directory, 'programs.json'), 'utf8')) as ProgramEntry[];
    const lists = existsSync(join(root, 'splits.json')) ? JSON.parse(readFileSync(join(root, 'splits.json'), 'utf8')) as SplitLists : {};
    const splitOf = (name: string): Split | undefined => (['dev', 'test', 'train'] as const).find((split) => lists[split]?.[kind]?.includes(name));
    this.origins = this.#entries.flatMap(({ name, command: [file, ...rest] }) => {
      const listed = JSON.parse(execFileSync(file, [...rest, 'list'], { cwd: this.#directory, encoding: 'utf8', maxBuffer: MOST_LIST_BYTES })) as (Partial<Origin> & { origin: string })[];
      return listed.map((each): Origin => ({
        program: name, origin: each.origin, licence: each.licence ?? 'not stated', weight: each.weight ?? 1, family: each.family ?? each.origin, for: each.for ?? [], languages: each.languages ?? [],
        split: splitOf(each.origin) ?? splitOf(name) ?? 'train',
      }));
    });
  }

  /** The program's answer; rejects with its own words if it answers with an error. */
  async serve<Answer>({ program }: Origin, request: Record<string, unknown>): Promise<Answer> {
    let running = this.#running.get(program);
    if (running === undefined || running.ended) {
      const { command: [file, ...rest] } = this.#entries.find(({ name }) => name === program)!;
      this.#running.set(program, (running = new Program(spawn(file, [...rest, 'serve'], { cwd: this.#directory, stdio: ['pipe', 'pipe', 'inherit'] }) as unknown as ChildProcessWithoutNullStreams)));
    }
    const answer = await running.ask(request) as Answer & { error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  close(): void {
    for (const program of this.#running.values()) program.close();
  }
}

class Program {
  ended = false;
  #process: ChildProcessWithoutNullStreams;
  #waiting: { resolve: (answer: unknown) => void; reject: (reason: Error) => void; timer: NodeJS.Timeout }[] = [];

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#process = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      clearTimeout(waiting.timer);
      try {
        waiting.resolve(JSON.parse(line));
      } catch {
        waiting.reject(new Error('the program wrote no JSON'));
      }
    });
    const end = (): void => {
      this.ended = true;
      for (const { reject, timer } of this.#waiting.splice(0)) {
        clearTimeout(timer);
        reject(new Error('the program ended'));
      }
    };
    child.on('error', end);
    child.on('exit', end);
    child.stdin.on('error', () => undefined);
  }

  ask(request: Record<string, unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // Later answers could no longer be matched with their requests.
      const timer = setTimeout(() => this.#process.kill('SIGKILL'), SERVE_LIMIT);
      this.#waiting.push({ resolve, reject, timer });
      this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  close(): void {
    this.#process.stdin.end();
  }
}
