/** Formats known by their contents: archives by what is in them, compound files by the streams they hold, texts by how they begin. */
import { Archive, looksLikeArchive } from './archive.js';
import { compoundKind, looksLikeCompound } from './office/compound-file.js';
import { flatKind, isJats, isManualPage, isWebVtt, looksLikeMail, vocabularyOf } from './text-signatures.js';

const openDocument: [prefix: string, name: string][] = [
  ['application/vnd.oasis.opendocument.text', 'odt'], ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'], ['application/epub+zip', 'epub'],
];

function archiveKind(bytes: Uint8Array): string | null {
  try {
    const archive = new Archive(bytes);
    const mimetype = archive.statedBytes('mimetype');
    if (mimetype !== null && mimetype < 200) {
      const text = Buffer.from(archive.read('mimetype')).toString('latin1').trim();
      const known = openDocument.find(([prefix]) => text.startsWith(prefix));
      if (known !== undefined) return known[1];
    }
    const names = archive.names().map((name) => name.toLowerCase());
    if (!names.includes('[content_types].xml')) return names.includes('meta-inf/container.xml') ? 'epub' : null;
    if (names.some((name) => name.startsWith('word/'))) return 'docx';
    if (names.some((name) => name.startsWith('ppt/'))) return 'pptx';
    if (names.includes('xl/workbook.bin')) return 'xlsb';
    return names.some((name) => name.startsWith('xl/')) ? 'xlsx' : null;
  } catch {
    // Damaged: its name says what it was, and the reader what is wrong with it.
    return null;
  }
}

/** An archive or a compound file, of whatever kind: what stands in it is no evidence for the whole. */
export function looksLikeContainer(bytes: Uint8Array): boolean {
  return looksLikeArchive(bytes) || looksLikeCompound(bytes);
}

/** The contract's name of the format, or null where the bytes do not show it. */
export function sniffFormat(bytes: Uint8Array): string | null {
  if (looksLikeArchive(bytes)) return archiveKind(bytes);
  return looksLikeCompound(bytes) ? compoundKind(bytes) : null;
}

/** The contract's name of a text format by its first characters, or null. */
export function sniffText(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1').replace(/^(?:\xef\xbb\xbf)?\s*/, '');
  if (isWebVtt(head)) return 'vtt';
  if (/^BEGIN:VCALENDAR\s/i.test(head)) return 'ics';
  if (/^BEGIN:VCARD\s/i.test(head)) return 'vcf';
  if (head.startsWith('{\\rtf')) return 'rtf';
  if (isManualPage(head)) return 'man';
  const markup = head.replace(/^(?:(?:<\?[^>]*\?>|<!--[\s\S]*?-->)\s*)+/, '');
  if (/^<(?:!doctype\s+html|html[\s>])/i.test(markup)) return 'html';
  if (isJats(markup)) return 'xml_jats';
  const vocabulary = vocabularyOf(markup);
  if (vocabulary !== null) return vocabulary;
  if (markup.startsWith('<office:document')) return flatKind(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 65_536)).toString('latin1').replace(/^\xef\xbb\xbf/, ''));
  if (/^\[Script Info\]/i.test(head)) return 'vtt';
  if (/^<doctag>/.test(head)) return 'doctags';
  if (/^\{\s*"schema_name"\s*:\s*"DoclingDocument"/.test(head)) return 'json_docling';
  return looksLikeMail(head) ? 'email' : null;
}
