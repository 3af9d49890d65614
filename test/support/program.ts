/** The program as a user starts it: words in, output and exit code out. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const mainScript = fileURLToPath(new URL('../../src/main.js', import.meta.url));

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Nothing of this process's environment but the path, and what is given. */
export function runProgram(words: string[], { input = '', environment = {}, directory }: { input?: string | Uint8Array; environment?: Record<string, string>; directory?: string } = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [mainScript, ...words], {
      env: { PATH: process.env['PATH'], ...environment }, ...(directory === undefined ? {} : { cwd: directory }),
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text; });
    child.stderr.setEncoding('utf8').on('data', (text: string) => { err += text; });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
    // A program that refuses its words does not read.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
