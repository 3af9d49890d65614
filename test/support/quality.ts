/**
 * How near a markdown answer comes to the truth beside a fixture: text, headings and tables, each from 0 to 1.
 *
 * A small cousin of the benchmark's measures for tests that run everywhere. White space is folded; quotes, dashes, bullets
 * and markup do not count. Tables are taken out of the text and judged apart, as grids in which a span repeats its text.
 */

export interface Quality {
  /** 2 * (longest common subsequence) / (sum of lengths): by characters, in long documents by words. */
  text: number;
  /** F1 over paragraphs, list items with their depth, and code blocks, each whole and with all its letters and digits; null without any. */
  blocks: number | null;
  /** F1 over list items alone, with their depth; null where the truth has none. */
  lists: number | null;
  /** F1 over headings that agree in text (85 %) and level; null where the truth has none. Where the truth knows one level only, levels do not count. */
  headings: number | null;
  /** F1 over the texts of table cells, between each table and the one of the answer that is most like it; null without tables. */
  cells: number | null;
  /** Share of the tables that have the right number of rows and columns. */
  shapes: number | null;
}

/** Rows of cell texts, spans repeated. */
type Grid = string[][];

const longText = 30_000;

export function measureQuality(truth: string, answer: string): Quality {
  const [expected, given] = [split(truth), split(answer)];
  const [wanted, found] = [blocksOf(expected.text), blocksOf(given.text)];
  const items = (blocks: string[]): string[] => blocks.filter((block) => block.startsWith('item'));
  return { text: similarity(plainText(expected.text), plainText(given.text)), blocks: overlap(wanted, found), lists: overlap(items(wanted), items(found)), headings: headingScore(truth, answer), ...tableScore(expected.tables, given.tables) };
}

