/** What a command of the program is: its declaration, from which help, completion and manual are made, and its run. */
import type { Environment } from '../settings/settings.js';

export type OptionValue = string | string[] | boolean | undefined;

export interface CommandInput {
  /** The words that are no options, in their order. */
  words: string[];
  /** By the long name in camel case: `--ocr-lang` is `ocrLang`. */
  options: Record<string, OptionValue>;
  /** Flags of settings with their values, as resolveSettings() takes them. */
  settings: string[];
  environment: Environment;
}

/** Resolves to the exit code. */
export type Command = (input: CommandInput) => Promise<number>;

export interface OptionDeclaration {
  /** `-o, --output <directory>`; without `<…>` a switch. */
  flags: string;
  help: string;
  /** The values that it takes; lists of them divided by commas are the command's to check. */
  choices?: readonly string[];
  /** What stands for a missing value, as help prints it. */
  default?: string;
  /** May be given several times. */
  repeats?: true;
}

export interface CommandDeclaration {
  name: string;
  /** One line, in the imperative. */
  help: string;
  /** `<file...>`, `[model]`: what stands behind the name. */
  words?: { syntax: string; help: string }[];
  options?: readonly OptionDeclaration[];
  /** Whether settings of the service may be flags: `listed` in its help, or `accepted`. */
  settings?: 'listed' | 'accepted';
  /** Command lines with what each does. */
  examples?: readonly (readonly [line: string, what: string])[];
  /** Exit codes beside those that all commands share. */
  exits?: readonly (readonly [code: number, what: string])[];
  commands?: readonly CommandDeclaration[];
  /** The subcommand that runs when none is named. */
  usualCommand?: string;
  load?: () => Promise<Command>;
}

/** The value of an option that takes one. */
export function textOption({ options }: CommandInput, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of an option that may be given several times. */
export function listOption({ options }: CommandInput, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

export function isOn({ options }: CommandInput, name: string): boolean {
  return options[name] === true;
}
