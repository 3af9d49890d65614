/**
 * Pages, Numbers and Keynote files since 2013 as blocks: their texts with headings, and their tables. There is no kept library for them on npm, and Apple has not published the format; pictures, charts and the layout are not
 * read, which the result says.
 */
import { LecternError } from '../../errors.js';
import { looksLikeArchive } from '../archive.js';
import { composeBlocks } from '../flow/compose-blocks.js';
import { builderFor, finished } from '../flow/flow-reader.js';
import type { FlowBlock } from '../flow/flow-blocks.js';
import type { FormatReader } from '../format-reader.js';
import { IworkObjects } from './iwa-archive.js';
import type { IworkObject, Message } from './iwa-archive.js';
import { iworkTable } from './iwork-table.js';

/** Kinds of objects. The first two are those of Numbers; the others are the same in all three. */
const types = { sheet: 2, storages: new Set([2001, 2005]), paragraphStyle: 2022, tableInfos: new Set([6000, 6007]), drawn: new Set([3005, 6000, 6007]), tableModel: 6001 } as const;
/** The object from which all others are reached. */
const documentId = 1;
/** Of texts (TSWP.StorageArchive.KindType). */
const kinds = { header: 1, footnote: 2, note: 4, cell: 5 } as const;
const storage = { kind: 1, text: 3, paragraphStyles: 5 } as const;

class IworkReader {
  constructor(private readonly objects: IworkObjects, private readonly keepNotes: boolean) {}

  blocks(): FlowBlock[] {
    const sheets = this.#sheets();
    const seen = this.objects.hiddenTexts(types.drawn);
    // A workbook names its sheets in order, each with what stands on it.
    const named = sheets.flatMap(({ name, parts }): FlowBlock[] => [{ kind: 'heading', level: 1, runs: [{ text: name }] }, ...parts.flatMap((part) => this.#from(part, seen))]);
    return [...named, ...this.#from(documentId, seen)];
  }

  #sheets(): { name: string; parts: number[] }[] {
    const ids = this.objects.get(documentId)?.message.references(1) ?? [];
    const found = ids.map((id) => this.objects.get(id));
    if (found.length === 0 || !found.every((object) => object?.type === types.sheet && object.message.bytes(1).length === 1)) return [];
    return found.map((object) => ({ name: object?.message.text(1) ?? '', parts: object?.message.references(2) ?? [] }));
  }

  #from(id: number, seen: Set<number>): FlowBlock[] {
    const blocks: FlowBlock[] = [];
    for (const [, object] of this.objects.reached(id, seen)) for (const block of this.#object(object)) blocks.push(block);
    return blocks;
  }

  #object({ type, message }: IworkObject): FlowBlock[] {
    if (types.storages.has(type)) return this.#text(message);
    if (!types.tableInfos.has(type)) return [];
    const table = message.references(2).map((reference) => this.objects.get(reference)).find((object) => object?.type === types.tableModel);
    const block = table === undefined ? null : iworkTable(this.objects, table.message, (reference) => this.#words(reference));
    return block === null ? [] : [block];
  }

  #words(reference: number): string {
    return plain(this.objects.get(reference)?.message.text(storage.text) ?? '').trim();
  }

  #text(message: Message): FlowBlock[] {
    const kind = message.number(storage.kind);
    if (kind === kinds.cell || kind === kinds.note && !this.keepNotes) return [];
    const styles = (message.message(storage.paragraphStyles)?.messages(1) ?? []).map((entry) => ({ at: entry.number(1), name: this.#styleName(entry.references(2)[0]) }));
    const blocks: FlowBlock[] = [];
    let at = 0;
    let style = 0;
    for (const line of message.text(storage.text).split('\n')) {
      while (style + 1 < styles.length && (styles[style + 1] as { at: number }).at <= at) style++;
      at += line.length + 1;
      const text = plain(line).trim();
      if (text !== '') blocks.push(paragraph(text, styles[style]?.name ?? '', kind));
    }
    return kind === kinds.header && blocks.length > 0 ? [{ kind: 'furniture', blocks }] : blocks;
  }

  /** The name of a style, or of the one that it varies. */
  #styleName(reference: number | undefined): string {
    let id = reference;
    for (let step = 0; step < 10 && id !== undefined; step++) {
      const style = this.objects.get(id);
      const base = style?.type === types.paragraphStyle ? style.message.message(1) : undefined;
      const name = base?.text(1) ?? '';
      if (name !== '') return name;
      id = base?.references(3)[0];
    }
    return '';
  }
}

/** Pictures and notes stand in the text as marks; a line may be broken within its paragraph. */
function plain(text: string): string {
  return text.replace(/[\ufffc\u0004\u0005\u000e]/g, '').replace(/[\u2028\u2029]/g, '\n');
}

function paragraph(text: string, style: string, kind: number): FlowBlock {
  const runs = [{ text }];
  if (kind === kinds.footnote) return { kind: 'footnote', runs };
  const level = /^Heading(?: (\d))?\b/.exec(style);
  if (level !== null) return { kind: 'heading', level: Number(level[1] ?? 1), runs };
  return /^Title\b/.test(style) ? { kind: 'title', runs } : { kind: 'paragraph', runs };
}

/** Throws LecternError `invalid_document`, `too_large`. */
export const readIwork: FormatReader = (bytes, options) => {
  if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
  if (!looksLikeArchive(bytes)) throw new LecternError('invalid_document', 'The file is no document of Pages, Numbers or Keynote.');
  const objects = new IworkObjects(bytes);
  if (objects.size === 0) throw new LecternError('invalid_document', 'The file is no document of Pages, Numbers or Keynote since 2013, and has no preview: save it as PDF.');
  const builder = builderFor(options);
  const blocks = new IworkReader(objects, options.keepNotes).blocks();
  const { length } = objects.media;
  return finished(builder, composeBlocks(builder, blocks), length === 0 ? [] : [`${length === 1 ? 'A picture or film' : `${length} pictures or films`} of the file ${length === 1 ? 'was' : 'were'} not read.`]);
};
