/** Distinguishes a living process from one that got its number later. */
import { readFileSync } from 'node:fs';

/** No process began then: it has ended, and its parent has not collected its exit status. It holds nothing any more. */
const ended = 'ended';

/** Clock ticks since boot at which the process began; empty where there is no such process, or no /proc; a word that is no number where it has ended. */
export function processStart(pid: number | string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the state is the field after it, and field 22 the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? ended : fields[19] ?? '';
  } catch {
    return '';
  }
}
