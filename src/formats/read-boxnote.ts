/** Notes of Box as blocks: a tree of nodes (since 2022), or a text with the attributes of its characters (before). */
import { LecternError } from '../errors.js';
import type { FlowBlock, FlowListEntry, FlowRun, FlowTableEntry, RunStyle } from './flow/flow-blocks.js';
import { languageName } from './flow/programming-languages.js';

interface NoteNode {
  type?: unknown;
  text?: unknown;
  attrs?: Record<string, unknown> | null;
  marks?: { type?: unknown; attrs?: Record<string, unknown> | null }[];
  content?: NoteNode[];
}

/** Deeper nodes are left out: a note that people wrote has no such depth. */
const deepest = 60;
const widestSpan = 1000;

const childrenOf = (node: NoteNode): NoteNode[] => (Array.isArray(node.content) ? node.content.filter((child) => typeof child === 'object' && (child as unknown) !== null) : []);
/** `bullet_list` and `bulletList` are one. */
const kindOf = (node: NoteNode): string => (typeof node.type === 'string' ? node.type.replace(/_/g, '').toLowerCase() : '');
const webAddress = /^(?:https?|ftp|mailto):/i;

function styleOf(node: NoteNode): RunStyle {
  const style: RunStyle = {};
  for (const mark of Array.isArray(node.marks) ? node.marks.filter((one) => typeof one === 'object' && (one as unknown) !== null) : []) {
    const address = mark.attrs?.['href'];
    switch (kindOf(mark as NoteNode)) {
      case 'strong': case 'bold': style.bold = true; break;
      case 'em': case 'italic': style.italic = true; break;
      case 'underline': style.underline = true; break;
      case 'strikethrough': case 'strike': style.strikethrough = true; break;
      case 'code': style.kind = 'code'; break;
      case 'superscript': style.script = 'super'; break;
      case 'subscript': style.script = 'sub'; break;
      case 'link': if (typeof address === 'string' && webAddress.test(address)) style.link = address; break;
      default:
    }
  }
  return style;
}

function runsOf(node: NoteNode, depth: number): FlowRun[] {
  if (depth > deepest) return [];
  if (typeof node.text === 'string') return [{ ...styleOf(node), text: node.text }];
  if (kindOf(node) === 'hardbreak') return [{ text: '\n' }];
  const label = node.attrs?.['label'] ?? node.attrs?.['name'];
  const children = childrenOf(node);
  // A mention of a person, an emoji: its name.
  if (children.length === 0 && typeof label === 'string') return [{ text: label }];
  return children.flatMap((child) => runsOf(child, depth + 1));
}

const isBlock = (node: NoteNode): boolean => /^(?:paragraph|heading|.*list|.*listitem|blockquote|codeblock|table.*|image|calloutbox|callout|horizontalrule|doc|layout.*|embed.*)$/.test(kindOf(node));

function entryOf(node: NoteNode, marker: string | undefined, depth: number): FlowListEntry {
  const [first, ...rest] = childrenOf(node).flatMap((child) => blocksOf(child, depth + 1));
  const checked = node.attrs?.['checked'];
  const runs = first?.kind === 'paragraph' ? first.runs : [];
  return { runs, blocks: first?.kind === 'paragraph' ? rest : first === undefined ? [] : [first, ...rest], ...(typeof checked === 'boolean' && { checked }), ...(marker !== undefined && { marker }) };
}

function tableOf(node: NoteNode, depth: number): FlowBlock {
  const span = (value: unknown): number => (typeof value === 'number' && value >= 1 ? Math.min(widestSpan, Math.floor(value)) : 1);
  const rows = childrenOf(node).map((row, at) => childrenOf(row).map((cell): FlowTableEntry => ({
    blocks: childrenOf(cell).flatMap((child) => blocksOf(child, depth + 2)), rowSpan: span(cell.attrs?.['rowspan']), columnSpan: span(cell.attrs?.['colspan']),
    header: kindOf(cell) === 'tableheader' ? (at === 0 ? 'column' : 'row') : undefined,
  })));
  return { kind: 'table', rows: rows.filter((row) => row.length > 0), caption: [] };
}

function blocksOf(node: NoteNode, depth: number): FlowBlock[] {
  if (depth > deepest) return [];
  const kind = kindOf(node);
  const children = childrenOf(node);
  const inside = (): FlowBlock[] => children.flatMap((child) => blocksOf(child, depth + 1));
  switch (kind) {
    case 'heading': {
      const level = node.attrs?.['level'];
      return [{ kind: 'heading', level: typeof level === 'number' ? Math.min(6, Math.max(1, Math.floor(level))) : 1, runs: runsOf(node, depth) }];
    }
    case 'bulletlist': case 'checklist': case 'tasklist': return [{ kind: 'list', entries: children.map((child) => entryOf(child, undefined, depth)) }];
    case 'orderedlist': {
      const first = node.attrs?.['order'];
      return [{ kind: 'list', entries: children.map((child, index) => entryOf(child, `${(typeof first === 'number' ? first : 1) + index}.`, depth)) }];
    }
    case 'blockquote': return [{ kind: 'quote', blocks: inside() }];
    case 'codeblock': {
      const language = node.attrs?.['language'];
      return [{ kind: 'code', text: runsOf(node, depth).map(({ text }) => text).join(''), language: typeof language === 'string' ? languageName(language) : undefined }];
    }
    case 'table': return [tableOf(node, depth)];
    case 'image': {
      const name = node.attrs?.['alt'] ?? node.attrs?.['fileName'];
      return [{ kind: 'picture', caption: [], ...(typeof name === 'string' && name !== '' && { alternative: name }) }];
    }
    default:
      if (children.some(isBlock)) return inside();
      return [{ kind: 'paragraph', runs: runsOf(node, depth) }];
  }
}

