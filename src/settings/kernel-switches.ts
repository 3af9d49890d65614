/**
 * The debug switches of the CUDA kernels. They are no settings of the service: they exist for measurements, and as a way out where an error message names one, and are read from the
 * environment alone.
 */
import { LecternError } from '../errors.js';

const words = {
  LECTERN_DECODE: ['registers', 'rings', 'tiles'],
  LECTERN_EARLY_LAUNCHES: ['on', 'off'],
} as const;

/** The names that the environment may hold beside settings. */
export const kernelSwitchNames: readonly string[] = Object.keys(words);

export interface KernelSwitches {
  /** The GEMV kernel of decode rows; without it a trial on the device chooses. */
  decode?: 'registers' | 'rings' | 'tiles';
  /** Whether a kernel is launched before the one in front of it has ended (programmatic dependent launch). */
  earlyLaunches: boolean;
}

function read<Name extends keyof typeof words>(environment: Readonly<Record<string, string | undefined>>, name: Name): (typeof words)[Name][number] | undefined {
  const value = environment[name];
  if (value === undefined) return undefined;
  const allowed: readonly (typeof words)[Name][number][] = words[name];
  const found = allowed.find((word) => word === value);
  if (found === undefined) throw new LecternError('invalid_request', `${name} in the environment is ${allowed.join(' or ')}, not "${value}".`);
  return found;
}

/** The switches with the setting that belongs to them, as the engine takes them. */
export function kernelOptions({ warpgroups }: { warpgroups: 'auto' | 'off' }, environment: Readonly<Record<string, string | undefined>>): KernelSwitches & { warpgroups: boolean } {
  return { ...readKernelSwitches(environment), warpgroups: warpgroups === 'auto' };
}

/** What the engine of a service takes from its settings. */
export function engineOptions(settings: { warpgroups: 'auto' | 'off'; preTokenizer: string }, environment: Readonly<Record<string, string | undefined>>): { kernels: ReturnType<typeof kernelOptions>; preTokenizer?: string } {
  const { preTokenizer } = settings;
  return { kernels: kernelOptions(settings, environment), ...(preTokenizer === '' ? {} : { preTokenizer }) };
}

/** Throws `invalid_request` for a value that a switch does not have. */
export function readKernelSwitches(environment: Readonly<Record<string, string | undefined>>): KernelSwitches {
  const decode = read(environment, 'LECTERN_DECODE');
  return { ...(decode === undefined ? {} : { decode }), earlyLaunches: read(environment, 'LECTERN_EARLY_LAUNCHES') !== 'off' };
}
