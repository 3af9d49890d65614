/** The words and options of `lectern convert`, checked. */
import { basename } from 'node:path';
import { defaultConvertOptions, type ConvertOptions } from '../convert/options.js';
import { dataFileOf, nearLanguages } from '../convert/ocr/languages.js';
import { LecternError } from '../errors.js';
import { isOn, listOption, textOption, type CommandInput } from './command.js';
import { resultEndings, type ResultFormat } from './result-endings.js';
import { expandHome } from './sources.js';
import { standardInput } from './standard-input.js';

export interface ConvertArguments {
  /** As they were given; `-` is standard input. */
  words: string[];
  /** The name that the user gives standard input; null: none. */
  inputName: string | null;
  formats: ResultFormat[];
  /** null: the one result goes to standard output. */
  directory: string | null;
  /** Whether documents are left out whose results are there. */
  resumes: boolean;
  /** Whether results replace files that lie beside the documents. */
  overwrites: boolean;
  /** Whether standard output gets lines of JSON instead of a result. */
  json: boolean;
  /** The service that converts; null: this process does. */
  url: string | null;
  options: ConvertOptions;
}

/** Throws `invalid_request` with a sentence about the first thing that is wrong. */
export function readConvertArguments(input: CommandInput): ConvertArguments {
  const { words } = input;
  const formats = listOption(input, 'to').flatMap((list) => list.split(',')).map((word) => word.trim());
  if (formats.length === 0) formats.push('md');
  const unknown = formats.find((format) => !Object.hasOwn(resultEndings, format));
  if (unknown !== undefined) throw new LecternError('invalid_request', `--to must be ${Object.keys(resultEndings).join(', ')}, not "${unknown}".`);
  const directory = textOption(input, 'output') ?? null;
  const images = readImages(textOption(input, 'images'));
  const url = textOption(input, 'url') ?? null;
  const [resumes, json] = [isOn(input, 'resume'), isOn(input, 'json')];
  if (directory === null && images === 'referenced') throw new LecternError('invalid_request', 'Referenced images are files beside the result and need a directory: add -o DIRECTORY.');
  if (directory === null && formats.length > 1) throw severalResults();
  if (directory === null && (resumes || json)) throw new LecternError('invalid_request', `${resumes ? '--resume' : '--json'} needs the directory of the results: add -o DIRECTORY.`);
  if (url !== null && images === 'referenced') {
    throw new LecternError('invalid_request', 'Referenced images are written only without --url; through a service use --images embedded.');
  }
  const options: ConvertOptions = {
    ...defaultConvertOptions,
    outputs: formats as ResultFormat[],
    pageRange: readPages(textOption(input, 'pages')),
    imageExportMode: images,
    keepFurniture: isOn(input, 'keepFurniture'),
    keepNotes: isOn(input, 'keepNotes'),
    keepHtml: isOn(input, 'keepHtml'),
    password: textOption(input, 'password') ?? null,
    ocrLanguages: readLanguages(listOption(input, 'ocrLang')),
    ocrPreset: readPreset(textOption(input, 'ocrPreset')),
  };
  const inputName = readName(textOption(input, 'name'), words.filter((word) => word === standardInput).length);
  return { words, inputName, formats: formats as ResultFormat[], directory: directory === null ? null : expandHome(directory), resumes, overwrites: isOn(input, 'overwrite'), json, url, options };
}

export function severalResults(): LecternError {
  return new LecternError('invalid_request', 'Several results need a directory: add -o DIRECTORY.');
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
  if (strange !== undefined) throw new LecternError('invalid_request', `--ocr-lang must be codes of ISO 639 or names of languages, not "${strange}"; near it are ${nearLanguages(strange).join(', ')}.`);
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
