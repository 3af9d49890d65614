/** The parts of LibreOffice that a machine has: distributions package each by itself. */
import { readdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';

export interface OfficePart {
  name: string;
  /** The format before 2007 that it reads. */
  legacy: 'doc' | 'xls' | 'ppt';
  /** Debian's package. */
  package: string;
  /** A file of every installation that has it. */
  library: string;
}

const parts: OfficePart[] = [
  { name: 'Writer', legacy: 'doc', package: 'libreoffice-writer', library: 'libswlo.so' },
  { name: 'Calc', legacy: 'xls', package: 'libreoffice-calc', library: 'libsclo.so' },
  { name: 'Impress', legacy: 'ppt', package: 'libreoffice-impress', library: 'libsdlo.so' },
];

/** Those that the installation of `program` lacks; none where its files are laid out in another way and nothing can be said. */
export function missingOfficeParts(program: string): OfficePart[] {
  let files: string[];
  try {
    files = readdirSync(dirname(realpathSync(program)));
  } catch {
    return [];
  }
  const missing = parts.filter(({ library }) => !files.includes(library));
  return missing.length === parts.length ? [] : missing;
}
