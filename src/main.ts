#!/usr/bin/env node
/** The program: hands its words to a command and exits with what the command answers. */
import { runCommand } from './cli/run.js';

// A reader that has seen enough (`lectern convert … | head`) is no defect.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void runCommand(process.argv.slice(2), process.env).then((exitCode) => {
  process.exitCode = exitCode;
});
