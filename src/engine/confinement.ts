/** Confinement of a process by the kernel: by Landlock before it starts, by a filter of system calls (seccomp) once it has loaded what it needs. */
import { nativeFile } from '../platform/native-files.js';
import { loadAddon, type ConfinementSupport, type NativeAddon } from './addon.js';

export type { ConfinementSupport } from './addon.js';

/** Throws `invalid_state` where the addon is missing. */
export function confinementSupport(): ConfinementSupport {
  // An addon that was built before it had this call still runs a service; the log and `lectern doctor` report that nothing is confined.
  const { confinementSupport: ask } = loadAddon() as Partial<NativeAddon>;
  return ask?.() ?? { landlockAbi: 0, systemCallFilter: false };
}

/**
 * The program that restricts its files and ports and then becomes another (native/platform/confine_main.cpp); null where it was not built. It is a
 * process of its own because Landlock restricts one thread and what that starts: once Node runs JavaScript it has other threads already.
 */
export function confiningProgram(): string | null {
  return nativeFile('lectern-confine');
}

/**
 * From now on all threads of this process are refused the system calls that work on documents does not need (native/platform/system_call_filter.h).
 * `programs`: it may still start programs. Throws `invalid_state` where the kernel refuses.
 */
export function restrictSystemCalls(programs: boolean): void {
  loadAddon().restrictSystemCalls(programs);
}
