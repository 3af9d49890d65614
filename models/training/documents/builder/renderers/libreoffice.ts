/** Prints by LibreOffice: documents are gathered for a moment and converted by one start of the program. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlowReader } from '../flow.js';
import { parseBody } from '../source-tree.js';
import { readTruth } from '../truth.js';
import { drawOfficeTheme, OfficeDocument } from './office-document.js';
import type { Prints, Renderer, SourceDocument, StyleSheet } from './renderer.js';
import { childTime, runProgram } from './run-program.js';
import { Draw, themes } from './themes.js';

const TOGETHER = 24;
/** Milliseconds that the first document waits for others, and that one start may take. */
const GATHER = 400;
const LIMIT = 300_000;

interface Waiting {
  plain: string;
  colored: string;
  resolve: (prints: [Uint8Array, Uint8Array]) => void;
  reject: (reason: Error) => void;
}

export class LibreOfficeRenderer implements Renderer {
  readonly name = 'libreoffice';
  readonly parallel = TOGETHER;
  readonly styles = themes('libreoffice');
  #directory = mkdtempSync(join(tmpdir(), 'documents-office-'));
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #batches = 0;

  async print(document: SourceDocument, style: StyleSheet, seed: number): Promise<Prints> {
    const begin = performance.now();
    const body = parseBody(document.body);
    const truth = readTruth(body);
    const blocks = new FlowReader(truth).blocks(body);
    const write = (colored: boolean): string => new OfficeDocument(truth, drawOfficeTheme(new Draw(style.origin, seed)), colored).write(blocks, document.title, document.language);
    const [plain, colored] = [write(false), write(true)];
    const parsed = performance.now();
    const prints = await new Promise<[Uint8Array, Uint8Array]>((resolve, reject) => {
      this.#waiting.push({ plain, colored, resolve, reject });
      if (this.#waiting.length >= TOGETHER) this.#convert();
      else this.#timer ??= setTimeout(() => this.#convert(), GATHER);
    });
    return { plain: prints[0], colored: prints[1], truth, times: { parse: parsed - begin, print: performance.now() - parsed } };
  }

  async processorTime(): Promise<number> {
    return childTime();
  }

  async close(): Promise<void> {
    await this.#running;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The program works on one batch at a time: its profile allows one start. */
  #convert(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0);
    if (batch.length === 0) return;
    const directory = join(this.#directory, String(this.#batches++));
    this.#running = this.#running.then(() => convertBatch(batch, this.#directory, directory));
  }
}

async function convertBatch(batch: readonly Waiting[], home: string, directory: string): Promise<void> {
  const files = batch.flatMap(({ plain, colored }, at) => [[`${at}p.fodt`, plain], [`${at}c.fodt`, colored]] as const);
  const paths = files.map(([name, text]) => {
    const path = `${directory}-${name}`;
    writeFileSync(path, text);
    return path;
  });
  await runProgram('soffice', ['--headless', '--norestore', `-env:UserInstallation=file://${join(home, 'profile')}`, '--convert-to', 'pdf', '--outdir', home, ...paths], home, LIMIT).catch(() => undefined);
  for (const [at, { resolve, reject }] of batch.entries()) {
    const [plain, colored] = ['p', 'c'].map((run) => `${directory}-${at}${run}.pdf`) as [string, string];
    if (existsSync(plain) && existsSync(colored)) resolve([readFileSync(plain), readFileSync(colored)]);
    else reject(new Error('LibreOffice wrote no pages.'));
    for (const path of [plain, colored]) rmSync(path, { force: true });
  }
  for (const path of paths) rmSync(path, { force: true });
}
