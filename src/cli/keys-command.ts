/** `lectern keys`: bearer keys of the access list. The list holds their hashes alone; a key is shown once, when it is made. */
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hashKey } from '../network/access-key.js';
import { standardRoles } from '../network/access-list.js';
import { LecternError } from '../errors.js';
import { accessFileOf, readAccessFile, readOrBeginAccessFile, replaceAccessFile } from './access-file.js';
import { isOn, type Command } from './command.js';
import { exitCodes } from './exit-codes.js';
import { printJson, printLines, tableLines } from './lines-and-tables.js';

export const listKeys: Command = async (input) => {
  const holders = readAccessFile(accessFileOf(input)).list.holders();
  if (isOn(input, 'json')) printJson(holders);
  else printLines(holders.length === 0 ? ['There is no key; `lectern keys add NAME ROLE` makes one.'] : tableLines([['NAME', 'ROLE'], ...holders.map(({ name, role }) => [name, role])]));
  return exitCodes.ok;
};

/** With `--print` the line goes to standard output, so that `>>` adds it to the list; the key is for the eyes of the user. */
export const addKey: Command = async (input) => {
  const [name = '', role = ''] = input.words;
  const wrong = [name, role].find((word) => !/^[\w.@-]+$/.test(word));
  if (wrong !== undefined) throw new LecternError('invalid_request', `Names and roles are of letters, digits and . @ - _, not "${wrong}".`);
  const secret = `lk-${randomBytes(32).toString('base64url')}`;
  const line = `key ${name} ${role} ${hashKey(secret)}`;
  if (isOn(input, 'print')) {
    process.stderr.write(`The key, shown this once:\n${secret}\n`);
    if (!standardRoles.includes(role)) {
      process.stderr.write(`lectern: ${role} is none of the roles ${standardRoles.join(', ')}: the access list is refused unless one of its lines is \`role ${role}\`.\n`);
    }
    process.stderr.write('Its line for the access list:\n');
    process.stdout.write(`${endsWithinLine() ? '\n' : ''}${line}\n`);
    return exitCodes.ok;
  }
  const path = accessFileOf(input);
  const { text, list } = readOrBeginAccessFile(path);
  if (!list.roles.has(role)) throw new LecternError('invalid_request', `There is no role "${role}" in ${path}, only ${[...list.roles].join(', ')}; a line \`role ${role}\` would add it.`);
  replaceAccessFile(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  if (isOn(input, 'json')) printJson({ name, role, key: secret, list: path });
  else {
    process.stderr.write(`The key of ${name}, shown this once (its line is in ${path}):\n`);
    process.stdout.write(`${secret}\n`);
  }
  return exitCodes.ok;
};

export const removeKeys: Command = async (input) => {
  const [name = ''] = input.words;
  const path = accessFileOf(input);
  const { text } = readAccessFile(path);
  const lines = text.split('\n');
  const kept = lines.filter((line) => {
    const [kind, holder] = line.replace(/#.*/, '').trim().split(/\s+/);
    return kind !== 'key' || holder !== name;
  });
  const count = lines.length - kept.length;
  if (count === 0) throw new LecternError('not_found', `${path} has no key of ${name}; \`lectern keys list\` shows whose there are.`);
  replaceAccessFile(path, kept.join('\n'));
  printLines([`${count === 1 ? 'The key' : `${count} keys`} of ${name} will open nothing from now on.`]);
  return exitCodes.ok;
};

/** Whether the file that `>>` adds to has no end of its last line, as some editors leave it: both lines would be one, and the list refused. */
function endsWithinLine(): boolean {
  try {
    const found = fstatSync(process.stdout.fd);
    if (!found.isFile() || found.size === 0) return false;
    const file = openSync('/proc/self/fd/1', 'r');
    try {
      const last = Buffer.alloc(1);
      return readSync(file, last, 0, 1, found.size - 1) === 1 && last.toString() !== '\n';
    } finally {
      closeSync(file);
    }
  } catch {
    // No /proc, or a file that may only be written.
    return false;
  }
}
