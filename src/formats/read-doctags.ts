/** DocTags as blocks: the tags that docling's models and this program's writer make. Text between them is not escaped, so only names of the vocabulary are tags, where they may stand. Places on the page are left out. */
import { LecternError } from '../errors.js';
import type { FlowBlock, FlowListEntry, FlowRun, FlowTableEntry } from './flow/flow-blocks.js';
import { languageName } from './flow/programming-languages.js';

const cellNames = ['ched', 'rhed', 'srow', 'fcel', 'ecel', 'lcel', 'ucel', 'xcel', 'nl'];
const names = [
  'doctag', 'document', 'page_break', 'title', 'text', 'paragraph', 'section_header_level_[1-9]\\d?', 'section_header', 'list_item', 'unordered_list', 'ordered_list', 'otsl', 'document_index', 'picture', 'chart', 'caption', 'footnote', 'formula', 'code', 'page_header',
  'page_footer', 'inline', 'reference', 'checkbox_selected', 'checkbox_unselected', 'key_value_region', '(?:key|value|unspecified)_\\d+', 'loc_\\d{1,3}', 'link_\\d+', '_[A-Za-z+#]+_', 'group', 'form', 'smiles', 'grading_scale', ...cellNames,
];
const tag = new RegExp(`<(/?)(${names.join('|')})>`, 'g');
/** Tags that hold nothing. */
const empty = new RegExp(`^(?:page_break|loc_\\d+|link_\\d+|_[A-Za-z+#]+_|${cellNames.join('|')})$`);
const cells = new Set(cellNames);
const deepest = 60;

interface TagNode {
  name: string;
  children: (TagNode | string)[];
  /** Among its children. */
  hasWords?: true;
}

