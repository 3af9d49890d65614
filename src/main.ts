#!/usr/bin/env node
/** The program: hands its words to a command and exits with what the command answers. */
import { runCommand } from './cli/run.js';

// A reader that has seen enough (`lectern convert … | head`) is no defect, nor is a full disk.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`lectern: Standard output cannot be written: ${error.message}.\n`);
  process.exit(1);
});
// Nobody can be told.
process.stderr.on('error', () => undefined);

void runCommand(process.argv.slice(2), process.env).then((exitCode) => {
  process.exitCode = exitCode;
});
