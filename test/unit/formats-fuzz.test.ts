/** Files of every text format and package with random damage: a reader returns a document or refuses with a stated error, and soon. CI_FULL=1 tries far more. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { writeMarkdown } from '../../src/document/markdown.js';
import { LecternError } from '../../src/errors.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { goldenEpub, goldenMsg } from '../support/golden-archives.js';
import { goldenPages, goldenXlsb } from '../support/binary-office.js';
import { randomFrom } from '../support/random.js';
import { readFormat } from '../support/read-format.js';

const rounds = process.env['CI_FULL'] === '1' ? 1500 : 25;
/** Milliseconds that a damaged file of some kilobytes may take, on a busy machine. */
const longest = 3000;
const fixture = (name: string): Uint8Array => readFileSync(join(packageRoot(), 'test/fixtures/formats', name));

const files: [name: string, format: string, bytes: Uint8Array][] = [
  ...([
    ['study.ipynb', 'ipynb'], ['club.ics', 'ics'], ['people.vcf', 'vcf'], ['box.mbox', 'email'], ['kept.emlx', 'email'], ['film.srt', 'vtt'], ['talk.vtt', 'vtt'], ['letter.rtf', 'rtf'], ['saved.mhtml', 'mhtml'], ['list.tsv', 'csv'],
    ['mail.eml', 'email'], ['paper.tex', 'latex'], ['manual.adoc', 'asciidoc'], ['article.nxml', 'xml_jats'], ['web.html', 'html'], ['notes.md', 'md'], ['report.docx.json', 'json_docling'],
    ['pump.1', 'man'], ['valve.mdoc', 'man'], ['film.ass', 'vtt'], ['plan.boxnote', 'boxnote'], ['old.boxnote', 'boxnote'], ['report.xbrl', 'xml_xbrl'], ['book.bits', 'xml_jats'], ['page.doctags', 'doctags'],
    ['novel.fb2', 'fb2'], ['manual.dbk', 'docbook'], ['edition.tei', 'tei'], ['grant.xml', 'xml_uspto'], ['letter.fodt', 'odt'], ['rows.jsonl', 'json'], ['settings.yaml', 'yaml'],
  ] as const).map(([name, format]): [string, string, Uint8Array] => [name, format, fixture(name)]),
  ['book.epub', 'epub', goldenEpub()], ['mail.msg', 'email', goldenMsg()], ['flow.xlsb', 'xlsb', goldenXlsb()], ['pier.pages', 'iwork_pages', goldenPages()],
];

/** Flips bits, cuts, doubles, moves or removes parts, and puts in bytes that formats give a meaning. */
function damaged(bytes: Uint8Array, random: () => number): Uint8Array {
  let made = Buffer.from(bytes);
  const place = (): number => Math.floor(random() * made.length);
  const marks = ['{', '}', '<', '>', '"', '\\', '&', ':', ';', '\n', '\0', '\u00ff', '[', ']', '=', '<![CDATA[', '-->', '9999999999', '-1', 'BEGIN:VEVENT\n', '\\bin99 ', '{'.repeat(40)];
  for (let left = 1 + Math.floor(random() * 6); left > 0 && made.length > 0; left--) {
    const [from, to] = [place(), place()].sort((a, b) => a - b) as [number, number];
    const end = Math.min(to, from + 200);
    switch (Math.floor(random() * 6)) {
      case 0: made[from] = (made[from] ?? 0) ^ (1 << Math.floor(random() * 8)); break;
      case 1: made = made.subarray(0, Math.max(1, to)); break;
      case 2: made = Buffer.concat([made.subarray(0, end), made.subarray(from, end), made.subarray(end)]); break;
      case 3: made = Buffer.concat([made.subarray(0, from), made.subarray(end)]); break;
      case 4: made = Buffer.concat([made.subarray(0, from), Buffer.from(marks[Math.floor(random() * marks.length)] as string, 'latin1'), made.subarray(from)]); break;
      default: made = Buffer.concat([made.subarray(end), made.subarray(0, end)]);
    }
  }
  return Uint8Array.from(made);
}

for (const [index, [name, format, bytes]] of files.entries()) {
  t.test(name, async (t) => {
    const random = randomFrom(index + 1);
    // Whole, the file is read.
    let read = (await readFormat(format, bytes, name)).document.texts.length;
    for (let round = 0; round < rounds; round++) {
      const made = damaged(bytes, random);
      const began = performance.now();
      try {
        const { document } = await readFormat(format, made, name);
        for (const part of writeMarkdown(document)) read += part.length > 0 ? 1 : 0;
      } catch (error) {
        if (!(error instanceof LecternError) || error.code === 'internal') t.fail(`round ${round}: ${String(error)}`, { stack: String((error as Error).stack), source: Buffer.from(made).toString('base64') });
      }
      const took = performance.now() - began;
      if (took > longest) t.fail(`round ${round} took ${took.toFixed(0)} ms`, { source: Buffer.from(made).toString('base64') });
    }
    t.ok(read > 0, `it was read (${read} parts)`);
  });
}
