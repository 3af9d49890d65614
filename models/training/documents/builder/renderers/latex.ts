/** Prints by pdfLaTeX: each leaf has its colour in a group of its own, black in the plain run, so that both runs are set alike. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlowReader } from '../flow.js';
import { parseBody } from '../source-tree.js';
import { readTruth } from '../truth.js';
import { drawTheme, LatexDocument } from './latex-document.js';
import type { Prints, Renderer, SourceDocument, StyleSheet } from './renderer.js';
import { childTime, runProgram } from './run-program.js';
import { Draw, themes } from './themes.js';

const LIMIT = 60_000;
/** The fonts of pdfLaTeX have Latin letters. */
const otherScript = /[\u0400-\u1fff\u2e80-\ud7ff\uf900-\ufaff\ufb1d-\ufeff]/gu;
const MOST_OTHER = 5;

export class LatexRenderer implements Renderer {
  readonly name = 'latex';
  readonly parallel = 2;
  readonly styles = themes('latex');

  async print(document: SourceDocument, style: StyleSheet, seed: number): Promise<Prints> {
    if ((document.body.match(otherScript)?.length ?? 0) > MOST_OTHER) throw new Error('The fonts lack the script of the document.');
    const begin = performance.now();
    const body = parseBody(document.body);
    const truth = readTruth(body);
    const blocks = new FlowReader(truth).blocks(body);
    const write = (colored: boolean): string => new LatexDocument(truth, drawTheme(new Draw(style.origin, seed)), document.title, colored).write(blocks);
    const [plain, colored] = [write(false), write(true)];
    const parsed = performance.now();
    const directory = mkdtempSync(join(tmpdir(), 'documents-latex-'));
    try {
      const prints = await Promise.all([typeset(directory, 'plain', plain), typeset(directory, 'colored', colored)]);
      return { plain: prints[0], colored: prints[1], truth, times: { parse: parsed - begin, print: performance.now() - parsed } };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  async processorTime(): Promise<number> {
    return childTime();
  }

  async close(): Promise<void> {
    // Each document is a process of its own.
  }
}

async function typeset(directory: string, name: string, text: string): Promise<Uint8Array> {
  writeFileSync(join(directory, `${name}.tex`), text);
  await runProgram('pdflatex', ['-interaction=batchmode', '-halt-on-error', `${name}.tex`], directory, LIMIT);
  const path = join(directory, `${name}.pdf`);
  if (existsSync(path)) return readFileSync(path);
  const log = readFileSync(join(directory, `${name}.log`), 'latin1');
  throw new Error(`LaTeX: ${/^!.*$/mu.exec(log)?.[0] ?? 'no pages'}`);
}
