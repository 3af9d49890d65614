/** `bench convert --peer`: @opendataloader/pdf on the same files in the same run, marked by the same scorer, each a process of its own and in turns. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LecternError } from '../src/errors.js';
import { packageRoot } from '../src/platform/package-files.js';
import { readCorpus, type BenchDocument, type FolderName } from './corpora.js';
import { installPeer } from './peer.js';
import { findScorer, mean, quantile, type Marks, type Scorer } from './quality.js';

const packageName = '@opendataloader/pdf';
const rounds = 5;

/** What one program made of a folder. */
interface Answers {
  name: string;
  marks: Marks[];
  /** Of the whole process over all files, a page: processor time of all its threads, and the clock's. Medians over the rounds, ms. */
  processorMs: number;
  wallMs: number;
}

export interface PeerRow {
  folder: string;
  /** What the folder's truth is good for. */
  measures: 'all' | 'plain';
  documents: number;
  pages: number;
  ours: Answers;
  theirs: Answers;
}

interface Program {
  name: string;
  /** The command that writes FILE.md for each of `files` into `out`. */
  command(files: string[], out: string): string[];
}

const ours: Program = { name: 'lectern', command: (files, out) => [process.execPath, join(packageRoot(), 'dist/src/main.js'), 'convert', '--to', 'md', '-o', out, ...files] };

function peer(): Program {
  if (spawnSync('java', ['-version'], { stdio: 'ignore' }).status !== 0) throw new LecternError('invalid_request', `${packageName} needs Java (Debian: apt-get install default-jre-headless).`);
  const directory = installPeer(packageName, 'bench/peers/convert');
  const jar = join(directory, 'lib/opendataloader-pdf-cli.jar');
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string };
  return { name: `${packageName} ${version}`, command: (files, out) => ['java', '-jar', jar, '-q', '-f', 'markdown', '--image-output', 'off', '-o', out, ...files] };
}

/** Seconds of one run: the clock's, and the processor's of the process and its children, as the shell counts them. */
function timed(command: string[]): { wall: number; processor: number } {
  // A list of certificates for a proxy, where the machine has one, costs Node 40 ms before the first line of any program; neither of the two asks the network.
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' };
  const { stderr } = spawnSync('bash', ['-c', 'TIMEFORMAT="times %R %U %S"; time "$@" >/dev/null 2>/dev/null', 'bash', ...command], { encoding: 'utf8', maxBuffer: 1e8, env });
  const [, wall, user, system] = /times ([\d.]+) ([\d.]+) ([\d.]+)/u.exec(stderr) ?? [];
  return { wall: Number(wall), processor: Number(user) + Number(system) };
}

/** Both over one folder, in turns; the last round's answers are marked (an answer that is not there is empty). */
function compareFolder({ folder, measures, pages }: Pick<PeerRow, 'folder' | 'measures' | 'pages'>, documents: BenchDocument[], programs: [Program, Program], scorer: Scorer): PeerRow {
  const home = mkdtempSync(join(tmpdir(), 'lectern-peer-'));
  try {
    // Under names that are the same for both and free of what either might change.
    const files = documents.map(({ pdf }, index) => {
      mkdirSync(join(home, 'in'), { recursive: true });
      const file = join(home, 'in', `${index}.pdf`);
      copyFileSync(pdf, file);
      return file;
    });
    const times = programs.map((): { wall: number; processor: number }[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, program] of programs.entries()) {
        const out = join(home, `out${index}`);
        rmSync(out, { recursive: true, force: true });
        mkdirSync(out);
        times[index]!.push(timed(program.command(files, out)));
      }
    }
    const [own, other] = programs.map(({ name }, index): Answers => {
      const answer = (at: number): string => {
        const file = join(home, `out${index}`, `${at}.md`);
        return existsSync(file) ? readFileSync(file, 'utf8') : '';
      };
      const marks = scorer.mark(documents.map(({ id, truth }, at) => ({ id, truth: readFileSync(truth, 'utf8'), answer: answer(at) })));
      const median = (which: 'wall' | 'processor'): number => ((quantile(times[index]!.map((time) => time[which]), 0.5) ?? NaN) * 1000) / pages;
      return { name, marks: documents.map(({ id }) => marks.get(id) as Marks), processorMs: median('processor'), wallMs: median('wall') };
    }) as [Answers, Answers];
    return { folder, measures, documents: documents.length, pages, ours: own, theirs: other };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Rows for the folders that are here; documents with a password are left out. `pagesOf` counts a folder's pages. */
export function measurePeer(folders: FolderName[], pagesOf: (folder: string) => number | undefined): PeerRow[] {
  const scorer = findScorer();
  const programs: [Program, Program] = [ours, peer()];
  return folders.flatMap((folder) => {
    const corpus = readCorpus(folder);
    const documents = corpus?.documents.filter(({ password }) => password === null) ?? [];
    if (corpus === null || documents.length === 0) return [];
    return [compareFolder({ folder, measures: corpus.measures, pages: pagesOf(folder) ?? documents.length }, documents, programs, scorer)];
  });
}

export function average({ marks }: Answers, key: keyof Marks): number | null {
  return mean(marks.map((mark) => mark[key]).filter((mark) => mark !== null));
}

export function printPeer(rows: PeerRow[]): void {
  const columns = ['NID', 'MHS', 'TEDS', 'overall', 'plain', 'CPU/page', 'wall/page'];
  console.log(`\n${'in turns, one process each'.padEnd(40)}${columns.map((column) => column.padStart(11)).join('')}`);
  for (const { folder, measures, ours: own, theirs } of rows) {
    for (const answers of [own, theirs]) {
      const marks = (['nid', 'mhs', 'teds', 'overall', 'plain'] as const).map((key) => (measures === 'all' || key === 'plain' ? average(answers, key)?.toFixed(3) : undefined) ?? '-');
      const cells = [...marks, `${answers.processorMs.toFixed(0)} ms`, `${answers.wallMs.toFixed(0)} ms`];
      console.log(`${folder.padEnd(10)}${answers.name.padEnd(30)}${cells.map((cell) => cell.padStart(11)).join('')}`);
    }
  }
}
