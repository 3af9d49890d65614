/** The registry: which formats can be read, by the contract's names, and the reader of each. */
import type { LecternError } from '../errors.js';
import type { FormatReader } from './format-reader.js';

interface FormatEntry {
  mimetype: string;
  /** Loaded at the first document of its kind. Null where this machine lacks what the format needs. */
  load: () => Promise<FormatReader | null>;
  /** The program that makes it readable; without it `load` resolves to null. */
  needs?: string;
  /** What is wrong with a file that cannot be read here for want of it: damaged, or behind a password; null where nothing is. */
  refusal?: (bytes: Uint8Array) => Promise<LecternError | null>;
}

const openXml = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';

/** By way of today's format, where LibreOffice is there to make it. */
function legacy(mimetype: string, name: string, modern: 'docx' | 'pptx' | 'xlsx'): FormatEntry {
  const load = async (): Promise<FormatReader> => (await formats[modern]?.load()) as FormatReader;
  return {
    mimetype, needs: 'LibreOffice', load: async () => (await import('./office/legacy-office.js')).legacyReader(name, modern, load),
    refusal: async (bytes) => (await import('./office/legacy-office.js')).refusalOf(bytes, name),
  };
}

/** By pandoc, where it is there to read it. */
function byPandoc(mimetype: string, format: string, kind: string): FormatEntry {
  return { mimetype, needs: 'pandoc', load: async () => (await import('./pandoc-readers.js')).pandocReader(format, kind) };
}

const formats: Record<string, FormatEntry> = {
  docx: { mimetype: `${openXml}.wordprocessingml.document`, load: async () => (await import('./office/docx/read-docx.js')).readDocx },
  pptx: { mimetype: `${openXml}.presentationml.presentation`, load: async () => (await import('./office/pptx/read-pptx.js')).readPptx },
  xlsx: { mimetype: `${openXml}.spreadsheetml.sheet`, load: async () => (await import('./office/xlsx/read-xlsx.js')).readXlsx },
  xlsb: { mimetype: 'application/vnd.ms-excel.sheet.binary.macroEnabled.12', load: async () => (await import('./office/xlsb/read-xlsb.js')).readXlsb },
  iwork_pages: { mimetype: 'application/vnd.apple.pages', load: async () => (await import('./iwork/read-iwork.js')).readIwork },
  iwork_numbers: { mimetype: 'application/vnd.apple.numbers', load: async () => (await import('./iwork/read-iwork.js')).readIwork },
  iwork_keynote: { mimetype: 'application/vnd.apple.keynote', load: async () => (await import('./iwork/read-iwork.js')).readIwork },
  odt: { mimetype: `${openDocument}.text`, load: async () => (await import('./office/odf/read-odf.js')).readOdt },
  odp: { mimetype: `${openDocument}.presentation`, load: async () => (await import('./office/odf/read-odf.js')).readOdp },
  ods: { mimetype: `${openDocument}.spreadsheet`, load: async () => (await import('./office/odf/read-odf.js')).readOds },
  doc: legacy('application/msword', 'doc', 'docx'),
  ppt: legacy('application/vnd.ms-powerpoint', 'ppt', 'pptx'),
  xls: legacy('application/vnd.ms-excel', 'xls', 'xlsx'),
  html: { mimetype: 'text/html', load: async () => (await import('./text-readers.js')).readHtmlFile },
  md: { mimetype: 'text/markdown', load: async () => (await import('./text-readers.js')).readMarkdownFile },
  asciidoc: { mimetype: 'text/asciidoc', load: async () => (await import('./text-readers.js')).readAsciiDocFile },
  latex: { mimetype: 'text/x-tex', load: async () => (await import('./text-readers.js')).readLatexFile },
  csv: { mimetype: 'text/csv', load: async () => (await import('./text-readers.js')).readCsvFile },
  vtt: { mimetype: 'text/vtt', load: async () => (await import('./record-readers.js')).readVttFile },
  rtf: { mimetype: 'application/rtf', load: async () => (await import('./package-readers.js')).readRtfFile },
  mhtml: { mimetype: 'multipart/related', load: async () => (await import('./package-readers.js')).readMhtmlFile },
  epub: { mimetype: 'application/epub+zip', load: async () => (await import('./package-readers.js')).readEpubFile },
  email: { mimetype: 'message/rfc822', load: async () => (await import('./package-readers.js')).readMailFile },
  ipynb: { mimetype: 'application/x-ipynb+json', load: async () => (await import('./record-readers.js')).readNotebookFile },
  ics: { mimetype: 'text/calendar', load: async () => (await import('./record-readers.js')).readCalendarFile },
  vcf: { mimetype: 'text/vcard', load: async () => (await import('./record-readers.js')).readCardsFile },
  man: { mimetype: 'text/troff', load: async () => (await import('./record-readers.js')).readManFile },
  xml_jats: { mimetype: 'application/xml', load: async () => (await import('./schema-readers.js')).readJatsFile },
  xml_uspto: { mimetype: 'application/xml', load: async () => (await import('./data-readers.js')).readPatentFile },
  fb2: { mimetype: 'application/x-fictionbook+xml', load: async () => (await import('./data-readers.js')).readFictionBookFile },
  docbook: { mimetype: 'application/docbook+xml', load: async () => (await import('./data-readers.js')).readDocBookFile },
  tei: { mimetype: 'application/tei+xml', load: async () => (await import('./data-readers.js')).readTeiFile },
  rst: byPandoc('text/x-rst', 'rst', 'reStructuredText'),
  org: byPandoc('text/org', 'org', 'an Org document'),
  textile: byPandoc('text/x-textile', 'textile', 'Textile'),
  mediawiki: byPandoc('text/x-wiki', 'mediawiki', 'wiki text'),
  xml_xbrl: { mimetype: 'application/xml', load: async () => (await import('./data-readers.js')).readXbrlFile },
  boxnote: { mimetype: 'application/json', load: async () => (await import('./record-readers.js')).readBoxNoteFile },
  doctags: { mimetype: 'text/plain', load: async () => (await import('./record-readers.js')).readDocTagsFile },
  xml: { mimetype: 'application/xml', load: async () => (await import('./data-readers.js')).readXmlFile },
  json: { mimetype: 'application/json', load: async () => (await import('./data-readers.js')).readJsonFile },
  yaml: { mimetype: 'application/yaml', load: async () => (await import('./data-readers.js')).readYamlFile },
  json_docling: { mimetype: 'application/json', load: async () => (await import('./schema-readers.js')).readDoclingFile },
};

/** Undefined where the format has no reader here. */
export function findFormat(name: string): FormatEntry | undefined {
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

/** The contract's names of all that is read by a reader of this registry. */
export function formatNames(): string[] {
  return Object.keys(formats);
}

export { Archive, defaultArchiveLimits, looksLikeArchive } from './archive.js';
export { looksLikeContainer, sniffFormat, sniffText } from './sniff.js';
export type { FoundPicture, ReadDocument, FormatReader, ReadOptions } from './format-reader.js';
