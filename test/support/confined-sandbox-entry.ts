/** A sandbox process whose verb checkGoTemplate tries what one taken over by a stranger's template would try, and throws the code of the error, or `done`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { verbs } from '../../src/chat/sandbox/verbs.js';
import { sandbox } from '../../src/cli/sandbox.js';
import { LecternError } from '../../src/errors.js';

const attempts: Record<string, (argument: string) => unknown> = {
  read: (path) => readFileSync(path),
  write: (path) => writeFileSync(path, 'x'),
  makeDirectory: (path) => mkdirSync(path),
  run: (path) => {
    const { error } = spawnSync(path, []);
    if (error !== undefined) throw error;
  },
  signal: (pid) => process.kill(Number(pid), 0),
  status: () => { throw new Error(readFileSync('/proc/self/status', 'utf8')); },
};

verbs.checkGoTemplate = (asked) => {
  const [attempt = '', argument = ''] = asked.split(' ');
  let outcome = 'done';
  try {
    attempts[attempt]?.(argument);
  } catch (thrown) {
    outcome = (thrown as NodeJS.ErrnoException).code ?? (thrown as Error).message;
  }
  throw new LecternError('invalid_model', outcome);
};

await sandbox(argv.slice(2));
