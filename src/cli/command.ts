/** What a command of the program is. */
import type { Environment } from '../settings/settings.js';

/** Takes the arguments behind the command's name and the environment; resolves to the exit code. */
export type Command = (args: string[], environment: Environment) => Promise<number>;
