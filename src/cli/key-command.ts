/** `lectern key NAME ROLE`: a new bearer key, and the line of the access list that lets it in. */
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hashKey } from '../network/access-key.js';
import { standardRoles } from '../network/access-list.js';
import { LecternError } from '../errors.js';
import type { Command } from './command.js';
import { keyUsage } from './usage.js';

/** The line alone on standard output, so that `>>` adds it to the list; the key is for the eyes of the user. */
export const key: Command = async (args) => {
  const [name, role, ...more] = args;
  const isWord = (word: string | undefined): boolean => word !== undefined && /^[\w.@-]+$/.test(word);
  if (!isWord(name) || !isWord(role) || more.length > 0) throw new LecternError('invalid_request', keyUsage);
  const secret = `lk-${randomBytes(32).toString('base64url')}`;
  process.stderr.write(`The key, shown this once:\n${secret}\n`);
  if (!standardRoles.includes(role as string)) {
    process.stderr.write(`lectern: ${role} is none of the roles ${standardRoles.join(', ')}: the access list is refused unless one of its lines is \`role ${role}\`.\n`);
  }
  process.stderr.write('Its line for the access list:\n');
  process.stdout.write(`${endsWithinLine() ? '\n' : ''}key ${name} ${role} ${hashKey(secret)}\n`);
  return 0;
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
