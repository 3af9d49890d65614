/** `lectern key NAME ROLE`: a new bearer key, and the line of the access list that lets it in. */
import { randomBytes } from 'node:crypto';
import { LecternError } from '../errors.js';
import { hashKey } from '../access-key.js';
import type { Command } from './run.js';

export const key: Command = async (args) => {
  const [name, role, ...more] = args;
  const isWord = (word: string | undefined): boolean => word !== undefined && /^[\w.@-]+$/.test(word);
  if (!isWord(name) || !isWord(role) || more.length > 0) throw new LecternError('invalid_request', 'usage: lectern key NAME ROLE (words of letters, digits and . @ - _)');
  const secret = `lk-${randomBytes(32).toString('base64url')}`;
  process.stderr.write('The key, shown this once:\n');
  process.stdout.write(`${secret}\n`);
  process.stderr.write(`Its line for the access list:\nkey ${name} ${role} ${hashKey(secret)}\n`);
  return 0;
};
