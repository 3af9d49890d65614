/** The readers of formats whose schema names the parts of a document: JATS XML, and DoclingDocument JSON. */
import type { DoclingDocument, ImageRef } from '../document/model.js';
import { readDocument } from '../document/read-document.js';
import { composeBlocks } from './flow/compose-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader, FoundPicture } from './format-reader.js';
import { readJats } from './jats/read-jats.js';
import { decodeText } from './text-encoding.js';

export const readJatsFile: FormatReader = (bytes, options) => {
  const builder = builderFor(options);
  return finished(builder, composeBlocks(builder, readJats(bytes)));
};

/** All that may have a picture. */
function* imageOwners(document: DoclingDocument): Generator<{ image: ImageRef | null }> {
  yield* document.pictures;
  yield* document.tables;
  yield* document.key_value_items;
  yield* document.form_items;
  yield* document.pages.values();
  for (const item of document.texts) if (item.label === 'code') yield item;
}

/** The bytes of a `data:` address. */
function bytesOf(uri: string): Uint8Array {
  const comma = uri.indexOf(',');
  const content = uri.slice(comma + 1);
  return /;base64$/i.test(uri.slice(0, comma)) ? Buffer.from(content, 'base64') : Buffer.from(decodeURIComponent(content), 'latin1');
}

/** Pictures are taken from the document itself: any other address is removed, since it could name any file of this machine. */
function* embeddedPictures(document: DoclingDocument): Generator<FoundPicture> {
  for (const item of imageOwners(document)) {
    const { image } = item;
    if (image === null) continue;
    if (/^data:/i.test(image.uri)) yield { item, bytes: () => bytesOf(image.uri), dpi: image.dpi, embedded: true };
    else item.image = null;
  }
}

/** A document of this service's own JSON, or docling's; its origin stays what it was. */
export const readDoclingFile: FormatReader = (bytes) => {
  const document = readDocument(decodeText(bytes));
  return { document, pictures: [...embeddedPictures(document)], losses: [], pageCount: document.pages.size === 0 ? null : document.pages.size };
};
