/** Data as text (JSON, JSON Lines, YAML) as a table or as code: records that are flat are a table, all else is shown as it is written. */
import { LecternError } from '../errors.js';
import type { FlowBlock, FlowTableEntry } from './flow/flow-blocks.js';
import { maximumCells } from './flow/flow-table-grid.js';

type Scalar = string | number | boolean | null;
type FlatRecord = Record<string, Scalar>;

const isFlat = (value: unknown): value is FlatRecord => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((field) => field === null || typeof field !== 'object');

/** The fields of the records as columns, in the order in which they first appear; null where a grid would be too large or there are no fields. */
function tableOf(records: FlatRecord[]): FlowBlock | null {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  if (columns.length === 0 || columns.length * (records.length + 1) > maximumCells) return null;
  const entry = (text: string, header?: 'column'): FlowTableEntry => ({ blocks: text === '' ? [] : [{ kind: 'paragraph', runs: [{ text }] }], rowSpan: 1, columnSpan: 1, header });
  const shown = (value: Scalar | undefined): string => (value === undefined || value === null ? '' : String(value));
  return { kind: 'table', caption: [], rows: [columns.map((name) => entry(name, 'column')), ...records.map((record) => columns.map((name) => entry(Object.hasOwn(record, name) ? shown(record[name]) : '')))] };
}

/** Whether a table can show each number as it is written: JSON's own have any number of digits, and zeros at their ends. */
function keepsNumbers(text: string): boolean {
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*"|-?\d[\d.eE+-]*/g)) if (!token.startsWith('"') && String(Number(token)) !== token) return false;
  return true;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LecternError('invalid_document', `The file is no ${what}: it is not JSON.`, { cause });
  }
}

/** A list of flat objects is a table, where that keeps its numbers as they are written. Throws LecternError `invalid_document`. */
export function readJson(source: string): FlowBlock[] {
  const text = source.replace(/^\ufeff/, '').trim();
  const value = parseJson(text, 'JSON file');
  const table = Array.isArray(value) && value.length > 0 && value.every(isFlat) && keepsNumbers(text) ? tableOf(value) : null;
  return [table ?? { kind: 'code', text, language: 'JSON' }];
}

/** Lines of flat objects are a table. Throws LecternError `invalid_document` where the first line is no JSON. */
export function readJsonLines(source: string): FlowBlock[] {
  const text = source.replace(/^\ufeff/, '').trim();
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const values: unknown[] = [];
  for (const line of lines) {
    try {
      values.push(parseJson(line, 'file of JSON lines'));
    } catch (error) {
      if (values.length === 0) throw error;
      break;
    }
  }
  const table = values.length === lines.length && values.length > 0 && values.every(isFlat) && keepsNumbers(text) ? tableOf(values) : null;
  return [table ?? { kind: 'code', text, language: 'JSON' }];
}

export function readYaml(source: string): FlowBlock[] {
  const text = source.replace(/^\ufeff/, '').trimEnd();
  return text === '' ? [] : [{ kind: 'code', text, language: 'YAML' }];
}
