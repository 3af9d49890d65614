/** The documents of the conversion bench and the truth beside each: our own fixtures, and the samples that lie beside the checkout. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/platform/package-files.js';

export interface BenchDocument {
  id: string;
  style: string;
  pdf: string;
  truth: string;
  password: string | null;
}

export interface Corpus {
  /** What its truth is good for: all measures, or only how like the texts are. */
  measures: 'all' | 'plain';
  documents: BenchDocument[];
}

/** Scans want text recognition, which the converter does not have yet; they are measured when asked for by name. */
export const defaultFolders = ['replica', 'styled', 'latex', 'docling', 'fixtures'] as const;
export const knownFolders = [...defaultFolders, 'scan'] as const;
export type FolderName = (typeof knownFolders)[number];

interface Manifest {
  docs: { id: string; pdf: string; gt: string; gt_body?: string; style?: string }[];
}

export const samplesDirectory = (): string => join(packageRoot(), '../shared/samples');

/** Null where the folder is not beside the checkout. */
export function readCorpus(folder: FolderName): Corpus | null {
  if (folder === 'fixtures') return readFixtures(join(packageRoot(), 'test/fixtures/pdf'));
  const directory = join(samplesDirectory(), folder);
  if (!existsSync(directory)) return null;
  if (folder === 'docling') return { measures: 'plain', documents: pairs(join(directory, 'pdf'), (pdf) => `${pdf}.md`) };
  if (folder === 'latex') return { measures: 'plain', documents: pairs(directory, (pdf) => pdf.replace(/\.pdf$/u, '.md')) };
  const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  const documents = manifest.docs.map(({ id, pdf, gt, gt_body, style }) => ({
    id, style: style ?? folder, pdf: join(directory, pdf), truth: join(directory, gt_body ?? gt), password: null,
  }));
  return { measures: 'all', documents };
}

function pairs(directory: string, truthOf: (pdf: string) => string): BenchDocument[] {
  const pdfs = readdirSync(directory).filter((name) => name.endsWith('.pdf') && existsSync(join(directory, truthOf(name))));
  return pdfs.map((pdf) => ({ id: pdf.replace(/\.pdf$/u, ''), style: 'peer', pdf: join(directory, pdf), truth: join(directory, truthOf(pdf)), password: null }));
}

function readFixtures(directory: string): Corpus {
  const names = readdirSync(directory).filter((name) => name.endsWith('.pdf')).map((name) => name.replace(/\.pdf$/u, ''));
  const documents = names.map((id) => {
    const facts = JSON.parse(readFileSync(join(directory, `${id}.json`), 'utf8')) as { maker: string; password: string | null };
    return { id, style: facts.maker, pdf: join(directory, `${id}.pdf`), truth: join(directory, `${id}.md`), password: facts.password };
  });
  return { measures: 'all', documents };
}
