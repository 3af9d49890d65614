/** The arguments of `lectern convert`. */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultConvertOptions, type ConvertOptions } from '../convert/options.js';
import { dataFileOf, knownLanguages } from '../convert/ocr/languages.js';
import { LecternError } from '../errors.js';
import { homeDirectory } from '../platform/home-directory.js';
import { standardInput } from './standard-input.js';
import { convertUsage as usage } from './usage.js';
import { argumentError } from './argument-error.js';

export const extensions = { md: '.md', json: '.json', html: '.html', text: '.txt', doctags: '.doctags' } as const;
export type ResultFormat = keyof typeof extensions;

export interface ConvertArguments {
  /** Absolute; `-` is standard input. */
  files: string[];
  /** The name that the user gives standard input; null: none. */
  inputName: string | null;
  formats: ResultFormat[];
  /** null: the one result goes to standard output. */
  directory: string | null;
  /** The service that converts; null: this process does. */
  url: string | null;
  options: ConvertOptions;
}

/** Throws `invalid_request` with a sentence about the first thing that is wrong. */
export function readConvertArguments(args: string[]): ConvertArguments {
  const { values, positionals } = parseWords(args);
  const formats = (values.to ?? ['md']).flatMap((list) => list.split(',')).map((word) => word.trim());
  const unknown = formats.find((format) => !Object.hasOwn(extensions, format));
  if (unknown !== undefined) throw new LecternError('invalid_request', `--to must be ${Object.keys(extensions).join(', ')}, not "${unknown}".`);
  const directory = values.output ?? null;
  if (positionals.length === 0) throw new LecternError('invalid_request', usage);
  const inputName = readName(values.name, positionals.filter((word) => word === standardInput).length);
  if (directory === null && values.images === 'referenced') throw new LecternError('invalid_request', 'Referenced images are files beside the result and need a directory: add -o DIRECTORY.');
  if (directory === null && positionals.length * formats.length > 1) throw new LecternError('invalid_request', 'Several results need a directory: add -o DIRECTORY.');
  const url = values.url ?? null;
  if (url !== null && values.images === 'referenced') {
    throw new LecternError('invalid_request', 'Referenced images are written only without --url; through a service use --images embedded.');
  }
  const options: ConvertOptions = {
    ...defaultConvertOptions,
    outputs: formats as ResultFormat[],
    pageRange: readPages(values.pages),
    imageExportMode: readImages(values.images),
    keepFurniture: values['keep-furniture'] ?? false,
    keepNotes: values['keep-notes'] ?? false,
    password: values.password ?? null,
    ocrLanguages: readLanguages(values['ocr-lang'] ?? []),
    ocrPreset: readPreset(values['ocr-preset']),
  };
  return { files: positionals.map((word) => (word === standardInput ? word : expand(word))), inputName, formats: formats as ResultFormat[], directory: directory === null ? null : expand(directory), url, options };
}

function parseWords(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        to: { type: 'string', multiple: true, short: 't' },
        output: { type: 'string', short: 'o' },
        name: { type: 'string' },
        url: { type: 'string' },
        pages: { type: 'string' },
        password: { type: 'string' },
        images: { type: 'string' },
        'keep-furniture': { type: 'boolean' },
        'keep-notes': { type: 'boolean' },
        'ocr-lang': { type: 'string', multiple: true },
        'ocr-preset': { type: 'string' },
      },
    });
  } catch (cause) {
    throw argumentError(cause, 'convert');
  }
}

/** Of `count` words that stand for standard input. */
function readName(name: string | undefined, count: number): string | null {
  if (count > 1) throw new LecternError('invalid_request', 'Standard input can be read once: one `-` among the documents.');
  if (name === undefined) return null;
  if (count === 0) throw new LecternError('invalid_request', '--name says what standard input is called, and no `-` stands among the documents.');
  if (name === '' || name === '.' || name === '..' || name !== basename(name) || Buffer.byteLength(name) > 255) throw new LecternError('invalid_request', `--name must be the name of a file, like report.md, not "${name}".`);
  return name;
}

function readPages(text: string | undefined): [number, number] {
  if (text === undefined) return defaultConvertOptions.pageRange;
  const match = /^(\d+)(?:-(\d*))?$/.exec(text);
  const first = Number(match?.[1]);
  const last = match?.[2] === undefined ? first : match[2] === '' ? Number.MAX_SAFE_INTEGER : Number(match[2]);
  if (match === null || first < 1 || last < first) throw new LecternError('invalid_request', `--pages must be like 3, 3-7 or 3-, not "${text}".`);
  return [first, last];
}

/** Lists of codes, as `de,en`. */
function readLanguages(lists: string[]): string[] {
  const codes = lists.flatMap((list) => list.split(',')).map((code) => code.trim()).filter((code) => code !== '');
  const strange = codes.find((code) => dataFileOf(code) === null);
  if (strange !== undefined) throw new LecternError('invalid_request', `--ocr-lang must be codes of ISO 639 (${knownLanguages.join(' ')}), not "${strange}".`);
  return codes;
}

/** Which models there are is known where it is converted. */
function readPreset(text: string | undefined): string {
  if (text === '') throw presetFailure(text);
  return text ?? defaultConvertOptions.ocrPreset;
}

export function presetFailure(text: string, models: string[] = []): LecternError {
  const those = models.length === 0 ? 'the name of an installed vision model that reads text (none is there)' : `an installed vision model (${models.join(', ')})`;
  return new LecternError('invalid_request', `--ocr-preset must be auto, tesseract or ${those}, not "${text}".`);
}

function readImages(text: string | undefined): ConvertOptions['imageExportMode'] {
  if (text === undefined) return 'placeholder';
  if (text === 'placeholder' || text === 'embedded' || text === 'referenced') return text;
  throw new LecternError('invalid_request', `--images must be placeholder, embedded or referenced, not "${text}".`);
}

/** Shells leave a ~ alone behind a quote or an equals sign. */
function expand(path: string): string {
  return resolve(path.replace(/^~(?=\/|$)/, homeDirectory()));
}
