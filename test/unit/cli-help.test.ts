/** Help in every form in which it is asked for: of the program, of a command, of a subcommand; a name that is no command is an error. */
import t from 'tap';
import { parseCommandLine } from '../../src/cli/command-line.js';
import { commands } from '../../src/cli/commands.js';

async function first(line: string): Promise<string> {
  const asked = await parseCommandLine(line.split(' '), commands, {}).catch((thrown: Error) => thrown);
  if (asked instanceof Error) return asked.message;
  return 'print' in asked ? asked.print.split('\n')[0] as string : `runs with ${JSON.stringify(asked.input.words)}`;
}

t.test('forms of help', async (t) => {
  const whole = 'Usage: lectern COMMAND [OPTIONS] [WORDS]';
  const convert = 'Usage: lectern convert [options] <source...>';
  const add = 'Usage: lectern models add [options] <source>';
  const models = 'Usage: lectern models [options] [command]';
  for (const line of ['help', '--help', '-h', 'help help', 'help --help']) t.equal(await first(line), whole, line);
  for (const line of ['help convert', 'convert help', 'convert --help', 'convert -h', '--help convert', 'convert x --help']) t.equal(await first(line), convert, line);
  for (const line of ['help models', 'models help', 'models --help', 'help models --help']) t.equal(await first(line), models, line);
  for (const line of ['help models add', 'models help add', 'models add help', 'models add --help', 'models add -h', '-h models add']) t.equal(await first(line), add, line);
});

t.test('a name that is no command is an error, in each form', async (t) => {
  const unknown = "Unknown command 'nope'; `lectern help models` lists what it takes.";
  for (const line of ['help models nope', 'models help nope', 'models nope --help', 'models nope']) t.equal(await first(line), unknown, line);
  t.equal(await first('help nope'), "Unknown command 'nope'; `lectern help` lists the commands.");
  t.equal(await first('models ad --help'), "Unknown command 'ad'; did you mean add? `lectern help models` lists what it takes.");
});

t.test('words of a command are no question for help', async (t) => {
  t.equal(await first('keys add help student'), 'runs with ["help","student"]');
  t.equal(await first('convert ./help'), 'runs with ["./help"]');
  t.equal(await first('convert -- help'), 'runs with ["help"]');
  t.equal(await first('models'), 'runs with []', 'the usual subcommand');
});