interface OldNote {
  atext?: { text?: unknown; attribs?: unknown };
  pool?: { numToAttrib?: Record<string, unknown> };
}

/** Attributes of the characters, as an editor for several people (Etherpad) keeps them: `*0*3+5` gives the next five the attributes 0 and 3, numbers are in base 36. */
function* attributedRuns(text: string, attribs: string, names: Record<string, unknown>): Generator<{ text: string; attributes: Map<string, string> }> {
  let at = 0;
  let attributes = new Map<string, string>();
  // One token after the other: a pattern for all keys of a length would begin anew at each key where no length follows.
  for (const [, key, length] of attribs.matchAll(/\*([0-9a-z]+)|\|[0-9a-z]+|\+([0-9a-z]+)/gy)) {
    if (key !== undefined) {
      const pair = names[String(Number.parseInt(key, 36))];
      if (Array.isArray(pair) && typeof pair[0] === 'string') attributes.set(pair[0], String(pair[1]));
    }
    if (length === undefined) continue;
    const size = Number.parseInt(length, 36);
    if (at >= text.length) return;
    yield { text: text.slice(at, at + size), attributes };
    at += size;
    attributes = new Map();
  }
  if (at < text.length) yield { text: text.slice(at), attributes: new Map() };
}

interface OldLine {
  runs: FlowRun[];
  list: string;
}

function oldLines({ atext, pool }: OldNote): OldLine[] {
  const lines: OldLine[] = [{ runs: [], list: '' }];
  for (const { text, attributes } of attributedRuns(String(atext?.text), String(atext?.attribs ?? ''), pool?.numToAttrib ?? {})) {
    const list = attributes.get('list') ?? '';
    const is = (name: string): boolean => /^(?:true|1)$/.test(attributes.get(name) ?? '');
    const address = [...attributes.keys(), ...attributes.values()].map((value) => /^(?:link-)?(https?:.*)$/.exec(value)?.[1]).find((value) => value !== undefined);
    const style: RunStyle = { ...(is('bold') && { bold: true }), ...(is('italic') && { italic: true }), ...(is('underline') && { underline: true }), ...(is('strikethrough') && { strikethrough: true }), ...(address !== undefined && { link: address }) };
    for (const [index, words] of text.split('\n').entries()) {
      if (index > 0) lines.push({ runs: [], list: '' });
      const line = lines.at(-1) as OldLine;
      // A star at the begin of a line stands for its mark.
      if (list !== '' && line.runs.length === 0 && words.startsWith('*')) {
        line.list = list;
        if (words.length > 1) line.runs.push({ ...style, text: words.slice(1) });
      } else if (words !== '') line.runs.push({ ...style, text: words });
    }
  }
  return lines;
}

function oldBlocks(note: OldNote): FlowBlock[] {
  const blocks: FlowBlock[] = [];
  const open: { kind: string; entries: FlowListEntry[] }[] = [];
  for (const { runs, list } of oldLines(note)) {
    const [, kind = '', depth = '1'] = /^([a-z]+)(\d*)$/.exec(list) ?? [];
    if (kind === '' || kind === 'indent') {
      open.length = 0;
      blocks.push({ kind: 'paragraph', runs });
      continue;
    }
    const level = Math.max(1, Math.min(Number(depth || 1), open.length + 1, deepest));
    open.length = Math.min(open.length, level);
    // Another kind of mark begins another list.
    if (open.length === level && open.at(-1)?.kind !== kind) open.pop();
    if (open.length < level) {
      const entries: FlowListEntry[] = [];
      const above = open.at(-1)?.entries.at(-1);
      (above === undefined ? blocks : above.blocks).push({ kind: 'list', entries });
      open.push({ kind, entries });
    }
    const checked = kind === 'checked' ? true : kind === 'unchecked' ? false : undefined;
    const { entries } = open.at(-1) as { entries: FlowListEntry[] };
    entries.push({ runs, blocks: [], ...(kind === 'number' && { marker: `${entries.length + 1}.` }), ...(checked !== undefined && { checked }) });
  }
  return blocks;
}

/** Throws LecternError `invalid_document`. */
export function readBoxNote(source: string): FlowBlock[] {
  let note: (OldNote & { doc?: NoteNode }) | null;
  try {
    note = JSON.parse(source.replace(/^\ufeff/, '')) as typeof note;
  } catch (cause) {
    throw new LecternError('invalid_document', 'The file is no note of Box: it is not JSON.', { cause });
  }
  if (typeof note?.doc === 'object' && (note.doc as unknown) !== null) return blocksOf(note.doc, 0);
  if (typeof note?.atext?.text === 'string') return oldBlocks(note);
  throw new LecternError('invalid_document', 'The file is no note of Box: it has no text.');
}
