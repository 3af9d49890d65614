/** Tells a living process from a stranger that got its number later. */
import { readFileSync } from 'node:fs';

/** Clock ticks since boot at which the process began; empty where there is no such process, or no /proc. */
export function processStart(pid: number | string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; field 22 is the 20th after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
