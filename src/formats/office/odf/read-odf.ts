/** OpenDocument to document: texts, presentations and spreadsheets. */
import { basename, extname } from 'node:path';
import { LecternError } from '../../../errors.js';
import { DocumentBuilder } from '../../../document/builder.js';
import type { ReadDocument, FormatReader, ReadOptions } from '../../format-reader.js';
import { addParagraph } from '../../inline-runs.js';
import { OdfBlockReader } from './odf-blocks.js';
import { makeOdfContext } from './odf-context.js';
import type { OdfContext } from './odf-context.js';
import { readOdfParagraph } from './odf-inline.js';
import { OpenDocument } from './odf-package.js';
import { SlidePages } from './odf-presentation.js';
import { SheetReader } from './odf-spreadsheet.js';
import { addOdfRemarks } from './odf-remarks.js';
import { OdfStyles } from './odf-styles.js';
import { hiddenSheets } from '../sheet-tables.js';
import type { XmlReader } from '../../xml.js';

interface Opened {
  context: OdfContext;
  body: XmlReader;
  builder: DocumentBuilder;
}

function open(bytes: Uint8Array, options: ReadOptions, kind: string, root: string, topLeft = false): Opened {
  const file = new OpenDocument(bytes, kind);
  const styles = new OdfStyles();
  const named = file.tree('styles.xml');
  styles.add(named?.child('office:styles'));
  styles.add(named?.child('office:automatic-styles'));
  const builder = new DocumentBuilder({ name: basename(options.filename, extname(options.filename)), origin: options, ...(topLeft ? { coordOrigin: 'TOPLEFT' as const } : {}) });
  const context = makeOdfContext(file, builder, styles);
  return { context, builder, body: file.openBody(root, (automatic) => styles.add(automatic)) };
}

/** Headers and footers of the page styles, each text once; headers stand above the text. */
function addFurniture({ builder, file, inline }: OdfContext): void {
  const { children } = builder.document.body;
  const seen = new Set<string>();
  let headers = 0;
  for (const page of file.tree('styles.xml')?.child('office:master-styles')?.elements('style:master-page') ?? []) {
    for (const part of page.elements()) {
      const label = part.name.startsWith('style:header') ? 'page_header' : part.name.startsWith('style:footer') ? 'page_footer' : null;
      if (label === null || part.get('style:display') === 'false') continue;
      for (const paragraph of part.descendants('text:p')) {
        const text = readOdfParagraph(paragraph, inline).text.plain.replace(/\s+/g, ' ');
        if (text === '' || seen.has(`${label} ${text}`)) continue;
        seen.add(`${label} ${text}`);
        builder.addFurniture(label, text);
        const added = children.pop();
        if (added !== undefined) children.splice(label === 'page_header' ? headers++ : children.length, 0, added);
      }
    }
  }
}

function addNotes({ builder, inline, notes }: OdfContext): void {
  // Notes may refer to notes: the list grows while it is read.
  for (let index = 0; index < notes.length; index++) {
    let first = true;
    for (const paragraph of notes[index]?.child('text:note-body')?.descendants('text:p') ?? []) {
      const { text } = readOdfParagraph(paragraph, inline);
      const runs = text.runs();
      const [run] = runs;
      if (run === undefined) continue;
      if (first) run.text = `[${index + 1}] ${run.text}`;
      addParagraph(builder, runs, { label: 'footnote' });
      first = false;
    }
  }
}

export const readOdt: FormatReader = (bytes, options): ReadDocument => {
  const { context, body, builder } = open(bytes, options, 'ODT', 'office:text');
  const blocks = new OdfBlockReader(context, { parent: builder.document.body });
  const depth = body.depth;
  let deletions = 0;
  for (let count = 0; body.nextChild(depth); count++) {
    if (count % 256 === 0 && options.signal.aborted) throw new LecternError('cancelled');
    // What was deleted stands in a list of changes, which is no part of the text.
    if (body.name === 'text:tracked-changes') deletions = [...body.element().descendants('text:deletion')].length;
    else blocks.read(body.element());
  }
  blocks.end();
  addNotes(context);
  addOdfRemarks(context, { parent: builder.document.body });
  addFurniture(context);
  const remarks = deletions === 0 ? [] : [deletions === 1 ? '1 deletion that is still tracked is left out.' : `${deletions} deletions that are still tracked are left out.`];
  return { document: builder.document, pictures: context.pictures, losses: [], remarks, pageCount: null };
};

export const readOdp: FormatReader = (bytes, options): ReadDocument => {
  const { context, body, builder } = open(bytes, options, 'ODP', 'office:presentation');
  const slides = new SlidePages(context, options);
  const depth = body.depth;
  while (body.nextChild(depth)) {
    if (options.signal.aborted) throw new LecternError('cancelled');
    if (body.name === 'draw:page') slides.read(body.element());
    else body.skip();
  }
  return { document: builder.document, pictures: context.pictures, losses: [], pageCount: slides.count === 0 ? null : slides.count };
};

export const readOds: FormatReader = (bytes, options): ReadDocument => {
  const { context, body, builder } = open(bytes, options, 'ODS', 'office:spreadsheet', true);
  const sheets = new SheetReader(context, options);
  const depth = body.depth;
  while (body.nextChild(depth)) {
    if (body.name === 'table:table') sheets.read(body);
    else body.skip();
  }
  sheets.end();
  return { document: builder.document, pictures: context.pictures, losses: sheets.losses, remarks: hiddenSheets(sheets.hidden), pageCount: sheets.count === 0 ? null : sheets.count };
};
