/** `lectern completion SHELL`: a script that completes commands, options and their values, made from the declarations. */
import type { Command as Parser } from 'commander';
import { LecternError } from '../errors.js';
import type { Command, CommandDeclaration } from './command.js';
import { buildParser } from './command-line.js';
import { exitCodes } from './exit-codes.js';

/** One place of the command line: `convert`, `models show`, or '' for the program itself. */
interface Place {
  path: string;
  subcommands: { name: string; help: string }[];
  options: { flags: string[]; takesValue: boolean; choices: readonly string[]; help: string }[];
}

const shells: Record<string, (places: Place[]) => string> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** The command for a table of commands, of which it is one itself. */
export function completionOf(commands: readonly CommandDeclaration[]): Command {
  return async ({ words: [shell = ''] }) => {
    process.stdout.write(completionScript(shell, commands));
    return exitCodes.ok;
  };
}

/** Throws `invalid_request` for a shell that is none of bash, zsh and fish. */
export function completionScript(shell: string, commands: readonly CommandDeclaration[]): string {
  const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (script === undefined) throw new LecternError('invalid_request', `There is a completion script for ${Object.keys(shells).join(', ')}, not for "${shell}".`);
  return script(placesOf(buildParser(commands), ''));
}

function placesOf(command: Parser, path: string): Place[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command) as Parser[];
  const own: Place = {
    path,
    subcommands: subcommands.map((sub) => ({ name: sub.name(), help: sub.description() })),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag): flag is string => flag !== undefined),
      takesValue: option.required, choices: option.argChoices ?? [], help: option.description,
    })),
  };
  return [own, ...command.commands.flatMap((sub) => placesOf(sub as Parser, path === '' ? sub.name() : `${path} ${sub.name()}`))];
}

/** Single quotes of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}

function bashScript(places: Place[]): string {
  const cases = places.map(({ path, subcommands, options }) => [
    `    ${quoted(path)})`,
    `      words=${quoted([...subcommands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)].join(' '))}`,
    '      case "$previous" in',
    ...options.filter(({ choices }) => choices.length > 0).map(({ flags, choices }) => `        ${flags.join('|')}) words=${quoted(choices.join(' '))} ;;`),
    ...valueFlags(options).map((flags) => `        ${flags}) words= ;;`),
    '      esac ;;',
  ].join('\n'));
  return `# Completion of lectern for bash.
_lectern() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${place:+$place }\${COMP_WORDS[i]}" in
      ${places.filter(({ path }) => path !== '').map(({ path }) => quoted(path)).join('|')}) place="\${place:+$place }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ \${#COMPREPLY[@]} -eq 0 && "$word" != -* ]]; then compopt -o default; fi
}
complete -F _lectern lectern
`;
}

/** Flags whose values are no fixed words: files and the like are the shell's to complete. */
function valueFlags(options: Place['options']): string[] {
  const flags = options.filter(({ takesValue, choices }) => takesValue && choices.length === 0).flatMap((option) => option.flags);
  return flags.length === 0 ? [] : [flags.join('|')];
}

function zshScript(places: Place[]): string {
  const item = (name: string, help: string): string => quoted(`${name.replaceAll(':', '\\:')}:${help.replace(/[:[\]]/g, '\\$&')}`);
  const cases = places.map(({ path, subcommands, options }) => [
    `    ${quoted(path)})`,
    `      commands=(${subcommands.map(({ name, help }) => item(name, help)).join(' ')})`,
    `      options=(${options.flatMap(({ flags, help }) => flags.map((flag) => item(flag, help))).join(' ')})`,
    '      case "$previous" in',
    ...options.filter(({ choices }) => choices.length > 0).map(({ flags, choices }) => `        ${flags.join('|')}) compadd -- ${choices.map(quoted).join(' ')}; return ;;`),
    ...valueFlags(options).map((flags) => `        ${flags}) _files; return ;;`),
    '      esac ;;',
  ].join('\n'));
  return `#compdef lectern
# Completion of lectern for zsh.
_lectern() {
  local place= previous="\${words[CURRENT-1]}" i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "\${place:+$place }\${words[i]}" in
      ${places.filter(({ path }) => path !== '').map(({ path }) => quoted(path)).join('|')}) place="\${place:+$place }\${words[i]}" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe option options; return; fi
  if (( \${#commands} )); then _describe command commands; else _files; fi
}
if [ "$funcstack[1]" = _lectern ]; then _lectern "$@"; else compdef _lectern lectern; fi
`;
}

function fishScript(places: Place[]): string {
  const lines = places.flatMap(({ path, subcommands, options }) => {
    const words = path.split(' ').filter(Boolean);
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const without = subcommands.length === 0 ? '' : `not __fish_seen_subcommand_from ${subcommands.map(({ name }) => name).join(' ')}`;
    const condition = [seen, without].filter(Boolean).join('; and ') || 'true';
    return [
      ...subcommands.map(({ name, help }) => `complete -c lectern -n ${quoted(condition)} -f -a ${name} -d ${quoted(help)}`),
      ...options.map(({ flags, takesValue, choices, help }) => {
        const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c lectern -n ${quoted(condition)} ${names}${value} -d ${quoted(help)}`;
      }),
    ];
  });
  return `# Completion of lectern for fish.\n${lines.join('\n')}\n`;
}
