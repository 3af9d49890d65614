/** Compares the tables and headings of two documents: GriTS, and the levels of headings that both have. */
import type { DoclingDocument } from '../src/document/model.js';
import { gritsOf } from './grits.js';
import type { GritsTable } from './grits.js';

/** Null where the truth has no table, or no heading is matched. */
export interface StructureMarks {
  gritsTopology: number | null;
  gritsContent: number | null;
  /** Share of the matched headings that have the source's level. */
  levels: number | null;
}

type Tables = { data: { num_rows: number; num_cols: number; table_cells: { text: string; start_row_offset_idx: number; end_row_offset_idx: number; start_col_offset_idx: number; end_col_offset_idx: number }[] } }[];
type Texts = { label: string; text: string; level?: number }[];

export function compareStructure(truth: DoclingDocument, answer: { tables: unknown; texts: unknown }): StructureMarks {
  const tables = compareTables(tablesOf(truth.tables as unknown as Tables), tablesOf(answer.tables as Tables));
  return { gritsTopology: tables?.topology ?? null, gritsContent: tables?.content ?? null, levels: compareLevels(headingsOf(truth.texts as unknown as Texts), headingsOf(answer.texts as Texts)) };
}

function tablesOf(tables: Tables): GritsTable[] {
  return tables.map(({ data }) => ({
    rows: data.num_rows, columns: data.num_cols,
    cells: data.table_cells.map(({ text, start_row_offset_idx: row, end_row_offset_idx: bottom, start_col_offset_idx: column, end_col_offset_idx: right }) => ({ row, column, rowSpan: bottom - row, columnSpan: right - column, text })),
  }));
}

/** Pairs tables, the most similar first; the score of all weighs each by its places, and tables without a partner count as lost. */
function compareTables(truth: readonly GritsTable[], found: readonly GritsTable[]): { topology: number; content: number } | null {
  if (truth.length === 0) return null;
  const pairs = truth.flatMap((one, i) => found.map((other, j) => ({ i, j, ...gritsOf(one, other), weight: one.rows * one.columns + other.rows * other.columns }))).sort((a, b) => b.content - a.content || a.i - b.i || a.j - b.j);
  const [ofTruth, ofFound] = [new Set<number>(), new Set<number>()];
  let [topology, content] = [0, 0];
  for (const pair of pairs) {
    if (pair.content === 0 || ofTruth.has(pair.i) || ofFound.has(pair.j)) continue;
    ofTruth.add(pair.i);
    ofFound.add(pair.j);
    topology += pair.topology * pair.weight;
    content += pair.content * pair.weight;
  }
  const whole = [...truth, ...found].reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  return { topology: topology / whole, content: content / whole };
}

interface Heading {
  text: string;
  level: number;
}

function headingsOf(texts: Texts): Heading[] {
  return texts.filter(({ label }) => label === 'title' || label === 'section_header').map(({ label, text, level }) => ({ text: text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''), level: label === 'title' ? 0 : level ?? 1 }));
}

/** Headings of equal letters are matched in their order. */
function compareLevels(truth: readonly Heading[], found: readonly Heading[]): number | null {
  let [matched, right, from] = [0, 0, 0];
  for (const { text, level } of truth) {
    const at = found.findIndex((heading, index) => index >= from && heading.text === text);
    if (at < 0) continue;
    from = at + 1;
    matched++;
    if (found[at]!.level === level) right++;
  }
  return matched === 0 ? null : right / matched;
}
