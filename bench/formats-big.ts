/** `bench formats --big`: files far beyond the limit of uploads, written chunk by chunk, each converted in a process with the heap of a worker: time, memory, what came of it, and how soon a cancellation ends it. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync, Zip, ZipDeflate } from 'fflate';
import { defaultConvertOptions } from '../src/convert/options.js';
import { convertDocumentInPool } from '../src/convert/task/document-attempts.js';
import { heapFlags, sameProgram } from '../src/workers/command.js';
import { createPool } from '../src/workers/pool.js';
import { makeLargeDocx, makeXlsx } from '../test/support/office-files.js';
import type { Cost } from './convert-repeatedly.js';

/** As `--worker-memory` has it where nothing else is said. */
const workerBytes = 1536 * 2 ** 20;
/** When a conversion is cancelled, in milliseconds after its begin. */
const cancelAfterMs = 2000;
const hourMs = 3_600_000;
const script = fileURLToPath(new URL('./convert-repeatedly.js', import.meta.url));

/** Writes `line(0)`, `line(1)`, … until the file has that many bytes. */
function writeLines(path: string, bytes: number, line: (index: number) => string): void {
  const file = openSync(path, 'w');
  let written = 0;
  for (let index = 0; written < bytes;) {
    let part = '';
    while (part.length < 1e6) part += line(index++);
    written += writeSync(file, part);
  }
  closeSync(file);
}

const message = (index: number): string => `From a${index}@x.example Sat Jan  2 03:04:05 2027\nFrom: Ann <a${index}@x.example>\nTo: b@x.example\nSubject: Report ${index}\nDate: Sat, 2 Jan 2027 03:04:05 +0000\nContent-Type: text/plain; charset=utf-8\n\n`
  + `${'The pump of the north pier ran without a stop for all of the night and the day. '.repeat(60)}\n\n`;
const row = (index: number): string => `${index},pump ${index % 977},${(index * 7919) % 100_000},2027-01-02,north pier\n`;
/** Of a paragraph of 60 words, six to a page, compressed. */
const docxBytesOfPage = 1650;

const sheetEnd = '</sheetData>';
/** Of ten columns: shared strings, numbers of three places and of as many as programs calculate with, texts of its own, formulas. */
function sheetRow(index: number): string {
  const [row, random] = [index + 1, (factor: number): number => (index * factor * 7919 + factor) % 99_991];
  const numbers = [...'BCDEF'].map((column, at) => `<c r="${column}${row}"><v>${(random(at + 3) / 97).toFixed(3)}</v></c>`);
  return `<row r="${row}"><c r="A${row}" t="s"><v>${random(5) % 100}</v></c>${numbers.join('')}<c r="G${row}"><v>${Math.sin(index) * 1e4}</v></c><c r="H${row}" t="inlineStr"><is><t>pump ${random(11)} of pier ${random(13)}</t></is></c><c r="I${row}" t="inlineStr"><is><t>valve ${index}</t></is></c><c r="J${row}"><f>C${row}*D${row}</f><v>${Math.cos(index) * 100}</v></c></row>`;
}

/** A workbook written piece by piece, because the XML of its sheets is longer than a string may be; a sheet holds a million rows. */
function writeXlsx(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  let written = 0;
  const zip = new Zip((error, part) => {
    if (error !== null) throw error;
    written += writeSync(file, part);
  });
  const add = (name: string, parts: Iterable<string>): void => {
    const entry = new ZipDeflate(name, { level: 1 });
    zip.add(entry);
    for (const part of parts) entry.push(Buffer.from(part));
    entry.push(Buffer.alloc(0), true);
  };
  function* rows(head: string): Generator<string> {
    yield head;
    for (let index = 0; index < 1_000_000 && written < bytes;) {
      let part = '';
      while (part.length < 1e6) part += sheetRow(index++);
      yield part;
    }
    yield `${sheetEnd}</worksheet>`;
  }
  const sheets = Array.from({ length: Math.ceil(bytes / 50e6) }, (_, index) => ({ name: `Numbers ${index + 1}`, xml: `<sheetData>${sheetEnd}` }));
  const strings = Array.from({ length: 100 }, (_, index) => `<si><t>station ${index}</t></si>`).join('');
  for (const [name, part] of Object.entries(unzipSync(makeXlsx({ sheets, strings })))) {
    const text = Buffer.from(part).toString();
    add(name, text.includes(sheetEnd) ? rows(text.slice(0, text.indexOf(sheetEnd))) : [text]);
  }
  zip.end();
  closeSync(file);
}

