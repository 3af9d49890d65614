/** The access list as a file that commands read and change: every line that they do not mean stays as it is. */
import { chmodSync, chownSync, existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { AccessList } from '../network/access-list.js';
import { LecternError } from '../errors.js';
import { resolveSettings } from '../settings/settings.js';
import { textOption, type CommandInput } from './command.js';
import { expandHome } from './sources.js';

/** Of a new list: its owner writes it, the service's group reads it. */
const firstMode = 0o640;

/** The list that `--list` names, else that of the settings. Throws `invalid_request` where neither does. */
export function accessFileOf(input: CommandInput): string {
  const named = textOption(input, 'list');
  const path = named === undefined ? resolveSettings(input.settings, input.environment).values.accessList : expandHome(named);
  if (path === null) throw new LecternError('invalid_request', 'The settings name no access list: --list FILE, or --access-list FILE, names one.');
  return path;
}

/** As readAccessFile(), with an empty list where there is no file yet: the first key begins it. */
export function readOrBeginAccessFile(path: string): { text: string; list: AccessList } {
  return existsSync(path) ? readAccessFile(path) : { text: '', list: new AccessList('', path) };
}

/** Throws `not_found` where the file cannot be read, `invalid_request` naming the line that is wrong. */
export function readAccessFile(path: string): { text: string; list: AccessList } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new LecternError('not_found', `The access list ${path} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  return { text, list: new AccessList(text, path) };
}

/** Replaces the file in one step, so that a running service never reads half of it. Throws `invalid_request` for a text that is no list, `forbidden`. */
export function replaceAccessFile(path: string, text: string): void {
  new AccessList(text, path);
  const fresh = `${path}.new`;
  try {
    const before = existsSync(path) ? statSync(path) : null;
    const mode = before === null ? firstMode : before.mode & 0o777;
    writeFileSync(fresh, text, { mode });
    chmodSync(fresh, mode);
    // The service's group reads it: root must not take the list away from it.
    if (before !== null) chownSync(fresh, before.uid, before.gid);
    renameSync(fresh, existsSync(path) ? realpathSync(path) : path);
  } catch (cause) {
    throw new LecternError('forbidden', `The access list ${path} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
