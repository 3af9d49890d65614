/** The confidence of the result, by the evidence of the pages; null where there is none. */
import { quantile } from '../geometry/statistics.js';
import type { PageStructure } from './page/values.js';
import type { Confidence, ConfidenceScores, Grade } from './result.js';
import type { Block } from './structure/block.js';

function grade(score: number | null): Grade {
  if (score === null) return 'unspecified';
  if (score < 0.5) return 'poor';
  if (score < 0.8) return 'fair';
  return score < 0.9 ? 'good' : 'excellent';
}

function mean(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(score: number | null): number | null {
  return score === null ? null : Math.round(score * 1000) / 1000;
}

/** Share of the page's characters whose Unicode value the file gives; a page of pictures without text was not parsed at all. */
function parseScore(structure: PageStructure): number | null {
  if (structure.recognised !== undefined) return null;
  if (structure.characters === 0) return structure.pictureCoverage > 0.5 ? 0 : null;
  return 1 - structure.unmappedCharacters / structure.characters;
}

/** Share of the letters outside tables in lines that hold together: pieces far apart on one baseline are a form or a table that was not found. */
function layoutScores(blocks: Block[]): Map<number, number> {
  const counts = new Map<number, { all: number; loose: number }>();
  for (const block of blocks) {
    if (block.kind !== 'text') continue;
    for (const { pageIndex, lines } of block.columnParts) {
      const count = counts.get(pageIndex) ?? { all: 0, loose: 0 };
      for (const line of lines) {
        count.all += line.text.length;
        if (line.pieces.length > 2 && block.role !== 'code') count.loose += line.text.length;
      }
      counts.set(pageIndex, count);
    }
  }
  return new Map([...counts].map(([page, { all, loose }]) => [page, all === 0 ? 1 : 1 - loose / all]));
}

/** The contract's low score is this quantile of the scores of the pages. */
const worstPages = 0.05;

type Kind = 'parse' | 'layout' | 'table' | 'ocr';
type PageValues = Record<Kind, number[]>;

function lowest(values: number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

/** The scores of one page: at most one value of each kind, but one for each table. */
function valuesOf(structure: PageStructure, layout: number | undefined): PageValues {
  const present = (value: number | null | undefined): number[] => (value === null || value === undefined ? [] : [value]);
  return {
    parse: present(parseScore(structure)), layout: present(layout), table: structure.tables.map(({ confidence }) => confidence), ocr: present(structure.recognised?.confidence),
  };
}

/** The scores of one page, or of several by the values of all of them; `low` is the lowest that counts. */
function scoresOf(values: PageValues, low: number | null): ConfidenceScores {
  const byKind = { parse: mean(values.parse), layout: mean(values.layout), table: mean(values.table), ocr: mean(values.ocr) };
  const meanScore = mean(Object.values(byKind).filter((score) => score !== null));
  return {
    parse_score: rounded(byKind.parse), layout_score: rounded(byKind.layout), table_score: rounded(byKind.table), ocr_score: rounded(byKind.ocr),
    mean_score: rounded(meanScore), low_score: rounded(low), mean_grade: grade(meanScore), low_grade: grade(low),
  };
}

/** The contract's confidence object: of the whole document, and of each page. */
export function confidenceOf(structures: PageStructure[], blocks: Block[]): Confidence {
  const layouts = layoutScores(blocks);
  const all: PageValues = { parse: [], layout: [], table: [], ocr: [] };
  const lows: number[] = [];
  const pages: Record<string, ConfidenceScores> = {};
  for (const structure of structures) {
    const values = valuesOf(structure, layouts.get(structure.pageIndex));
    for (const kind of Object.keys(all) as Kind[]) all[kind].push(...values[kind]);
    const low = lowest(Object.values(values).flat());
    if (low !== null) lows.push(low);
    pages[structure.pageIndex + 1] = scoresOf(values, low);
  }
  return { ...scoresOf(all, lows.length === 0 ? null : quantile(lows, worstPages)), pages };
}
