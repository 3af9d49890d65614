/** Finds the command that the first word names and turns each failure into one sentence and an exit code. */
import type { Environment } from '../settings/settings.js';
import { LecternError } from '../errors.js';
import { packageVersion } from '../platform/package-files.js';
import { stackOf } from '../platform/source-stack.js';
import type { Command } from './command.js';
import { exitOfOutput } from './stop-signals.js';
import { usages } from './usage.js';

interface CommandEntry {
  help: string;
  load: () => Promise<Command>;
}

/** Loaded when asked for, so that `--version` does not wait for a PDF engine. */
export const commands: Record<string, CommandEntry> = {
  serve: { help: 'serve documents and language models over HTTP', load: async () => (await import('./serve-command.js')).serve },
  convert: { help: 'convert FILE... to markdown, without a server or (--url) through one', load: async () => (await import('./convert-command.js')).convert },
  models: { help: 'list what models there are; show NAME, check [NAME], pull NAME', load: async () => (await import('./models-command.js')).models },
  chat: { help: 'chat with a [MODEL] of a running service; a pipe is one question', load: async () => (await import('./chat-command.js')).chat },
  bench: { help: 'measure how fast a running service is: requests, [FILE...], answers', load: async () => (await import('./bench-command.js')).benchCommand },
  doctor: { help: 'check driver, devices, memory, ports and directories, and say what to do', load: async () => (await import('./doctor-command.js')).doctor },
  settings: { help: 'print every setting with its value and where it came from', load: async () => (await import('./settings-command.js')).settings },
  mcp: { help: 'offer the service at LECTERN_URL as tools, over standard input and output', load: async () => (await import('./mcp-command.js')).mcp },
  key: { help: 'make a bearer key: key NAME ROLE shows it, and prints its line for the access list', load: async () => (await import('./key-command.js')).key },
};

/** The program starts these for itself; no help lists them. */
const inner: Record<string, CommandEntry['load']> = {
  sandbox: async () => (await import('./sandbox.js')).sandbox,
};

const exitUsage = 2;

export async function runCommand(args: string[], environment: Environment): Promise<number> {
  const [word, ...rest] = args[0] === 'help' && args[1] !== undefined ? [args[1], '--help'] : args;
  if (word === undefined || word === 'help' || word === '--help' || word === '-h') return print(usage());
  if (word === '--version' || word === '-v') return print(packageVersion());
  const load = Object.hasOwn(inner, word) ? inner[word] : undefined;
  if (load !== undefined) return (await load())(rest, environment);
  const entry = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (entry === undefined) return complain(`There is no command "${word}"; \`lectern help\` lists them.`, exitUsage);
  if (asksForHelp(rest)) return print(`${entry.help}\n\n${usages[word] as string}`);
  try {
    const command = await entry.load();
    return await command(rest, environment);
  } catch (error) {
    // The command was stopped for that, which has been reported.
    const outputExit = exitOfOutput();
    if (outputExit !== undefined && error instanceof LecternError) return outputExit;
    if (isWithoutPlace(error)) return complain('The working directory is gone: change to another one.', 1);
    if (error instanceof LecternError) return complain(error.message, error.code === 'invalid_request' ? exitUsage : 1);
    return complain(`Lectern met a defect: ${stackOf(error)}`, 1);
  }
}

/** It was deleted under us. */
function isWithoutPlace(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

/** Behind `--` all words are names of files and the like. */
function asksForHelp(words: string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? words.length : end).some((word) => word === '--help' || word === '-h');
}

function usage(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(width)}  ${help}`);
  return ['usage: lectern COMMAND [SETTINGS] [WORDS]', '', ...lines, '', '`lectern help COMMAND` tells what it takes. Settings are flags, environment or file: `lectern settings` shows them.'].join('\n');
}

function print(text: string): number {
  process.stdout.write(text + '\n');
  return 0;
}

function complain(sentence: string, exitCode: number): number {
  process.stderr.write(`lectern: ${sentence}\n`);
  return exitCode;
}
