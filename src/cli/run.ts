/** Runs the command that the words name, and turns each failure into one sentence and an exit code. */
import type { Environment } from '../settings/settings.js';
import { LecternError } from '../errors.js';
import { packageVersion } from '../platform/package-files.js';
import { stackOf } from '../platform/source-stack.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { exitOfOutput } from './stop-signals.js';

/** The program starts this command for itself; no help lists it. */
const ownCommand = 'sandbox';

export async function runCommand(args: string[], environment: Environment): Promise<number> {
  const [word, ...rest] = args;
  if (word === '--version' || word === '-V' || word === '-v') return print(`${packageVersion()}\n`);
  if (word === ownCommand) return (await import('./sandbox.js')).sandbox(rest);
  try {
    const { commands } = await import('./commands.js');
    const { parseCommandLine } = await import('./command-line.js');
    const asked = await parseCommandLine(args, commands, environment);
    return 'print' in asked ? print(asked.print) : await asked.command(asked.input);
  } catch (error) {
    // The command was stopped because its output ended, which has been reported.
    const outputExit = exitOfOutput();
    if (outputExit !== undefined && error instanceof LecternError) return outputExit;
    if (isWithoutDirectory(error)) return complain('The working directory is gone: change to another one.', exitCodes.noInput);
    if (error instanceof LecternError) return complain(error.message, exitCodeOf(error.code));
    return complain(`Lectern met a defect: ${stackOf(error)}`, exitCodes.software);
  }
}

/** The working directory was deleted. */
function isWithoutDirectory(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

function print(text: string): number {
  process.stdout.write(text);
  return exitCodes.ok;
}

function complain(sentence: string, exitCode: number): number {
  process.stderr.write(`lectern: ${sentence}\n`);
  return exitCode;
}
