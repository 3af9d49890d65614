/** The error for arguments that a command does not take. */
import { LecternError } from '../errors.js';

/** One sentence out of what Node's `parseArgs` threw, which may be several lines, and where to read more. */
export function argumentError(cause: unknown, command: string): LecternError {
  const said = (cause as Error).message.replace(/\s+/g, ' ');
  const dashed = /^Option '(?:-\w, )?(--[\w-]+).*' argument is ambiguous/.exec(said);
  const sentence = dashed === null ? `${said.split(/\. (?=[A-Z])/)[0]?.replace(/\.$/, '')}` : `A value of ${dashed[1]} that begins with a dash is written as ${dashed[1]}=-1`;
  return new LecternError('invalid_request', `${sentence}; \`lectern help ${command}\` tells what it takes.`, { cause });
}
