/** Parts of other formats that a DOCX takes in whole where it is opened (`altChunk`): pages, plain text, RTF. */
import { composeBlocks } from '../../flow/compose-blocks.js';
import type { FlowBlock } from '../../flow/flow-blocks.js';
import { readHtml } from '../../html/read-html.js';
import { readPlainText } from '../../read-plain-text.js';
import { readRtf } from '../../rtf/read-rtf.js';
import { declaredEncoding, decodeText } from '../../text-encoding.js';
import type { XmlElement } from '../../xml.js';
import type { DocxPart } from './docx-part.js';
import type { DocxTarget } from './docx-target.js';

function blocksOf(name: string, bytes: Uint8Array): FlowBlock[] | null {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1').trimStart();
  if (head.startsWith('{\\rtf')) return readRtf(bytes);
  if (/\.x?html?$/i.test(name) || /^<(?:!doctype\s+html|html)/i.test(head)) return readHtml(decodeText(bytes, declaredEncoding(bytes)), { keepAll: true });
  return /\.txt$/i.test(name) ? readPlainText(decodeText(bytes)) : null;
}

/** Adds what the part holds in the place of the element; a part of another format is named among the losses. */
export function addImportedPart(part: DocxPart, target: DocxTarget, element: XmlElement): void {
  const relationship = part.package.relationships(part.name).get(element.get('r:id') ?? '');
  const bytes = relationship === undefined || relationship.external ? null : part.package.archive.find(relationship.target);
  const name = relationship?.target ?? '';
  if (bytes !== null && part.imported.has(name)) {
    part.losses.push(`The part ${name.slice(0, 200)} is taken in more than once; its text stands at the first place alone.`);
    return;
  }
  part.imported.add(name);
  const blocks = bytes === null ? null : blocksOf(name, bytes);
  if (blocks === null) {
    part.losses.push(`The part ${relationship?.target.slice(0, 200) ?? 'without a name'} that the document takes in is missing from the text: its format is not read there.`);
    return;
  }
  const { builder, ...place } = target;
  for (const picture of composeBlocks(builder, blocks, place)) part.pictures.push(picture);
}
