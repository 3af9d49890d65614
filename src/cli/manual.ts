/** Pages of the manual (section 1), made from the declarations: `lectern.1`, and one for each command. */
import type { Command as Parser } from 'commander';
import { buildParser } from './command-line.js';
import type { CommandDeclaration } from './command.js';

/** roff, by the file name of the page. The same declarations give the same bytes. */
export function manualPages(version: string, commands: readonly CommandDeclaration[]): Map<string, string> {
  const program = buildParser(commands);
  const pages = new Map([['lectern.1', page('lectern', program, version)]]);
  for (const command of program.commands) pages.set(`lectern-${command.name()}.1`, page(`lectern-${command.name()}`, command as Parser, version));
  return pages;
}

function page(name: string, command: Parser, version: string): string {
  const help = command.createHelp();
  const subcommands = (help.visibleCommands(command) as Parser[]).filter((sub) => sub.name() !== 'help');
  const sections = [
    `.TH ${name.toUpperCase()} 1 "" ${argument(`Lectern ${version}`)} "User Commands"`,
    '.SH NAME', `${escaped(name)} \\- ${escaped(lowered(command.description()))}`,
    '.SH SYNOPSIS', `.B ${escaped(help.commandUsage(command))}`,
    ...section('ARGUMENTS', help.visibleArguments(command).map((word) => [word.name(), word.description] as const)),
    ...section('COMMANDS', subcommands.map((sub) => [help.commandUsage(sub).replace(/^lectern /, ''), sub.description()] as const)),
    ...section('OPTIONS', help.visibleOptions(command).map((option) => [help.optionTerm(option), option.description] as const)),
    ...subcommands.flatMap((sub) => section(`OPTIONS OF ${sub.name().toUpperCase()}`, help.visibleOptions(sub).filter(({ long }) => long !== '--help').map((option) => [help.optionTerm(option), option.description] as const))),
    ...section('FILES', [['/etc/lectern/settings', 'settings of the service'], ['/etc/lectern/access', 'the access list, where the settings name it']]),
    '.SH EXIT STATUS', 'As in sysexits.h; 1: done, with findings. /usr/share/doc/lectern/cli.md lists them.',
    '.SH SEE ALSO', '/usr/share/doc/lectern/README.md', '',
  ];
  return sections.join('\n');
}

function section(title: string, rows: readonly (readonly [term: string, text: string])[]): string[] {
  return rows.length === 0 ? [] : [`.SH ${title}`, ...rows.flatMap(([term, text]) => ['.TP', `.B ${escaped(term)}`, escaped(text)])];
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}

/** Text that roff prints as it is. */
function escaped(text: string): string {
  return text.replace(/\\/g, '\\e').replace(/-/g, '\\-').replace(/^([.'])/gm, '\\&$1');
}

function argument(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
