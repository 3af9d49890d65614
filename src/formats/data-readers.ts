/** The readers of XML vocabularies beside JATS, and of data that is text: books, manuals, editions, patents, JSON, YAML. */
import { composeBlocks } from './flow/compose-blocks.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader } from './format-reader.js';
import { readDocBook, readFictionBook, readOtherXml, readPatent, readTei } from './markup/markup-files.js';
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
export const readXmlFile = xmlReader(readOtherXml);
const readPlainJson = textReader((text, { filename }) => (/\.(?:jsonl|ndjson)$/i.test(filename) ? readJsonLines(text) : readJson(text)));
/** A document of docling's is one wherever in it its schema is named. */
export const readJsonFile: FormatReader = (bytes, options) => (/"schema_name"\s*:\s*"DoclingDocument"/.test(decodeText(bytes)) ? readDoclingFile(bytes, options) : readPlainJson(bytes, options));
export const readYamlFile = textReader(readYaml);
