/** Jupyter notebooks as blocks: cells of markdown and code with their outputs, pictures included. */
import { LecternError } from '../errors.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { languageName } from './flow/programming-languages.js';
import { readHtml } from './html/read-html.js';
import { readMarkdown } from './read-markdown.js';
import { readPlainText } from './read-plain-text.js';

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A string, or the lines of one. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

/** Colours and movements of terminals. */
const terminalCodes = /\u001b\[[0-9;?]*[A-Za-z]/g;

function codeBlock(text: string, language?: string): FlowBlock[] {
  const shown = text.replace(terminalCodes, '').replace(/^\n+/, '').trimEnd();
  return shown === '' ? [] : [{ kind: 'code', text: shown, language }];
}

/** Of the forms of one output the one with the most structure; pictures besides. */
function dataBlocks(data: JsonObject): FlowBlock[] {
  const pictures = Object.entries(data).filter(([type]) => /^image\/(?:png|jpeg|gif|webp)$/.test(type)).map(([, value]): FlowBlock => ({ kind: 'picture', image: () => Buffer.from(textOf(value), 'base64'), caption: [] }));
  if (pictures.length > 0) return pictures;
  if (data['text/markdown'] !== undefined) return readMarkdown(textOf(data['text/markdown']));
  if (data['text/html'] !== undefined) {
    const blocks = readHtml(textOf(data['text/html']), { keepAll: true });
    if (blocks.length > 0) return blocks;
  }
  if (data['text/latex'] !== undefined) return [{ kind: 'formula', latex: textOf(data['text/latex']).trim().replace(/^(\$\$?)([\s\S]*)\1$/, '$2') }];
  return codeBlock(textOf(data['text/plain']));
}

/** Format 3 has the forms of an output beside each other, by short names. */
const format3Types: Record<string, string> = { png: 'image/png', jpeg: 'image/jpeg', html: 'text/html', latex: 'text/latex', text: 'text/plain' };

function ofFormat3(output: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(format3Types).flatMap(([name, type]) => (output[name] === undefined ? [] : [[type, output[name]]])));
}

function outputBlocks(output: JsonObject): FlowBlock[] {
  if (output['output_type'] === 'stream') return codeBlock(textOf(output['text']));
  if (output['output_type'] === 'error') return codeBlock(Array.isArray(output['traceback']) ? output['traceback'].map(String).join('\n') : `${textOf(output['ename'])}: ${textOf(output['evalue'])}`);
  if (output['output_type'] === 'pyerr') return outputBlocks({ ...output, output_type: 'error' });
  return dataBlocks(isObject(output['data']) ? output['data'] : ofFormat3(output));
}

function cellBlocks(cell: JsonObject, language: string | undefined): FlowBlock[] {
  const source = textOf(cell['source'] ?? cell['input']);
  if (cell['cell_type'] === 'markdown') return readMarkdown(source);
  // Format 3 has headings as cells of their own, with the levels of markdown.
  if (cell['cell_type'] === 'heading') return readMarkdown(`${'#'.repeat(cell['level'] === undefined ? 1 : Math.min(6, Math.max(1, Number(cell['level']) || 1)))} ${source.trim().replace(/\s+/g, ' ')}`);
  if (cell['cell_type'] === 'code') return [...codeBlock(source, language), ...listOf(cell['outputs']).flatMap(outputBlocks)];
  return readPlainText(source);
}

/** The blocks of a notebook of format 3 or 4. Throws LecternError `invalid_document`. */
export function readNotebook(text: string): FlowBlock[] {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch (cause) {
    throw new LecternError('invalid_document', 'The file is no notebook: it is not JSON.', { cause });
  }
  if (!isObject(notebook) || !Array.isArray(notebook['cells']) && !Array.isArray(notebook['worksheets'])) throw new LecternError('invalid_document', 'The file is no notebook: it has no cells.');
  const metadata = isObject(notebook['metadata']) ? notebook['metadata'] : {};
  const named = [metadata['language_info'], metadata['kernelspec']].filter(isObject).map((info) => info['name'] ?? info['language']).find((name) => typeof name === 'string');
  const language = typeof named === 'string' ? languageName(named.replace(/\d+$/, '')) : undefined;
  const cells = [...listOf(notebook['cells']), ...listOf(notebook['worksheets']).flatMap((sheet) => listOf(sheet['cells']))];
  return cells.flatMap((cell) => cellBlocks(cell, language));
}
