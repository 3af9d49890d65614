/**
 * The office formats before 2007, turned into today's by LibreOffice where it is installed: a process of its own with a profile of
 * its own, without macros, bounded in time and output; afterwards nothing of it is left.
 */
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LecternError } from '../../errors.js';
import { makeOwnDirectory, sharedSparedMs } from '../../platform/process-directory.js';
import type { ReadDocument, FormatReader, ReadOptions } from '../format-reader.js';
import { findProgram, runProgram } from '../external-program.js';
import { isCutShort, isEncryptedLegacy, looksLikeCompound } from './compound-file.js';
import { missingOfficeParts } from './office-parts.js';

type Modern = 'docx' | 'pptx' | 'xlsx';

/** A first start makes a profile, which takes seconds; a document of this kind that takes a minute never ends. */
const limitMs = 90_000;
const maximumOutputBytes = 256 * 1024 * 1024;

/** The program's path, searched for in `path` (as the environment writes it) and where it is usually installed; null where it is not. */
export function findLibreOffice(path: string = process.env['PATH'] ?? ''): string | null {
  return findProgram(['soffice', 'libreoffice'], path);
}

export interface LegacyLimits {
  limitMs: number;
  maximumOutputBytes: number;
}

const usual: LegacyLimits = { limitMs, maximumOutputBytes };

const setting = (path: string, name: string, value: string): string =>
  `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;

/** A profile in which macros do not run, links to elsewhere are not followed, and the way into the network ends at a closed port. */
const profileSettings = '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" '
  + `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${[
    setting('Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'), setting('Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'),
    setting('Office.Common/Security/Scripting', 'DisableActiveContent', 'true'), setting('Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'),
    setting('Inet/Settings', 'ooInetProxyType', '2'), ...['HTTP', 'HTTPS', 'FTP'].flatMap((kind) => [
      setting('Inet/Settings', `ooInet${kind}ProxyName`, '127.0.0.1'), setting('Inet/Settings', `ooInet${kind}ProxyPort`, '9'),
    ]),
  ].join('')}</oor:items>\n`;

/**
 * After it has filled a new profile LibreOffice starts itself again, under the name of its first start: a local socket, which a confined worker cannot remove. The profile's path makes
 * the name, so that a moved profile starts. A document that it cannot read ends with 0.
 */
function isRestartRefused(code: number | null): boolean {
  return code === 1;
}

async function readOutput(directory: string, modern: Modern, most: number): Promise<Uint8Array | null> {
  const name = (await readdir(directory)).find((entry) => entry.endsWith(`.${modern}`));
  if (name === undefined) return null;
  const file = await open(join(directory, name));
  try {
    const { size } = await file.stat();
    if (size > most) throw new LecternError('too_large', 'The document is larger than can be converted.');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * A file of `legacy` as one of `modern`, made by `program`. Rejects with LecternError `invalid_document` where it makes nothing of
 * it, `timeout`, `too_large` or `cancelled`.
 */
export async function modernize(
  program: string, bytes: Uint8Array, legacy: string, modern: Modern, options: Pick<ReadOptions, 'signal' | 'alive'>, limits: LegacyLimits = usual,
): Promise<Uint8Array> {
  const home = makeOwnDirectory({ parent: tmpdir(), prefix: 'lectern-office', sparedMs: sharedSparedMs });
  try {
    const input = join(home, `document.${legacy}`);
    const output = join(home, 'out');
    await writeFile(input, bytes, { mode: 0o600 });
    const begin = performance.now();
    const run = (profile: string): Promise<number | null> => runProgram(program, [
      `-env:UserInstallation=${pathToFileURL(profile).href}`, '--headless', '--invisible', '--norestore', '--nolockcheck', '--nodefault', '--nologo',
      '--convert-to', modern, '--outdir', output, input,
    ], home, options, Math.max(1, limits.limitMs - (performance.now() - begin)));
    const profile = join(home, 'profile');
    await mkdir(join(profile, 'user'), { recursive: true, mode: 0o700 });
    await writeFile(join(profile, 'user', 'registrymodifications.xcu'), profileSettings);
    let code = await run(profile);
    if (isRestartRefused(code) && !options.signal.aborted) {
      const moved = join(home, 'moved');
      await rename(profile, moved);
      code = await run(moved);
    }
    if (options.signal.aborted) throw new LecternError('cancelled');
    if (code === null && performance.now() - begin >= limits.limitMs) throw new LecternError('timeout', 'LibreOffice took too long over the document.');
    const made = await readOutput(output, modern, limits.maximumOutputBytes).catch((error: unknown) => {
      if (error instanceof LecternError) throw error;
      return null;
    });
    if (made === null) throw new LecternError('invalid_document', `LibreOffice could not read the file as a ${legacy.toUpperCase()} document.`);
    return made;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Neither a compound file, nor a sheet from before there were any, nor text: RTF and HTML go by these names, too. */
function isUnknown(bytes: Uint8Array): boolean {
  const isOldSheet = bytes[0] === 9 && (bytes[1] === 0 || bytes[1] === 2 || bytes[1] === 4);
  return !looksLikeCompound(bytes) && !isOldSheet && bytes.subarray(0, 4096).includes(0);
}

/**
 * The failure of a file of `legacy` that is found without LibreOffice: LecternError `invalid_document` or `password_required`, or null. A sheet
 * may be encrypted with a password that every program knows (`mayOpen`): whether it is, LibreOffice finds out.
 */
export function refusalOf(bytes: Uint8Array, legacy: string, mayOpen = false): LecternError | null {
  if (bytes.length === 0) return new LecternError('invalid_document', 'The file is empty.');
  // LibreOffice takes what it does not understand for text, and the document would be a page of random characters.
  if (isCutShort(bytes)) return new LecternError('invalid_document', 'The file is damaged or cut short.');
  if (isUnknown(bytes)) return new LecternError('invalid_document', `The file is not a ${legacy.toUpperCase()} document.`);
  return isEncryptedLegacy(bytes) && !(mayOpen && legacy === 'xls') ? encrypted() : null;
}

const encrypted = (): LecternError => new LecternError('password_required', 'The document is encrypted; encrypted office files cannot be opened.');

/** A reader of `legacy` files by way of `modern` ones; null where the program is not installed. It rejects with `unsupported_format` where the program's part for them is not. */
export function legacyReader(legacy: string, modern: Modern, load: () => Promise<FormatReader>, program: string | null = findLibreOffice()): FormatReader | null {
  if (program === null) return null;
  return async (bytes, options): Promise<ReadDocument> => {
    const refusal = refusalOf(bytes, legacy, true);
    if (refusal !== null) throw refusal;
    const missing = missingOfficeParts(program).find((part) => part.legacy === legacy);
    if (missing !== undefined) throw new LecternError('unsupported_format', `${legacy.toUpperCase()} documents need ${missing.name}, a part of LibreOffice that is not installed here (Debian: ${missing.package}).`);
    const made = await modernize(program, bytes, legacy, modern, options).catch((error: unknown) => {
      const isClosed = error instanceof LecternError && error.code === 'invalid_document' && isEncryptedLegacy(bytes);
      throw isClosed ? encrypted() : error;
    });
    return (await load())(made, options);
  };
}
