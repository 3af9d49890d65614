/** What stands beside the text of a DOCX: remarks of reviewers, and the count of what is left out on purpose. */
import type { DocumentBuilder } from '../../../document/builder.js';
import { addRemarks } from '../comment-section.js';
import type { Remark } from '../comment-section.js';
import type { OfficePackage } from '../office-package.js';
import type { DocxPart } from './docx-part.js';

/** Remarks of reviewers, with the words of all their paragraphs. */
function* remarksOf(office: OfficePackage, main: string): Generator<Remark> {
  for (const comment of office.tree(office.related(main, 'comments'))?.elements('w:comment') ?? []) {
    const paragraphs = [...comment.descendants('w:p')].map((paragraph) => [...paragraph.descendants('w:t')].map(({ text }) => text).join(''));
    yield { author: comment.get('w:author') ?? '', time: comment.get('w:date'), text: paragraphs.filter((words) => words.trim() !== '').join('\n') };
  }
}

function counted(number: number, one: string, many: string): string[] {
  return number === 0 ? [] : [number === 1 ? one : `${number} ${many}`];
}

/** Sentences on deletions and hidden text. */
export function leftOut({ inline: { leftOut: { deleted, hidden } } }: DocxPart): string[] {
  return [
    ...counted(deleted.size, '1 deletion that is still tracked is left out.', 'deletions that are still tracked are left out.'),
    ...counted(hidden.size, '1 run of hidden text is left out.', 'runs of hidden text are left out.'),
  ];
}

/** Adds the remarks behind the text. */
export function addDocxRemarks(builder: DocumentBuilder, office: OfficePackage, main: string): void {
  addRemarks(builder, remarksOf(office, main), { parent: builder.document.body });
}
