/** The system's Tesseract as a recogniser: finds its language data, and selects the languages. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TextReader } from '../../engine/port.js';
import { asLecternError } from '../../errors.js';
import { dataFileOf } from './languages.js';
import type { NoRecogniser, TextRecogniser, TextRecognisers } from './recogniser.js';

/** Data for script orientation and equations, which are not languages. */
const noLanguages = new Set(['osd', 'equ']);
const suffix = '.traineddata';

/** The packages to install for the requested languages, one for each. */
function packagesFor(asked: readonly string[]): string {
  const files = asked.map(dataFileOf).filter((file) => file !== null);
  return `Debian: apt-get install ${[...new Set(files.length === 0 ? ['eng'] : files)].map((file) => `tesseract-ocr-${file.replaceAll('_', '-')}`).join(' ')}`;
}

export interface TesseractData {
  directory: string;
  /** Names of the data files, sorted. */
  languages: string[];
}

/** The installed data in Tesseract's own search path; null without any language. */
export function findTesseractData(environment: Record<string, string | undefined>): TesseractData | null {
  const told = environment['TESSDATA_PREFIX'];
  const places = ['/usr/share/tesseract-ocr/5/tessdata', '/usr/share/tesseract-ocr/4.00/tessdata', '/usr/share/tessdata', '/usr/local/share/tessdata', '/opt/homebrew/share/tessdata'];
  for (const directory of told ? [told, join(told, 'tessdata')] : places) {
    if (!existsSync(directory)) continue;
    const languages = readdirSync(directory).filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length)).filter((name) => !noLanguages.has(name));
    if (languages.length > 0) return { directory, languages: languages.sort() };
  }
  return null;
}

/** The data files for the requested languages; English, or the installed ones, if the request names none. */
function chooseLanguages(data: TesseractData, asked: readonly string[]): string[] {
  if (asked.length === 0) return data.languages.includes('eng') ? ['eng'] : data.languages.slice(0, 1);
  const files = asked.map(dataFileOf).filter((file) => file !== null);
  return [...new Set(files)].filter((file) => data.languages.includes(file));
}

/** The first page that needs it starts `reader`, whatever engine a request names. */
export function tesseractRecognisers(reader: () => TextReader, environment: Record<string, string | undefined>): TextRecognisers {
  let version: Promise<string> | null = null;
  const isThere = async (): Promise<boolean> => {
    try {
      await reader().tesseractVersion();
      return true;
    } catch {
      return false;
    }
  };
  return {
    async find(preset, asked): Promise<TextRecogniser | NoRecogniser> {
      const data = findTesseractData(environment);
      if (data === null) return { reason: await isThere() ? `Tesseract has no language data (${packagesFor(asked)})` : preset.startsWith('tess') ? 'Tesseract or its language data is not installed' : 'no text recogniser is installed' };
      const languages = chooseLanguages(data, asked);
      if (languages.length === 0) return { reason: `Tesseract has no data for ${asked.join(', ')}, only for ${data.languages.join(', ')} (${packagesFor(asked)})` };
      try {
        version ??= reader().tesseractVersion();
        const name = `tesseract ${await version} (${languages.join('+')})`;
        const shared = { dataDirectory: data.directory, languages: languages.join('+') };
        return { name, read: (bitmap, dpi, signal) => reader().readText(bitmap, { ...shared, dpi, signal }) };
      } catch (thrown) {
        version = null;
        return { reason: asLecternError(thrown).message.replace(/\.$/u, '') };
      }
    },
  };
}