/** Elements of words alone, and what may stand in them. */
const leaf = /^(?:title|text|paragraph|section_header(?:_level_\d+)?|caption|footnote|formula|code|page_header|page_footer|reference)$/;
const insideLeaf = /^(?:inline|text|code|formula|caption|reference|footnote|checkbox_(?:un)?selected|loc_\d+|link_\d+|_[A-Za-z+#]+_)$/;
const verbatim = /^(?:code|formula)$/;
/** Where the next closing tag of each name stands. Asked for places that grow, each name's are found by one walk over the text. */
class ClosingTags {
  readonly #next = new Map<string, number>();

  constructor(private readonly text: string) {}

  /** Infinity where there is none. */
  after(at: number, name: string): number {
    let known = this.#next.get(name);
    if (known === undefined || known < at) {
      known = this.text.indexOf(`</${name}>`, at);
      if (known < 0) known = Infinity;
      this.#next.set(name, known);
    }
    return known;
  }
}

/** Whether words that resemble a tag are one where they stand. In programs only places, the language and a caption at the end are. */
function isTag(at: number, slash: string, name: string, { open, closing, isBehindWords }: { open: readonly TagNode[]; closing: ClosingTags; isBehindWords: boolean }): boolean {
  const around = open.at(-1) as TagNode;
  if (slash !== '') return !leaf.test(around.name) || (verbatim.test(around.name) ? around.name === name : open.some((node) => node.name === name));
  if (cells.has(name)) return open.some((node) => node.name === 'otsl' || node.name === 'document_index') && !leaf.test(around.name);
  if (!leaf.test(around.name)) return true;
  if (verbatim.test(around.name) && empty.test(name)) return !isBehindWords && around.hasWords !== true;
  const [own, end] = [closing.after(at, name), closing.after(at, around.name)];
  if (verbatim.test(around.name)) return name === 'caption' && own + `</${name}>`.length === end;
  return name !== around.name && insideLeaf.test(name) && (empty.test(name) || own < end);
}

/** A tag that is not closed ends with the one around it; one that cannot stand where it is is words. */
function parse(text: string): TagNode {
  const root: TagNode = { name: 'doctag', children: [] };
  const open = [root];
  const closing = new ClosingTags(text);
  let at = 0;
  const words = (until: number): void => {
    const around = open.at(-1);
    if (until <= at || around === undefined) return;
    around.children.push(text.slice(at, until));
    around.hasWords = true;
  };
  // Whether words stand between `at` and `looked`.
  let [looked, isBehindWords] = [0, false];
  for (const match of text.matchAll(tag)) {
    const [, slash = '', name = ''] = match;
    isBehindWords ||= text.slice(looked, match.index).trim() !== '';
    looked = match.index + match[0].length;
    if (!isTag(match.index, slash, name, { open, closing, isBehindWords })) {
      isBehindWords = true;
      continue;
    }
    words(match.index);
    [at, isBehindWords] = [looked, false];
    if (slash === '') {
      const node: TagNode = { name, children: [] };
      open.at(-1)?.children.push(node);
      if (!empty.test(name) && open.length < deepest) open.push(node);
    } else {
      const begun = open.findLastIndex((node) => node.name === name);
      if (begun > 0) open.length = begun;
    }
  }
  words(text.length);
  return root;
}

/** The words of a node as runs: parts of a line stand apart. */
function runsOf(node: TagNode): FlowRun[] {
  const runs: FlowRun[] = [];
  for (const child of node.children) {
    if (typeof child === 'string') {
      if (child.trim() !== '') runs.push({ text: child });
    } else if (child.name === 'formula') runs.push({ text: ' ' }, { kind: 'formula', text: textOf(child) }, { text: ' ' });
    else if (child.name === 'code') runs.push({ text: ' ' }, { kind: 'code', text: textOf(child) }, { text: ' ' });
    else if (!empty.test(child.name) && child.name !== 'caption') {
      runs.push({ text: ' ' });
      // No spread: a text may have more runs than a call may have arguments.
      for (const run of runsOf(child)) runs.push(run);
      runs.push({ text: ' ' });
    }
  }
  return runs;
}

const textOf = (node: TagNode): string => node.children.map((child) => (typeof child === 'string' ? child : empty.test(child.name) || child.name === 'caption' ? '' : textOf(child))).join('');
const captionOf = (node: TagNode): FlowRun[] => node.children.flatMap((child) => (typeof child === 'object' && child.name === 'caption' ? [{ text: ' ' }, ...runsOf(child)] : []));

/** Cells follow each other; `lcel`, `ucel` and `xcel` belong to the cell at their left, above, or both. */
function tableOf(node: TagNode): FlowBlock {
  const grid: { name: string; content: (TagNode | string)[] }[][] = [[]];
  for (const child of node.children) {
    if (typeof child === 'object' && child.name === 'nl') grid.push([]);
    else if (typeof child === 'object' && cells.has(child.name)) grid.at(-1)?.push({ name: child.name, content: [] });
    else if (typeof child === 'object' && (child.name === 'caption' || empty.test(child.name))) continue;
    else grid.at(-1)?.at(-1)?.content.push(child);
  }
  const joins = (row: number, column: number, kinds: RegExp): boolean => kinds.test(grid[row]?.[column]?.name ?? '');
  const rows = grid.map((line, row) => line.flatMap((cell, column): FlowTableEntry[] => {
    if (/^[lux]cel$/.test(cell.name)) return [];
    let [columnSpan, rowSpan] = [1, 1];
    while (joins(row, column + columnSpan, /^lcel$/)) columnSpan++;
    while (joins(row + rowSpan, column, /^ucel$/)) rowSpan++;
    const blocks = blocksOf({ name: 'cell', children: cell.content });
    return [{ blocks, rowSpan, columnSpan, header: cell.name === 'ched' ? 'column' : cell.name === 'rhed' ? 'row' : undefined }];
  }));
  return { kind: 'table', rows: rows.filter((row) => row.length > 0), caption: captionOf(node) };
}

function listOf(node: TagNode): FlowBlock {
  const entries: FlowListEntry[] = [];
  for (const child of node.children) {
    if (typeof child === 'string') continue;
    const blocks = child.name === 'list_item' ? blocksOf(child) : blocksOf({ name: 'list_item', children: [child] });
    const [first, ...rest] = blocks;
    // A list in an item of its own belongs to the item before.
    if (first?.kind === 'list' && entries.length > 0) for (const block of blocks) entries.at(-1)?.blocks.push(block);
    else if (first !== undefined) entries.push({ runs: first.kind === 'paragraph' ? first.runs : [], blocks: first.kind === 'paragraph' ? rest : blocks, ...(node.name === 'ordered_list' && { marker: `${entries.length + 1}.` }) });
  }
  return { kind: 'list', entries };
}

function elementBlocks(node: TagNode): FlowBlock[] {
  const level = /^section_header(?:_level_(\d+))?$/.exec(node.name);
  if (level !== null) return [{ kind: 'heading', level: Math.min(6, Number(level[1] ?? 1)), runs: runsOf(node) }];
  switch (node.name) {
    case 'title': return [{ kind: 'title', runs: runsOf(node) }];
    case 'unordered_list': case 'ordered_list': return [listOf(node)];
    case 'list_item': return [listOf({ name: 'unordered_list', children: [node] })];
    case 'otsl': case 'document_index': return [tableOf(node)];
    case 'picture': case 'chart': return [{ kind: 'picture', caption: captionOf(node) }, ...blocksOf({ ...node, children: node.children.filter((child) => typeof child === 'string' || child.name !== 'caption') })];
    case 'formula': return textOf(node).trim() === '' ? [] : [{ kind: 'formula', latex: textOf(node).trim() }];
    case 'code': {
      const language = node.children.map((child) => (typeof child === 'object' ? /^_(.+)_$/.exec(child.name)?.[1] : undefined)).find((name) => name !== undefined);
      const caption = captionOf(node);
      return [{ kind: 'code', text: textOf(node).replace(/^\n+/, '').trimEnd(), language: language === undefined ? undefined : languageName(language), ...(caption.length > 0 && { caption }) }];
    }
    case 'footnote': return [{ kind: 'footnote', runs: runsOf(node) }];
    case 'reference': return [{ kind: 'reference', runs: runsOf(node) }];
    case 'page_header': case 'page_footer': return [{ kind: 'furniture', blocks: [{ kind: 'paragraph', runs: runsOf(node) }] }];
    case 'checkbox_selected': case 'checkbox_unselected': return [{ kind: 'list', entries: [{ checked: node.name === 'checkbox_selected', runs: runsOf(node), blocks: [] }] }];
    case 'text': case 'paragraph': case 'inline': case 'caption': return [{ kind: 'paragraph', runs: runsOf(node) }];
    default: return blocksOf(node);
  }
}

/** Words beside the tags are paragraphs. */
function blocksOf(node: TagNode): FlowBlock[] {
  return node.children.flatMap((child): FlowBlock[] => {
    if (typeof child === 'string') return child.trim() === '' ? [] : [{ kind: 'paragraph', runs: [{ text: child }] }];
    return empty.test(child.name) ? [] : elementBlocks(child);
  });
}

/** Throws LecternError `invalid_document` where the text has none of the tags. */
export function readDocTags(source: string): FlowBlock[] {
  const text = source.replace(/^\ufeff/, '').trim();
  if (!/^<(?:doctag|document|otsl|text|title|section_header|page_header|picture|list_item|(?:un)?ordered_list)/.test(text)) throw new LecternError('invalid_document', 'The file is no DocTags: it does not begin with one of its tags.');
  return blocksOf(parse(text));
}
