/** The fixtures of test/fixtures/pdf: their truth, their facts, and what the converter makes of them. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { convertDocument } from '../../src/convert/convert.js';
import { defaultConvertOptions, type ConvertOptions } from '../../src/convert/options.js';
import { noRecognisers } from '../../src/convert/ocr/recogniser.js';
import type { ConvertOutcome, ConvertPorts } from '../../src/convert/request.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { measureQuality, type Quality } from './quality.js';

/** See test/fixtures/sources/truth.ts, which writes them. */
export interface FixtureFacts {
  language: string;
  pages: number;
  password: string | null;
  outline: string[];
  links: string[];
  furniture: string[];
  absent: string[];
  present: string[];
  bars: FixtureBars | null;
}

export interface FixtureBars extends Quality {
  lacks: string[];
  shows: string[];
  known: string;
}

export interface Fixture {
  name: string;
  pdf: string;
  truth: string;
  facts: FixtureFacts;
}

export const fixturesDirectory = (): string => join(packageRoot(), 'test/fixtures/pdf');

export function readFixtures(): Fixture[] {
  const directory = fixturesDirectory();
  const names = readdirSync(directory).filter((file) => file.endsWith('.pdf')).map((file) => file.slice(0, -4));
  return names.map((name) => ({
    name, pdf: join(directory, `${name}.pdf`), truth: readFileSync(join(directory, `${name}.md`), 'utf8'),
    facts: JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8')) as FixtureFacts,
  }));
}

/** No engine: born-digital pages ask nothing of it. */
export const quietPorts: ConvertPorts = {
  engine: { deskewAngle: async () => 0 },
  recognisers: noRecognisers,
  progress: () => undefined,
  signal: new AbortController().signal,
};

/** `outputDirectory` exists and is empty. */
export function convertFixture(fixture: Fixture, outputDirectory: string, options: Partial<ConvertOptions> = {}): Promise<ConvertOutcome> {
  return convertDocument({
    inputPath: fixture.pdf, filename: `${fixture.name}.pdf`, outputDirectory, failedPages: [],
    options: { ...defaultConvertOptions, password: fixture.facts.password, ...options },
  }, quietPorts);
}

export interface Findings extends Quality {
  lacks: string[];
  shows: string[];
}

/** White space folded, escapes of the markdown taken back. */
const fold = (markdown: string): string => markdown.replace(/\\_/gu, '_').replaceAll('&amp;', '&').replace(/\s+/gu, ' ');

export function judge({ truth, facts }: Fixture, markdown: string): Findings {
  const text = fold(markdown);
  return {
    ...measureQuality(truth, markdown),
    lacks: [...facts.present, ...facts.links.map((link) => `](${link})`)].filter((wanted) => !text.includes(wanted)),
    shows: [...facts.furniture, ...facts.absent].filter((unwanted) => text.includes(unwanted)),
  };
}
