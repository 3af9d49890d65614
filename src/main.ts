#!/usr/bin/env node
/** The program: hands its words to a command and exits with what the command answers. */
import { runCommand } from './cli/run.js';

void runCommand(process.argv.slice(2), process.env).then((exitCode) => {
  process.exitCode = exitCode;
});
