/** What all readers of flowing documents share: the builder of the document, and the result without pages. */
import { basename, extname } from 'node:path';
import { DocumentBuilder } from '../../document/builder.js';
import type { FoundPicture, ReadDocument, ReadOptions } from '../format-reader.js';

/** A builder of the document of one file, by its name. */
export function builderFor({ filename, mimetype, sha256 }: ReadOptions): DocumentBuilder {
  return new DocumentBuilder({ name: basename(filename, extname(filename)), origin: { mimetype, filename, sha256 }, coordOrigin: 'TOPLEFT' });
}

/** What a reader of a format without pages returns. */
export function finished(builder: DocumentBuilder, pictures: FoundPicture[] = [], losses: string[] = [], remarks: string[] = []): ReadDocument {
  return { document: builder.document, pictures, losses, remarks, pageCount: null };
}
