/** The declared commands as commander's: parsing, suggestions for misspelt words, and help. */
import { Command as Parser, CommanderError, Option } from 'commander';
import { LecternError } from '../errors.js';
import { flagName, isSwitch, settingsTable, splitSettings, type Environment, type SettingName } from '../settings/settings.js';
import type { Command, CommandDeclaration, CommandInput, OptionValue } from './command.js';

/** What a line of words asks for. */
export type Asked = { print: string } | { command: Command; input: CommandInput };

/** Commander ends lines at this width where the terminal does not tell its own. */
const helpWidth = 100;

/**
 * Parses the words behind `lectern`. Throws `invalid_request` with one sentence about the first word that is wrong.
 * Settings are taken out first: they mean the same to every command, and a value may begin with a dash.
 */
export async function parseCommandLine(args: string[], commands: readonly CommandDeclaration[], environment: Environment): Promise<Asked> {
  const printed: string[] = [];
  let chosen: { declaration: CommandDeclaration; words: string[]; options: Record<string, OptionValue> } | null = null;
  const { settings, rest } = acceptsSettings(args, commands) ? splitSettings(args) : { settings: [], rest: args };
  const parser = buildParser(commands, (declaration, words, options) => { chosen = { declaration, words, options }; }, (text) => printed.push(text));
  if (rest.length === 0) parser.outputHelp();
  try {
    if (rest.length > 0) await parser.parseAsync(withUsual(rest, commands), { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    // A command that only has subcommands prints its help, and commander counts that as a failure.
    if (thrown.exitCode !== 0 && thrown.code !== 'commander.help') throw usageError(thrown, rest, commands);
    return { print: printed.join('') };
  }
  if (chosen === null) return { print: printed.join('') };
  const { declaration, words, options } = chosen as { declaration: CommandDeclaration; words: string[]; options: Record<string, OptionValue> };
  return { command: await (declaration.load as NonNullable<CommandDeclaration['load']>)(), input: { words, options, settings, environment } };
}

function acceptsSettings([name]: string[], commands: readonly CommandDeclaration[]): boolean {
  const found = commands.find((command) => command.name === name);
  return [found, ...found?.commands ?? []].some((one) => one?.settings !== undefined);
}

/** The commands that the first words name, from the outermost on, and the words behind them. */
function commandPath(words: readonly string[], commands: readonly CommandDeclaration[]): { path: CommandDeclaration[]; more: string[] } {
  const path: CommandDeclaration[] = [];
  for (let level = commands; path.length < words.length; level = path.at(-1)?.commands ?? []) {
    const found = level.find(({ name }) => name === words[path.length]);
    if (found === undefined) break;
    path.push(found);
  }
  return { path, more: words.slice(path.length) };
}

const isHelpFlag = (word: string | undefined): boolean => word === '-h' || word === '--help';

/**
 * `lectern help models add`, `lectern models help add`, `lectern models add help` and `lectern --help models add` mean `lectern models add --help`; a document that is called
 * help is `./help`. Null where no help is asked for so. A name that is no command is an error in all forms.
 */
function helpWords(words: readonly string[], commands: readonly CommandDeclaration[]): string[] | null {
  const { path: outer, more } = commandPath(words, commands);
  const isWord = more[0] === 'help' || (outer.length === 0 && isHelpFlag(more[0]));
  if (isWord ? words.length === 1 : !more.some(isHelpFlag)) return null;
  const named = [...outer.map(({ name }) => name), ...(isWord ? more.slice(1) : more)].filter((word) => !isHelpFlag(word));
  const { path, more: unknown } = commandPath(named, commands);
  const takesWords = path.length > 0 && path.at(-1)?.commands === undefined;
  // The name and the role of `keys add help student` are no names of commands.
  if (takesWords && unknown.length > 0 && outer.length > 0) return null;
  const [first] = unknown;
  // Without --help an unknown name is an error.
  const isError = first !== undefined && !first.startsWith('-') && !takesWords;
  return [...path.map(({ name }) => name), isError ? first : '--help'];
}

/** `lectern models` and `lectern models --json` mean `lectern models list`: the usual subcommand. */
function withUsual(words: readonly string[], commands: readonly CommandDeclaration[]): string[] {
  const help = helpWords(words, commands);
  if (help !== null) return help;
  const [name = '', next, ...more] = words;
  const usual = commands.find((command) => command.name === name)?.usualCommand;
  const isUsual = usual !== undefined && (next === undefined || (next.startsWith('-') && !isHelpFlag(next)));
  return [name, ...(isUsual ? [usual] : []), ...(next === undefined ? [] : [next]), ...more];
}

type Choose = (declaration: CommandDeclaration, words: string[], options: Record<string, OptionValue>) => void;

/** The whole tree; completion and manual are made from it, too. */
export function buildParser(commands: readonly CommandDeclaration[], choose: Choose = () => undefined, print: (text: string) => unknown = () => undefined): Parser {
  const parser = new Parser('lectern')
    .description('Turns documents into markdown and serves language models over HTTP.')
    .usage('COMMAND [OPTIONS] [WORDS]')
    .option('-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help, of a command behind its name')
    .helpCommand('help [command]', 'print the help of a command');
  for (const declaration of commands) parser.addCommand(buildCommand(declaration, choose));
  parser.addHelpText('after', `\nExamples:\n${exampleLines([['lectern convert report.pdf', 'markdown on standard output'], ['lectern serve', 'the service on http://127.0.0.1:11434'], ['lectern help convert', 'options and examples of one command']])}\nExit codes are those of sysexits.h: 0 ok, 1 done with findings, 64 usage, 65 data, 66 no input, 69 unavailable,\n70 defect, 71 system, 75 try again, 77 no permission, 130 interrupted.`);
  const quieten = (command: Parser): void => {
    command.exitOverride().configureOutput({ writeOut: print, writeErr: print, getOutHelpWidth: () => process.stdout.columns ?? helpWidth }).showSuggestionAfterError();
    command.commands.forEach((sub) => quieten(sub as Parser));
  };
  quieten(parser);
  return parser;
}

function buildCommand(declaration: CommandDeclaration, choose: Choose): Parser {
  const command = new Parser(declaration.name).description(declaration.help).helpOption('-h, --help', 'print this help').allowExcessArguments(false);
  for (const { syntax, help } of declaration.words ?? []) command.argument(syntax, help);
  for (const { flags, help, choices, default: usual, repeats } of declaration.options ?? []) {
    const option = new Option(flags, usual === undefined ? help : `${help} (default: ${usual})`);
    if (choices !== undefined) option.choices([...choices]);
    if (repeats) option.argParser((value: string, before: string[] | undefined) => [...before ?? [], value]);
    command.addOption(option);
  }
  if (declaration.settings !== undefined) addSettings(command, declaration.settings === 'listed');
  for (const sub of declaration.commands ?? []) command.addCommand(buildCommand(sub, choose));
  if (declaration.load !== undefined) {
    command.action((...args: unknown[]) => {
      const words = args.slice(0, (declaration.words ?? []).length).flat().filter((word): word is string => typeof word === 'string');
      choose(declaration, words, command.opts<Record<string, OptionValue>>());
    });
  }
  const after = [
    ...(declaration.settings === 'accepted' ? ['Every setting of `lectern serve --help` may be a flag here, too.'] : []),
    ...((declaration.examples?.length ?? 0) === 0 ? [] : [`Examples:\n${exampleLines(declaration.examples ?? [])}`]),
    ...((declaration.exits?.length ?? 0) === 0 ? [] : [`Exit codes: ${(declaration.exits ?? []).map(([code, what]) => `${code} ${what}`).join(', ')}`]),
  ];
  if (after.length > 0) command.addHelpText('after', `\n${after.join('\n\n')}`);
  return command;
}

/** For help, suggestions and completion alone: splitSettings() has taken their flags out before. */
function addSettings(command: Parser, listed: boolean): void {
  if (listed) command.optionsGroup('Settings (flag, environment LECTERN_NAME, or settings file):');
  for (const [name, { help, usual, fallback }] of Object.entries(settingsTable) as [SettingName, { help: string; usual?: string; fallback: (environment: object) => string }][]) {
    const text = usual ?? fallback({});
    const option = new Option(isSwitch(name) ? `${flagName(name)} [yes|no]` : `${flagName(name)} <value>`, text === '' ? help : `${help} (default: ${text})`);
    command.addOption(listed ? option : option.hideHelp());
  }
  const file = new Option('--config <file>', 'the settings file');
  command.addOption(listed ? file : file.hideHelp());
}

function exampleLines(examples: readonly (readonly [string, string])[]): string {
  return examples.map(([line, what]) => `  ${line}\n      ${what}`).join('\n');
}

/** Commander's message as one sentence, and where to read more. */
function usageError(thrown: CommanderError, args: string[], commands: readonly CommandDeclaration[]): LecternError {
  const said = thrown.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ').replace(/\.? *$/, '').replace(/ \(Did you mean (.*?)\?\)$/, '; did you mean $1?');
  const name = args.find((word) => !word.startsWith('-') && word !== 'help');
  const isCommand = commands.some((command) => command.name === name);
  const help = isCommand ? `\`lectern help ${name}\` lists what it takes` : '`lectern help` lists the commands';
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
  return new LecternError('invalid_request', `${sentence}${sentence.endsWith('?') ? '' : ';'} ${help}.`, { cause: thrown });
}
