/** Letters and invoices: who sends them, what their small print tells, how they begin. Pages are made line by line. */
import t from 'tap';
import type { PageStructure } from '../../src/convert/page/values.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { plainText } from '../../src/convert/structure/block.js';
import { tellsOfCompany } from '../../src/convert/structure/company-details.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { isSalutation } from '../../src/convert/wording/salutations.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

/** Texts that are no furniture, in order. */
function texts(...pages: PageStructure[]): string[] {
  return structureDocument(pages, [], false).blocks.flatMap((block) => (block.kind === 'text' && !/^page_/.test(block.role) ? [plainText(block)] : []));
}

const small = { size: 7 };

t.test('the foot of a single page that tells an account or a register is text', (t) => {
  const page = (foot: string): string[] => texts(pageStructure(0, [line(50, 40, 'Sawmill Brandt', small), ...paragraph(50, 120, 480, 20, 'oak'), line(150, 780, foot, small)]));
  for (const foot of [
    'Harbour Lights Ltd · Registered in England no. 04829113', 'IBAN DE02 7435 0000 0000 1234 56 · BIC BYLADEM1LAH', 'USt-IdNr. DE123456789 · HRB 4711', 'SIRET 732 829 320 00074 · TVA FR44732829320',
  ]) t.ok(page(foot).includes(foot), foot);
  const foot = 'Journal of Sawmills · Volume 12';
  t.notOk(page(foot).includes(foot), 'a running foot is none');
  t.ok(page('VAT no. GB 812 3344 05').includes('Sawmill Brandt'), 'with such a foot the head names the sender');
  t.notOk(page(foot).includes('Sawmill Brandt'));
  t.end();
});

t.test('columns of small print are read one after the other, though it be most of what the page says', (t) => {
  const foot = (left: number, ...rows: string[]): TextLine[] => rows.map((text, row) => line(left, 750 + 9 * row, text, small));
  const found = texts(pageStructure(0, [
    line(50, 100, 'Fence posts for the garden'), line(50, 130, 'Forty, at twelve each'), line(50, 160, 'Payable in June'),
    ...foot(50, 'Sawmill Brandt', 'Mill Lane 3', 'Tel. 0871 55512'), ...foot(230, 'Savings Bank', 'IBAN DE02 7435 0000 0000 1234 56'), ...foot(420, 'Director: K. Brandt', 'HRB 4711, Landshut'),
  ]));
  t.same(found.slice(-3), ['Sawmill Brandt Mill Lane 3 Tel. 0871 55512', 'Savings Bank IBAN DE02 7435 0000 0000 1234 56', 'Director: K. Brandt HRB 4711, Landshut']);
  t.equal(found.length, 6);
  t.end();
});

t.test('of small print that pages repeat the last is read, and text goes on over the others', (t) => {
  const page = (index: number, word: string): PageStructure => pageStructure(index, [...paragraph(50, 60, 480, 40, word).slice(0, index === 0 ? -1 : 40), line(150, 770, 'IBAN DE02 7435 0000 0000 1234 56', small), line(290, 785, `Page ${index + 1}`, small)]);
  const found = texts(page(0, 'elm'), page(1, 'ash'));
  t.equal(found.length, 2, 'one paragraph and the foot');
  t.equal(found[1], 'IBAN DE02 7435 0000 0000 1234 56');
  t.end();
});

t.test('words of accounts and registers count with a number', (t) => {
  for (const text of ['Sort code 30-90-21', 'Steuernummer 114/235/60112', 'P. IVA 01234567890', 'Company no. 4829113', 'IČO 27074358', 'NIP 525-000-12-34', 'Org. nr 556016-0680']) t.ok(tellsOfCompany(text), text);
  for (const text of ['VAT included', 'Annual review 2025 | 1', 'Form 12-b', 'On accounts and registers, 1920', 'Project No: 2021-2-FR02-KA220', 'doi:10.0000/example.2041']) t.notOk(tellsOfCompany(text), text);
  t.end();
});

t.test('a salutation is a paragraph, the letter begins below it', (t) => {
  const letter = (salutation: string): string[] => texts(pageStructure(0, [line(50, 100, salutation), ...paragraph(50, 112, 480, 5, 'oak')]));
  for (const salutation of ['Sehr geehrte Frau Dr. Obermaier,', 'Dear Mr. Lang,', 'Dear Sir or Madam:', 'Chère Madame,', 'Estimados señores:', 'Gentile Sig.ra Rossi,', 'Vážený pane Nováku,']) t.equal(letter(salutation)[0], salutation);
  t.equal(letter('Deary me, said the bear,').length, 1, 'other words are not one');
  t.notOk(isSalutation('Dear friends were there. Others came later,'), 'nor is a sentence');
  t.end();
});

t.test('facts with their labels, and what stands farther right, are paragraphs', (t) => {
  const found = texts(pageStructure(0, [
    line(50, 100, 'Johanna Obermaier'), line(50, 112, 'Main Street 12'), line(350, 124, 'Invoice no.: 2024-0117'), line(350, 136, 'Customer: 10443'), line(350, 148, 'Date: 12 March 2024'),
    line(50, 220, 'We have delivered what you had asked us for in the letter of the third of May, and have'), line(50, 232, 'not heard from you since, which is why we ask you today whether all of'), line(50, 244, 'it has come'),
  ]));
  t.same(found.slice(-4, -1), ['Invoice no.: 2024-0117', 'Customer: 10443', 'Date: 12 March 2024']);
  t.end();
});
