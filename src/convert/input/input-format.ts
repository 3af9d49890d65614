/** Which format a file is: by its contents, then by its name. */
import { findFormat, looksLikeContainer, sniffFormat, sniffText } from '../../formats/index.js';

export interface InputFormat {
  /** The contract's word. */
  name: string;
  mimetype: string;
  /** Whether this program can convert it yet. */
  supported: boolean;
}

const byExtension: Record<string, string> = Object.fromEntries(Object.entries({
  pdf: 'pdf', image: 'jpg jpeg png tif tiff bmp webp gif avif heic heif jxl', docx: 'docx dotx docm dotm', doc: 'doc dot', pptx: 'pptx potx ppsx pptm potm ppsm',
  ppt: 'ppt pot pps', md: 'md markdown txt text qmd rmd', rtf: 'rtf', mhtml: 'mhtml mht', html: 'html htm xhtml', xml_jats: 'nxml', xml: 'xml', fb2: 'fb2', docbook: 'dbk docbook', tei: 'tei', json: 'json jsonl ndjson', yaml: 'yaml yml', xml_xbrl: 'xbrl', asciidoc: 'adoc asciidoc asc',
  csv: 'csv tsv tab', xlsx: 'xlsx xlsm xltx xltm', xlsb: 'xlsb', xls: 'xls xlt', odt: 'odt ott fodt', ods: 'ods ots fods', odp: 'odp otp fodp', latex: 'tex latex',
  email: 'eml msg mbox emlx', epub: 'epub', boxnote: 'boxnote', iwork_pages: 'pages', iwork_keynote: 'key', iwork_numbers: 'numbers', afp: 'afp', vtt: 'vtt srt ass ssa', doctags: 'doctags dt', rst: 'rst rest', org: 'org', textile: 'textile', mediawiki: 'wiki mediawiki', djvu: 'djvu djv', ipynb: 'ipynb', ics: 'ics', vcf: 'vcf', man: 'man mdoc', audio: 'wav mp3 m4a aac ogg flac',
  video: 'mp4 avi mov mkv webm', dclx: 'dclx', xml_doclang: 'dclg', ebcdic: 'ebc ebcdic',
}).flatMap(([format, extensions]) => extensions.split(' ').map((extension) => [extension, format])));

/** The extensions of files that this program converts, in lower case and without a dot. */
export function readableExtensions(): Set<string> {
  return new Set(Object.entries(byExtension).filter(([, format]) => format === 'pdf' || format === 'image' || format === 'djvu' || findFormat(format) !== undefined).map(([extension]) => extension));
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** The media type of a bitmap file, by its first bytes. */
export function imageType(bytes: Uint8Array): string | null {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 'II*\0') || startsWith(bytes, 'MM\0*')) return 'image/tiff';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
  if (startsWith(bytes, 'BM') && bytes.length > 26) return 'image/bmp';
  if (startsWith(bytes, '\xff\x0a') || startsWith(bytes, '\0\0\0\x0cJXL \r\n\x87\n')) return 'image/jxl';
  return startsWith(bytes, 'ftyp', 4) ? heifType(bytes) : null;
}

/** Bytes of the brands of an ISO file that are read. */
const brandBytes = 64;

/** AVIF or HEIC, by the brands of the file; null for films, which are files of the same kind. */
function heifType(bytes: Uint8Array): string | null {
  const brands = Buffer.from(bytes.buffer, bytes.byteOffset + 8, Math.min(bytes.length - 8, brandBytes)).toString('latin1');
  if (/^(?:.{4})*?avi[fs]/s.test(brands)) return 'image/avif';
  if (/^(?:.{4})*?(?:hei[cxms]|hev[cxms]|mif1|msf1)/s.test(brands)) return 'image/heic';
  return null;
}

/** PDF readers search the first kilobyte for the PDF header: a header there counts if no other evidence shows the format of the file. */
function hasLatePdfHeader(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.length)).includes('%PDF-');
}

/** HTML under the name of a spreadsheet is HTML, because programs write such files; under that of a plain text it is source text. */
function nameOfText(bytes: Uint8Array, named: string | undefined): string | null | undefined {
  if (named === 'md' || named === 'html' || named === 'pdf' || named === 'image' || looksLikeContainer(bytes)) return named;
  const sniffed = sniffText(bytes);
  return sniffed === 'email' ? named ?? sniffed : sniffed ?? named;
}

/** The format of `bytes` that came under the name `filename`; unknown ones have the name `unknown`. */
export function detectFormat(bytes: Uint8Array, filename: string): InputFormat {
  const pdf: InputFormat = { name: 'pdf', mimetype: 'application/pdf', supported: true };
  if (startsWith(bytes, '%PDF-')) return pdf;
  if (startsWith(bytes, 'AT&TFORM') && (startsWith(bytes, 'DJV', 12) || startsWith(bytes, 'BM44', 12) || startsWith(bytes, 'PM44', 12))) return { name: 'djvu', mimetype: 'image/vnd.djvu', supported: true };
  const image = imageType(bytes);
  if (image !== null) return { name: 'image', mimetype: image, supported: true };
  const extension = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  // A mail or an archive may contain a PDF within its first kilobyte, and a text may mention one.
  const known = sniffFormat(bytes);
  const named = byExtension[extension] ?? 'pdf';
  if (known === null && !looksLikeContainer(bytes) && (named === 'pdf' || named === 'image') && hasLatePdfHeader(bytes)) return pdf;
  const name = known ?? nameOfText(bytes, byExtension[extension]) ?? 'unknown';
  // The reader refuses a file with this name and other contents, with its own error message.
  if (name === 'pdf') return pdf;
  if (name === 'image') return { name, mimetype: 'application/octet-stream', supported: true };
  const format = findFormat(name);
  return { name, mimetype: format?.mimetype ?? 'application/octet-stream', supported: format !== undefined };
}