/** What a reader sees of markdown, without signs that differ from writer to writer. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/<!--.*?-->/gsu, ' ')
    .replace(/!\[[^\]]*\]\([^)]*\)/gu, ' ')
    .replace(/\[([^\]]*)\]\((?:[^()\s]|\([^)]*\))*\)/gu, '$1')
    .replace(/^\s*(?:```.*|#{1,6}\s+|[-*+]\s+)/gmu, '')
    .replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~$&])/gu, '$1')
    .replace(/\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|`/gu, '')
    .normalize('NFKC')
    .replace(/[\u2018\u2019]/gu, "'").replace(/[\u201c\u201d\u201e]/gu, '"').replace(/[\u2010-\u2015\u2212]/gu, '-')
    .replace(/[\u00ad\u2022\u25cf\u25aa\u25e6\u00b7\u25a0]/gu, '')
    .replace(/(?:\.\s?){4,}/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}

function split(markdown: string): { text: string; tables: Grid[] } {
  const tables: Grid[] = [];
  const withoutHtml = markdown.replace(/<table>.*?<\/table>/gsu, (table) => {
    tables.push(htmlGrid(table));
    return ' ';
  });
  const lines: string[] = [];
  let open: Grid | null = null;
  for (const line of withoutHtml.split('\n')) {
    const raw = /^\|.*\|\s*$/u.test(line) ? line.trim().slice(1, -1).split('|') : null;
    const row = raw?.map((cell) => plainText(cell.replaceAll('&#124;', '|'))) ?? null;
    if (raw === null || row === null) {
      open = null;
      lines.push(line);
    } else if (open === null) tables.push((open = [row]));
    else if (!raw.every((cell) => /^\s*:?-+:?\s*$/u.test(cell))) open.push(row);
  }
  return { text: lines.join('\n'), tables };
}

function htmlGrid(table: string): Grid {
  const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gsu)];
  const grid: Grid = rows.map(() => []);
  for (const [r, row] of rows.entries()) {
    let column = 0;
    for (const cell of (row[1] ?? '').matchAll(/<t[dh]([^>]*)>(.*?)<\/t[dh]>/gsu)) {
      const span = (name: string): number => Number(new RegExp(`${name}="(\\d+)"`, 'u').exec(cell[1] ?? '')?.[1] ?? 1);
      const [down, across] = [span('rowspan'), span('colspan')];
      while (grid[r]?.[column] !== undefined) column++;
      for (let y = r; y < Math.min(grid.length, r + down); y++) for (let x = column; x < column + across; x++) (grid[y] as string[])[x] = plainText(cell[2] ?? '');
    }
  }
  return grid;
}

/** One key a block: its kind, its depth, its letters and digits. */
function blocksOf(markdown: string): string[] {
  const keys: string[] = [];
  const add = (kind: string, text: string): void => {
    const letters = plainText(text).toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    if (letters !== '') keys.push(`${kind} ${letters}`);
  };
  let code: string | null = null;
  for (const line of markdown.split('\n')) {
    const item = /^( *)(?:[-*+]|\d+\.) (.*)$/u.exec(line);
    if (line.startsWith('```')) {
      if (code !== null) add('code', code);
      code = code === null ? '' : null;
    } else if (code !== null) code += line;
    else if (item) add(`item ${(item[1] ?? '').length / 4}`, item[2] ?? '');
    else if (!/^#{1,6} /u.test(line)) add('paragraph', line);
  }
  return keys;
}

function overlap(expected: string[], given: string[]): number | null {
  return expected.length === 0 ? null : (2 * commonCount(expected, given)) / (expected.length + given.length);
}

function headingScore(truth: string, answer: string): number | null {
  const expected = headingsOf(truth);
  if (expected.length === 0) return null;
  const oneLevel = new Set(expected.map(({ level }) => level)).size === 1;
  const left = headingsOf(answer);
  const total = expected.length + left.length;
  let found = 0;
  for (const { level, text } of expected) {
    const scores = left.map((heading) => (oneLevel || heading.level === level ? similarity(text, heading.text) : 0));
    const best = scores.indexOf(Math.max(...scores));
    if (best < 0 || (scores[best] ?? 0) < 0.85) continue;
    found++;
    left.splice(best, 1);
  }
  return (2 * found) / total;
}

function headingsOf(markdown: string): { level: number; text: string }[] {
  const found: { level: number; text: string }[] = [];
  for (const match of markdown.replace(/^```[\s\S]*?^```/gmu, '').matchAll(/^(#{1,6})\s+(.*)$/gmu)) {
    found.push({ level: (match[1] ?? '').length, text: plainText(match[2] ?? '').toLowerCase() });
  }
  return found;
}

function tableScore(expected: Grid[], given: Grid[]): { cells: number | null; shapes: number | null } {
  if (expected.length === 0) return { cells: null, shapes: null };
  const sizeOf = (grids: Grid[]): number => grids.reduce((sum, grid) => sum + cellsOf(grid).length, 0);
  const total = sizeOf(expected) + sizeOf(given);
  const left = [...given];
  let common = 0;
  let shapes = 0;
  for (const grid of expected) {
    const own = cellsOf(grid);
    const hits = left.map((other) => commonCount(own, cellsOf(other)));
    // By share, not by number: a large table holds the few cells of a small one by chance.
    const likeness = left.map((other, index) => (2 * (hits[index] ?? 0)) / Math.max(1, own.length + cellsOf(other).length));
    const best = likeness.indexOf(Math.max(...likeness));
    if (best < 0 || hits[best] === 0) continue;
    const [match] = left.splice(best, 1);
    common += hits[best] ?? 0;
    if (match?.length === grid.length && columnsOf(match) === columnsOf(grid)) shapes++;
  }
  return { cells: (2 * common) / total, shapes: shapes / expected.length };
}

const columnsOf = (grid: Grid): number => Math.max(...grid.map((row) => row.length));
const cellsOf = (grid: Grid): string[] => grid.flat().map((cell) => cell.replaceAll(' ', '').toLowerCase()).filter((cell) => cell !== '');

/** How many members two lists share, counted as often as they stand in both. */
function commonCount(one: string[], other: string[]): number {
  const counts = new Map<string, number>();
  for (const member of one) counts.set(member, (counts.get(member) ?? 0) + 1);
  let common = 0;
  for (const member of other) {
    const count = counts.get(member) ?? 0;
    if (count > 0) common++;
    counts.set(member, count - 1);
  }
  return common;
}

/** 2 * LCS / (n + m); 1 for two empty texts. */
export function similarity(one: string, other: string): number {
  const byWords = Math.max(one.length, other.length) > longText;
  const [a, b] = byWords ? [one.split(' '), other.split(' ')] : [[...one], [...other]];
  const total = a.length + b.length;
  return one === other ? 1 : (2 * commonLength(a, b)) / total;
}

/** Length of the longest common subsequence: one bit a symbol of `a`, one pass over `b` (Hyyrö 2004). */
function commonLength(a: string[], b: string[]): number {
  const words = Math.ceil(a.length / 32);
  const positions = new Map<string, Uint32Array>();
  for (const [i, symbol] of a.entries()) {
    let bits = positions.get(symbol);
    if (!bits) positions.set(symbol, (bits = new Uint32Array(words)));
    bits[i >>> 5] = (bits[i >>> 5] ?? 0) | (1 << (i & 31));
  }
  const state = new Uint32Array(words).fill(0xffffffff);
  for (const symbol of b) {
    const match = positions.get(symbol);
    if (!match) continue;
    let carry = 0;
    for (let w = 0; w < words; w++) {
      const s = state[w] ?? 0;
      const u = (s & (match[w] ?? 0)) >>> 0;
      const sum = s + u + carry;
      carry = sum > 0xffffffff ? 1 : 0;
      state[w] = (sum >>> 0) | (s - u);
    }
  }
  let length = 0;
  for (let i = 0; i < a.length; i++) if (((state[i >>> 5] ?? 0) >>> (i & 31)) % 2 === 0) length++;
  return length;
}
