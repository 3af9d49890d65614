/** Older office files by way of another program: a stand-in for LibreOffice written here shows what is asked of it and what becomes of it. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import t from 'tap';
import { isCutShort, isEncryptedLegacy } from '../../src/formats/office/compound-file.js';
import { findLibreOffice, legacyReader, modernize } from '../../src/formats/office/legacy-office.js';
import { missingOfficeParts } from '../../src/formats/office/office-parts.js';
import { findFormat } from '../../src/formats/index.js';
import { makeCompoundFile } from '../support/compound-file.js';
import { makeDocx } from '../support/office-files.js';
import { readOptions } from '../support/read-office.js';

const usual = { signal: new AbortController().signal, alive: () => undefined };
const limits = { limitMs: 60_000, maximumOutputBytes: 1_000_000 };

/** A program of that shell text; `$out` and `$in` are where the result goes and what it is made of. */
function program(directory: string, text: string): string {
  const path = join(directory, 'soffice');
  writeFileSync(path, `#!/bin/sh\nfor last; do in="$last"; done\nwhile [ $# -gt 0 ]; do [ "$1" = --outdir ] && out="$2"; shift; done\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Neither gone nor waiting to be buried. */
function isRunning(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

// Of its own, so that files of other tests are not taken for those of this one.
const temporary = mkdtempSync(join(tmpdir(), 'lectern-legacy-'));
process.env['TMPDIR'] = temporary;
t.teardown(() => rmSync(temporary, { recursive: true, force: true }));
const leftovers = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('lectern-office-'));

t.test('the file is handed over, the result is read, nothing is left', async (t) => {
  const directory = t.testdir();
  const made = join(directory, 'made.docx');
  writeFileSync(made, makeDocx({ body: '<w:p><w:r><w:t>from long ago</w:t></w:r></w:p>' }));
  const before = leftovers();
  const soffice = program(directory, `mkdir -p "$out"; cp "${made}" "$out/document.docx"; cp "$in" "${directory}/seen"; cp profile/user/registrymodifications.xcu "${directory}/profile"; env > "${directory}/environment"`);
  const reader = legacyReader('doc', 'docx', async () => (await findFormat('docx')?.load()) ?? (() => { throw new Error('no docx'); }), soffice);
  const read = await reader?.(Buffer.from('an old file'), { ...readOptions, filename: 'old.doc', mimetype: 'application/msword' });
  t.match(read?.document, { name: 'old', origin: { mimetype: 'application/msword', filename: 'old.doc' }, texts: [{ text: 'from long ago' }] });
  t.equal(readFileSync(join(directory, 'seen'), 'utf8'), 'an old file');
  const profile = readFileSync(join(directory, 'profile'), 'utf8');
  t.match(profile, /DisableMacrosExecution" oor:op="fuse"><value>true/);
  t.match(profile, /BlockUntrustedRefererLinks/);
  t.notMatch(readFileSync(join(directory, 'environment'), 'utf8'), /LECTERN|npm_/, 'it sees nothing of our environment');
  t.same(leftovers(), before);
});

t.test('where it fills a new profile and cannot start again under its name, its profile is moved', async (t) => {
  const directory = t.testdir();
  const soffice = program(directory, `[ -e profile ] && { touch profile/filled; exit 1; }; [ -e moved/filled ] || exit 1; mkdir -p "$out"; echo made > "$out/document.docx"`);
  t.equal(Buffer.from(await modernize(soffice, Buffer.from('x'), 'doc', 'docx', usual, limits)).toString(), 'made\n');
});

t.test('a program that makes nothing, too much, or never ends', async (t) => {
  const directory = t.testdir();
  const bytes = Buffer.from('x');
  await t.rejects(modernize(program(directory, 'exit 1'), bytes, 'doc', 'docx', usual, limits), { code: 'invalid_document', message: /could not read the file as a DOC document/ });
  await t.rejects(modernize(program(directory, 'mkdir -p "$out"; head -c 2000000 /dev/zero > "$out/document.docx"'), bytes, 'doc', 'docx', usual, limits), { code: 'too_large' });
  const mark = join(directory, 'still-here');
  const below = join(directory, 'below');
  await t.rejects(modernize(program(directory, `sleep 3600 & echo $! > "${below}"; sleep 3600`), bytes, 'xls', 'xlsx', usual, { ...limits, limitMs: 2_000 }), { code: 'timeout' });
  // What the program had started ends with it; a program that had no time to start anything leaves nothing to check.
  const pid = existsSync(below) ? readFileSync(below, 'utf8').trim() : '';
  while (pid !== '' && isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  const controller = new AbortController();
  const running = modernize(program(directory, `touch "${mark}"; sleep 3600`), bytes, 'ppt', 'pptx', { ...usual, signal: controller.signal }, limits);
  while (!existsSync(mark)) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  await t.rejects(running, { code: 'cancelled' });
});

t.test('a part of it that is not installed is named', async (t) => {
  const directory = t.testdir({ 'libswlo.so': '' });
  const soffice = program(directory, 'exit 1');
  t.same(missingOfficeParts(soffice).map(({ name }) => name), ['Calc', 'Impress']);
  const read = async (): Promise<unknown> => legacyReader('xls', 'xlsx', () => Promise.reject(new Error('no reader')), soffice)?.(legacyFiles(false, 9000).xls, { ...readOptions, filename: 'old.xls', mimetype: '' });
  await t.rejects(read(), { code: 'unsupported_format', message: /need Calc.*libreoffice-calc/ });
  rmSync(join(directory, 'libswlo.so'));
  t.same(missingOfficeParts(soffice), [], 'its files have other names');
  t.same(missingOfficeParts(join(directory, 'missing')), []);
});

t.test('where it is not installed there is no reader', async (t) => {
  const directory = t.testdir();
  const soffice = program(directory, 'exit 0');
  t.equal(findLibreOffice(directory), soffice);
  t.equal(legacyReader('doc', 'docx', async () => { throw new Error('unused'); }, null), null);
});

t.test('what is cut short or no document at all is refused before it is handed over', async (t) => {
  const soffice = program(t.testdir(), `touch "${t.testdirName}/asked"; exit 1`);
  const read = async (bytes: Uint8Array): Promise<unknown> => legacyReader('xls', 'xlsx', () => Promise.reject(new Error('no reader')), soffice)?.(bytes, { ...readOptions, filename: 'old.xls', mimetype: 'application/vnd.ms-excel' });
  const sector = 512;
  const whole = Buffer.alloc(5 * sector);
  whole.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  whole.writeUInt16LE(9, 30);
  whole.writeUInt32LE(1, 44);
  whole.writeUInt32LE(1, 48);
  whole.fill(0xff, sector, 2 * sector);
  // The table itself, the directory, a stream of two sectors.
  for (const [at, value] of [0xfffffffd, 0xfffffffe, 3, 0xfffffffe].entries()) whole.writeUInt32LE(value, sector + 4 * at);
  t.notOk(isCutShort(whole));
  t.notOk(isCutShort(whole.subarray(0, 5 * sector - 100)), 'the last sector need not be whole');
  for (const length of [4 * sector, 2 * sector, 512]) {
    t.ok(isCutShort(whole.subarray(0, length)), `${length} bytes`);
    await t.rejects(read(whole.subarray(0, length)), { code: 'invalid_document', message: 'The file is damaged or cut short.' });
  }
  await t.rejects(read(Buffer.from('MZ\0\0 a program')), { code: 'invalid_document', message: 'The file is not a XLS document.' });
  t.notOk(existsSync(join(t.testdirName, 'asked')));
  await t.rejects(read(Buffer.from('<table><tr><td>1</td></tr></table>')), { code: 'invalid_document', message: /could not read/ }, 'pages go by that name, too');
  t.ok(existsSync(join(t.testdirName, 'asked')));
});

/** A record of a sheet: number, length, contents. */
function record(type: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** Files as their programs begin them, behind a password or not, in sectors of their own or among the small streams. */
function legacyFiles(locked: boolean, streamBytes: number): Record<'doc' | 'xls' | 'ppt', Uint8Array> {
  const text = Buffer.alloc(streamBytes);
  // wIdent, nFib, then at 0x0A the switches: fComplex and, of a locked file, fEncrypted.
  text.writeUInt16LE(0xa5ec, 0);
  text.writeUInt16LE(locked ? 0x0104 : 0x0004, 10);
  const begin = record(0x809, Buffer.alloc(16));
  const sheet = Buffer.concat([begin, record(0x86, Buffer.alloc(0)), record(locked ? 0x2f : 0x5c, Buffer.alloc(54)), Buffer.alloc(streamBytes)]);
  const user = Buffer.alloc(48);
  user.writeUInt16LE(0xff6, 2);
  user.writeUInt32LE(locked ? 0xf3d1c4df : 0xe391c05f, 12);
  const slides = { 'Current User': user, 'PowerPoint Document': Buffer.alloc(streamBytes) };
  // What comes before it fills pieces of the small streams, so that the wanted one does not lie in the first.
  const others = { '\u0001CompObj': Buffer.alloc(900, 1), '\u0005SummaryInformation': Buffer.alloc(3000, 2) };
  return { doc: makeCompoundFile({ WordDocument: text, ...others }), xls: makeCompoundFile({ Workbook: sheet, ...others }), ppt: makeCompoundFile({ ...slides, ...others }) };
}

t.test('what is behind a password says so, with the program and without it', async (t) => {
  const asked = join(t.testdir(), 'asked');
  const soffice = program(t.testdirName, `touch "${asked}"; exit 1`);
  for (const streamBytes of [600, 9000]) {
    for (const locked of [false, true]) {
      for (const [kind, bytes] of Object.entries(legacyFiles(locked, streamBytes))) {
        t.equal(isEncryptedLegacy(bytes), locked, `${kind}, ${streamBytes} bytes`);
        t.equal((await findFormat(kind)?.refusal?.(bytes))?.code, locked ? 'password_required' : undefined);
        const read = async (): Promise<unknown> => legacyReader(kind, 'docx', () => Promise.reject(new Error('no reader')), soffice)?.(bytes, { ...readOptions, filename: `old.${kind}`, mimetype: '' });
        await t.rejects(read(), { code: locked ? 'password_required' : 'invalid_document' });
        // A sheet's password may be one that every program knows: that is tried.
        t.equal(existsSync(asked), !locked || kind === 'xls', `${kind}, locked: ${locked}`);
        rmSync(asked, { force: true });
      }
    }
  }
  const summary = makeCompoundFile({ 'PowerPoint Document': Buffer.alloc(5000), EncryptedSummary: Buffer.alloc(100) });
  t.ok(isEncryptedLegacy(summary));
  const bare = (type: number): Uint8Array => Buffer.concat([record(9, Buffer.alloc(4)), record(type, Buffer.alloc(4)), Buffer.alloc(40)]);
  t.ok(isEncryptedLegacy(bare(0x2f)), 'a sheet from before compound files');
  t.notOk(isEncryptedLegacy(bare(0x42)));
  t.equal((await findFormat('doc')?.refusal?.(Buffer.alloc(0)))?.message, 'The file is empty.');
  const whole = legacyFiles(true, 9000).ppt;
  for (let length = 0; length < whole.length; length += 97) isEncryptedLegacy(whole.subarray(0, length));
});
