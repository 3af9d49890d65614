/** Runs a program that prints documents, in a directory of its own. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Clock ticks of /proc in a second. */
const TICKS = 100;
/** Places in /proc/self/stat, behind the name: user and system time of children that were waited for. */
const CHILD_USER = 13;
const CHILD_SYSTEM = 14;

/** Rejects if the program does not end in time or cannot be started; its exit status is returned. */
export function runProgram(file: string, args: string[], cwd: string, limit: number, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: 'ignore', detached: true });
    const timer = setTimeout(() => {
      // The group: LibreOffice works in a child of its start program.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      reject(new Error(`${file} took more than ${limit} ms`));
    }, limit);
    child.on('error', (cause) => {
      clearTimeout(timer);
      reject(cause);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(code ?? -1);
    });
  });
}

/** Processor milliseconds of the programs that have ended. */
export function childTime(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[CHILD_USER]) + Number(fields[CHILD_SYSTEM])) * 1000) / TICKS;
}
