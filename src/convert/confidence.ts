/** How far the result may be trusted, by what the pages showed; null where nothing is known. */
import { quantile } from '../geometry/statistics.js';
import type { PageStructure } from './page/values.js';
import type { Confidence, Grade } from './result.js';
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

/** The contract's confidence object. */
export function confidenceOf(structures: PageStructure[], blocks: Block[]): Confidence {
  const layouts = layoutScores(blocks);
  const parse: number[] = [];
  const layout: number[] = [];
  const table: number[] = [];
  const ocr: number[] = [];
  const pages: number[] = [];
  for (const structure of structures) {
    const parsed = parseScore(structure);
    const laidOut = layouts.get(structure.pageIndex);
    const tables = structure.tables.map(({ confidence }) => confidence);
    if (parsed !== null) parse.push(parsed);
    if (laidOut !== undefined) layout.push(laidOut);
    table.push(...tables);
    const read = structure.recognised?.confidence ?? null;
    if (read !== null) ocr.push(read);
    const scores = [parsed, laidOut ?? null, read, ...tables].filter((score) => score !== null);
    if (scores.length > 0) pages.push(Math.min(...scores));
  }
  const byKind = [mean(parse), mean(layout), mean(table), mean(ocr)];
  const meanScore = mean(byKind.filter((score) => score !== null));
  const lowScore = pages.length === 0 ? null : quantile(pages, worstPages);
  const [parseMean, layoutMean, tableMean, ocrMean] = byKind.map(rounded);
  return {
    parse_score: parseMean ?? null, layout_score: layoutMean ?? null, table_score: tableMean ?? null, ocr_score: ocrMean ?? null,
    mean_score: rounded(meanScore), low_score: rounded(lowScore), mean_grade: grade(meanScore), low_grade: grade(lowScore),
  };
}
