/** The readers of formats whose schema names the parts of a document: JATS XML, and DoclingDocument JSON. */
import type { DoclingDocument } from '../document/model.js';
import { readDocument } from '../document/read-document.js';
import { composeBlocks } from './flow/compose-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader } from './format-reader.js';
import { readJats } from './jats/read-jats.js';
import { decodeText } from './text-encoding.js';

export const readJatsFile: FormatReader = (bytes, options) => {
  const builder = builderFor(options);
  return finished(builder, composeBlocks(builder, readJats(bytes)));
};

/** Pictures are read from the document itself: an address could name any file of this machine. */
function withoutAddresses(document: DoclingDocument): void {
  for (const item of [...document.pictures, ...document.tables, ...document.key_value_items, ...document.form_items, ...document.pages.values()]) {
    if (item.image !== null && !/^data:/i.test(item.image.uri)) item.image = null;
  }
  for (const item of document.texts) if (item.label === 'code' && item.image !== null && !/^data:/i.test(item.image.uri)) item.image = null;
}

/** A document of this service's own JSON, or docling's; its origin stays what it was. */
export const readDoclingFile: FormatReader = (bytes) => {
  const document = readDocument(decodeText(bytes));
  withoutAddresses(document);
  return { document, pictures: [], losses: [], pageCount: document.pages.size === 0 ? null : document.pages.size };
};
