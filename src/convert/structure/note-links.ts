/** Note marks in the text and the notes that they belong to: both carry one mark, on one page. */
import { refTo } from '../../document/builder.js';
import type { TextItem } from '../../document/model.js';
import type { TextBlock } from './block.js';
import type { RunningText } from './hyphenation.js';

const ownMark = /^\(?(\d{1,3}|\p{Ll}(?=[\s).])|[*∗⁎†‡§¶#]{1,4})[.)]?\s*/u;

/** A note's own mark is its label, as a list item's marker is: no script. */
export function withoutOwnMark(running: RunningText): RunningText {
  const length = ownMark.exec(running.text)?.[0].trimEnd().length ?? 0;
  return { ...running, spans: running.spans.filter(({ start, end, uri }) => start > 0 || end > length || uri !== null) };
}

/** The characters of one mark in all fonts. */
function plainMark(text: string): string {
  return text.replace(/[∗⁎]/gu, '*');
}

export class NoteLinks {
  readonly #marks: { item: TextItem; pages: number[] }[] = [];
  /** By page and mark. */
  readonly #notes = new Map<string, TextItem>();

  addMark(item: TextItem, block: TextBlock): void {
    this.#marks.push({ item, pages: pagesOf(block) });
  }

  addNote(note: TextItem, block: TextBlock, text: string): void {
    const mark = ownMark.exec(text)?.[1];
    const [page] = pagesOf(block);
    if (mark === undefined || page === undefined) return;
    const key = `${page} ${plainMark(mark)}`;
    if (!this.#notes.has(key)) this.#notes.set(key, note);
  }

  /** A mark points to its note as an item points to a comment. One of several marks (`1,2`) points to several. */
  tie(): void {
    for (const { item, pages } of this.#marks) {
      const notes = item.text.split(/[,\s]+/u).flatMap((mark) => pages.map((page) => this.#notes.get(`${page} ${plainMark(mark)}`)).find((note) => note !== undefined) ?? []);
      if (notes.length > 0) item.comments = notes.map((note) => ({ ...refTo(note), range: null }));
    }
  }
}

function pagesOf({ columnParts }: TextBlock): number[] {
  return [...new Set(columnParts.map(({ pageIndex }) => pageIndex))];
}