/** By name: written to a path, of so many bytes. The last is the size that is asked for. */
const files: [name: string, sizes: number[], write: (path: string, bytes: number) => void][] = [
  ['docx', [750, 1500, 3000].map((pages) => pages * docxBytesOfPage), (path, bytes) => writeFileSync(path, makeLargeDocx(bytes))],
  ['xlsx', [75e6, 150e6, 300e6], writeXlsx],
  ['mbox', [50e6, 100e6, 200e6], (path, bytes) => writeLines(path, bytes, message)],
  ['csv', [100e6, 300e6, 1e9], (path, bytes) => writeLines(path, bytes, row)],
];

interface Run {
  seconds: number;
  peakMiB: number;
  result: string;
}

/** The most resident memory that Linux counted for the process, in KiB. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function convert(path: string): Promise<Run> {
  const began = performance.now();
  const child = spawn(process.execPath, [...heapFlags(workerBytes), script, path, '1'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, said, peak] = ['', '', 0];
  child.stdout.on('data', (part: Buffer) => { printed += part.toString(); });
  child.stderr.on('data', (part: Buffer) => { said = (said + part.toString()).slice(-2000); });
  const watch = setInterval(() => { peak = Math.max(peak, peakOf(child.pid ?? 0)); }, 100);
  await new Promise<void>((resolve) => { child.on('close', () => resolve()); });
  clearInterval(watch);
  const seconds = (performance.now() - began) / 1000;
  const cost = printed.startsWith('{') ? JSON.parse(printed) as Cost : null;
  const result = cost === null ? `ended with ${child.exitCode ?? child.signalCode}: ${/FATAL ERROR.*|Error: .*/.exec(said)?.[0] ?? ''}` : [cost.status, ...cost.errors].join(': ');
  return { seconds, peakMiB: peak / 1024, result };
}

/** Seconds from a cancellation, as a client sends it, until the pool of workers is free of the document. */
async function cancel(path: string, name: string, directory: string): Promise<number> {
  const scratch = join(directory, 'pool');
  mkdirSync(scratch);
  const pool = createPool({ command: sameProgram(fileURLToPath(new URL('../src/worker.js', import.meta.url)), []), size: 1, maxResidentBytes: workerBytes, scratchDirectory: scratch, filesDirectory: scratch });
  const controller = new AbortController();
  let cancelledAt = 0;
  setTimeout(() => { cancelledAt = performance.now(); controller.abort(); }, cancelAfterMs);
  const limits = { pageMs: hourMs, documentMs: hourMs, graceMs: cancelAfterMs, maxLostPages: 0 };
  await convertDocumentInPool({ inputPath: path, filename: `big.${name}`, outputDirectory: join(directory, 'out'), options: defaultConvertOptions }, { pool, limits, signal: controller.signal, onProgress: () => undefined, log: () => undefined }).catch(() => undefined);
  const seconds = cancelledAt === 0 ? 0 : (performance.now() - cancelledAt) / 1000;
  await pool.close();
  rmSync(scratch, { recursive: true, force: true });
  return seconds;
}

/** Sizes that double: time must be linear. */
export async function measureBigFiles(only: string[] | undefined): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-big-'));
  try {
    for (const [name, sizes, write] of files.filter(([name]) => only === undefined || only.includes(name))) {
      for (const bytes of sizes) {
        const path = join(directory, `big.${name}`);
        write(path, bytes);
        const { seconds, peakMiB, result } = await convert(path);
        console.log(`${name}, ${(statSync(path).size / 1e6).toFixed(0)} MB: ${seconds.toFixed(1)} s, at most ${peakMiB.toFixed(0)} MiB resident, ${result}`);
        if (bytes === sizes.at(-1)) console.log(`${name}, cancelled after ${cancelAfterMs / 1000} s: ended ${(await cancel(path, name, directory)).toFixed(2)} s later`);
        rmSync(path);
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
