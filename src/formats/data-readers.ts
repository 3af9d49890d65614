/** The readers of XML vocabularies beside JATS, and of data that is text: books, manuals, editions, patents, JSON, YAML. */
import { composeBlocks } from './flow/compose-blocks.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader } from './format-reader.js';
import { readDocBook, readFictionBook, readOtherXml, readPatent, readTei } from './markup/markup-files.js';
import { readXbrl } from './markup/read-xbrl.js';
import { readJson, readJsonLines, readYaml } from './read-data.js';
import { readDoclingFile } from './schema-readers.js';
import { decodeText } from './text-encoding.js';
import { textReader } from './text-readers.js';

function xmlReader(read: (bytes: Uint8Array) => FlowBlock[]): FormatReader {
  return (bytes, options) => {
    const builder = builderFor(options);
    return finished(builder, composeBlocks(builder, read(bytes)));
  };
}

export const readFictionBookFile = xmlReader(readFictionBook);
export const readDocBookFile = xmlReader(readDocBook);
export const readTeiFile = xmlReader(readTei);
export const readPatentFile = xmlReader(readPatent);
export const readXbrlFile = xmlReader(readXbrl);
export const readXmlFile = xmlReader(readOtherXml);
const readPlainJson = textReader((text, { filename }) => (/\.(?:jsonl|ndjson)$/i.test(filename) ? readJsonLines(text) : readJson(text)));
export const readJsonFile: FormatReader = (bytes, options) => (isDoclingDocument(decodeText(bytes)) ? readDoclingFile(bytes, options) : readPlainJson(bytes, options));

/** Wherever among its own keys the schema is named; a value within that is such a document makes none of the whole. */
function isDoclingDocument(text: string): boolean {
  if (!/"schema_name"\s*:\s*"DoclingDocument"/.test(text)) return false;
  try {
    return (JSON.parse(text.replace(/^\ufeff/, '')) as { schema_name?: unknown } | null)?.schema_name === 'DoclingDocument';
  } catch {
    return false;
  }
}

export const readYamlFile = textReader(readYaml);
