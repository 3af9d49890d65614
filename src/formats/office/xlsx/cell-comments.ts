/** Remarks on the cells of a sheet: the older notes, and the newer threads with their times. */
import type { DocumentBuilder, ItemOptions } from '../../../document/builder.js';
import { numberOf } from '../docx/docx-styles.js';
import { addRemarks } from '../comment-section.js';
import type { Remark } from '../comment-section.js';
import type { OfficePackage } from '../office-package.js';

/** Adds a group of remarks behind the sheet's contents, each with its author. */
export function addComments(office: OfficePackage, sheet: string, builder: DocumentBuilder, place: ItemOptions): void {
  addRemarks(builder, [...notes(office, sheet), ...threads(office, sheet)], place);
}

function* notes(office: OfficePackage, sheet: string): Generator<Remark> {
  const tree = office.tree(office.related(sheet, 'comments'));
  const authors = [...(tree?.child('authors')?.elements('author') ?? [])].map((author) => author.text);
  for (const comment of tree?.child('commentList')?.elements('comment') ?? []) {
    const author = authors[numberOf(comment.get('authorId')) ?? -1] ?? '';
    // The copy of a thread, for programs that know no threads.
    if (author.startsWith('tc=')) continue;
    yield { author, text: [...(comment.child('text')?.descendants('t') ?? [])].map((t) => t.text).join('') };
  }
}

function* threads(office: OfficePackage, sheet: string): Generator<Remark> {
  const tree = office.tree(office.related(sheet, 'threadedComment'));
  if (tree === null) return;
  const people = new Map<string, string>();
  for (const { type, target } of office.relationships(office.mainPart('XLSX')).values()) {
    if (type !== 'person') continue;
    for (const person of office.tree(target)?.elements('tc:person') ?? []) people.set(person.get('id') ?? '', person.get('displayName') ?? '');
  }
  for (const comment of tree.elements('tc:threadedComment')) {
    yield { author: people.get(comment.get('personId') ?? '') ?? '', time: comment.get('dT'), text: comment.child('tc:text')?.text ?? '' };
  }
}
