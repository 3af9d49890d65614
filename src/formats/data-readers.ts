/** The readers of XML vocabularies beside JATS, and of data that is text: books, manuals, editions, patents, JSON, YAML. */
import { composeBlocks } from './flow/compose-blocks.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader } from './format-reader.js';
import { readDocBook, readFictionBook, readOtherXml, readPatent, readTei } from './markup/markup-files.js';
import { readJson, readJsonLines, readYaml } from './read-data.js';
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
export const readJsonFile = textReader((text, { filename }) => (/\.(?:jsonl|ndjson)$/i.test(filename) ? readJsonLines(text) : readJson(text)));
export const readYamlFile = textReader(readYaml);
