#!/usr/bin/env node
/** The program: passes its arguments to a command and exits with the code that the command returns. */
import { runCommand } from './cli/run.js';
import { endOutput, exitOfOutput, keepNohup } from './cli/stop-signals.js';

// A reader that has seen enough (`lectern convert … | head`) is no defect, nor is a full disk. It is reported once.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (exitOfOutput() !== undefined) return;
  if (error.code !== 'EPIPE') process.stderr.write(`lectern: Standard output cannot be written: ${error.message}.\n`);
  endOutput(error.code === 'EPIPE' ? 0 : 1);
});
// There is no place left to report it.
process.stderr.on('error', () => undefined);

keepNohup();

void runCommand(process.argv.slice(2), process.env).then((exitCode) => {
  process.exitCode = exitOfOutput() ?? exitCode;
});
