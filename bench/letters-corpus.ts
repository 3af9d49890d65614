/** PDFs with their text beside them: guides in Debian's documentation packages, which are made as PDF and as plain text from one source. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../src/platform/package-files.js';

export interface LettersDocument {
  id: string;
  pdf: string;
  truth: string;
}

/** Packages that carry the same text as PDF and as plain text; several languages of one guide count as several documents. */
const packages = [
  'debian-faq', 'debian-faq-de', 'debian-faq-fr', 'debian-faq-it', 'debian-faq-nl', 'debian-faq-pt', 'debian-faq-ru', 'debian-policy', 'debian-reference-en', 'debian-reference-de', 'debian-reference-fr',
  'debian-reference-it', 'debian-reference-es', 'debian-reference-pt', 'debmake-doc', 'developers-reference', 'developers-reference-de', 'developers-reference-fr', 'developers-reference-ja',
  'installation-guide-amd64', 'maint-guide', 'maint-guide-de', 'maint-guide-fr', 'maint-guide-es', 'maint-guide-it', 'maint-guide-ca', 'maint-guide-ru', 'maint-guide-ja',
];
/** Bytes: smaller files say only that a translation is missing. */
const leastSize = 50_000;
const mostDocuments = 60;

export const lettersFolder = (): string => join(packageRoot(), 'build/letters');

/** Downloads and unpacks packages that are not there yet, with apt's own client. Nothing is installed. */
export function fetchLetters(folder = lettersFolder()): void {
  mkdirSync(folder, { recursive: true });
  for (const name of packages) {
    const home = join(folder, name);
    if (existsSync(home)) continue;
    const got = spawnSync('apt-get', ['download', '-q', name], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`) && entry.endsWith('.deb'));
    if (got.status !== 0 || file === undefined) throw new Error(`apt-get cannot download ${name}.`);
    if (spawnSync('dpkg-deb', ['-x', file, name], { cwd: folder, stdio: 'inherit' }).status !== 0) throw new Error(`dpkg-deb cannot unpack ${file}.`);
  }
}

function unpacked(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** The PDFs of the packages beside which a text of the same name lies, in the order of their names. */
export function lettersDocuments(folder = lettersFolder()): LettersDocument[] {
  const found: LettersDocument[] = [];
  for (const name of packages) {
    const home = join(folder, name);
    if (!existsSync(home)) continue;
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
    for (const pdf of files.filter((path) => /\.pdf(?:\.gz)?$/u.test(path))) {
      const text = files.find((path) => path.replace(/\.txt(?:\.gz)?$/u, '') === pdf.replace(/\.pdf(?:\.gz)?$/u, ''));
      const bytes = unpacked(pdf);
      if (text === undefined || bytes.length < leastSize) continue;
      const id = `${name}.${pdf.slice(pdf.lastIndexOf('/') + 1).replace(/\.pdf(?:\.gz)?$/u, '')}`;
      const plain = join(folder, `${id}.pdf`);
      if (!existsSync(plain)) writeFileSync(plain, bytes);
      found.push({ id, pdf: plain, truth: unpacked(text).toString('utf8') });
    }
  }
  return found.slice(0, mostDocuments);
}
