/** Programs of the system that read what no library here does, for the rooms around the formats. */
import { findProgram } from './external-program.js';

export { convertByProgram } from './external-program.js';

/** The path of the first of the programs that is installed; null where none is. */
export function findReader(...names: string[]): string | null {
  return findProgram(names);
}
