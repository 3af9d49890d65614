/**
 * One document of each format with all that its reader knows, against the markdown and the JSON that were read and found right:
 * test/fixtures/formats. LECTERN_WRITE_GOLDEN=1 writes what there is now; check the difference before it is kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { quietPorts } from '../support/fixtures.js';
import { goldenEpub, goldenMsg } from '../support/golden-archives.js';
import { goldenPages, goldenXlsb } from '../support/binary-office.js';
import { goldenDocx, goldenOdp, goldenOds, goldenOdt, goldenPptx, goldenXlsx } from '../support/golden-office.js';

const directory = join(packageRoot(), 'test/fixtures/formats');
const writes = process.env['LECTERN_WRITE_GOLDEN'] === '1';
const read = (name: string) => (): Uint8Array => readFileSync(join(directory, name));
/** By name, with the contract's name of the format. */
const documents: [name: string, format: string, source: () => Uint8Array][] = [
  ['report.docx', 'docx', goldenDocx], ['talk.pptx', 'pptx', goldenPptx], ['ledger.xlsx', 'xlsx', goldenXlsx], ['letter.odt', 'odt', goldenOdt], ['talk.odp', 'odp', goldenOdp], ['ledger.ods', 'ods', goldenOds],
  ['book.epub', 'epub', goldenEpub], ['mail.msg', 'email', goldenMsg],
  ['web.html', 'html', read('web.html')], ['notes.md', 'md', read('notes.md')], ['manual.adoc', 'asciidoc', read('manual.adoc')], ['table.csv', 'csv', read('table.csv')], ['mail.eml', 'email', read('mail.eml')],
  ['paper.tex', 'latex', read('paper.tex')], ['article.nxml', 'xml_jats', read('article.nxml')], ['talk.vtt', 'vtt', read('talk.vtt')], ['story.txt', 'md', read('story.txt')],
  ['study.ipynb', 'ipynb', read('study.ipynb')], ['club.ics', 'ics', read('club.ics')], ['people.vcf', 'vcf', read('people.vcf')], ['box.mbox', 'email', read('box.mbox')], ['kept.emlx', 'email', read('kept.emlx')],
  ['film.srt', 'vtt', read('film.srt')], ['letter.rtf', 'rtf', read('letter.rtf')], ['saved.mhtml', 'mhtml', read('saved.mhtml')], ['list.tsv', 'csv', read('list.tsv')],
  ['novel.fb2', 'fb2', read('novel.fb2')], ['manual.dbk', 'docbook', read('manual.dbk')], ['edition.tei', 'tei', read('edition.tei')], ['grant.xml', 'xml_uspto', read('grant.xml')], ['letter.fodt', 'odt', read('letter.fodt')], ['rows.jsonl', 'json', read('rows.jsonl')], ['settings.yaml', 'yaml', read('settings.yaml')],
  ['pump.1', 'man', read('pump.1')], ['valve.mdoc', 'man', read('valve.mdoc')], ['film.ass', 'vtt', read('film.ass')], ['plan.boxnote', 'boxnote', read('plan.boxnote')], ['old.boxnote', 'boxnote', read('old.boxnote')], ['report.xbrl', 'xml_xbrl', read('report.xbrl')],
  ['book.bits', 'xml_jats', read('book.bits')], ['page.doctags', 'doctags', read('page.doctags')], ['flow.xlsb', 'xlsb', goldenXlsb], ['pier.pages', 'iwork_pages', goldenPages],
  // What was written comes back in.
  ['report.docx.json', 'json_docling', read('report.docx.json')],
];

for (const [name, format, source] of documents) {
  t.test(name, async (t) => {
    const inputPath = join(t.testdir({}), 'input');
    writeFileSync(inputPath, source());
    const outcome = await convertDocument({
      inputPath, filename: name, outputDirectory: t.testdirName, failedPages: [], options: { ...defaultConvertOptions, outputs: ['md', 'json'], keepNotes: true },
    }, quietPorts);
    t.match(outcome, { status: 'success', format, errors: [] });
    const [markdown, json] = ['md', 'json'].map((kind) => readFileSync(join(t.testdirName, outcome.files[kind as 'md'] ?? ''), 'utf8')) as [string, string];
    // One member of an array a line: a difference is found by eye.
    const shown = `${json.replace(/\},\{/g, '},\n{')}\n`;
    if (writes) {
      writeFileSync(join(directory, `${name}.md`), markdown);
      writeFileSync(join(directory, `${name}.json`), shown);
    }
    t.equal(markdown, readFileSync(join(directory, `${name}.md`), 'utf8'), 'the markdown');
    t.equal(shown, readFileSync(join(directory, `${name}.json`), 'utf8'), 'the document');
    t.notMatch(markdown, /spy\.example|secret|never run|steal/i, 'nothing hidden, nothing from outside');
  });
}
