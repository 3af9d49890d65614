/** Subtitles with styles of their own (SSA and ASS of Sub Station Alpha) as blocks: a paragraph for each line of speech, in the order of time; drawings, comments and effects are left out. */
import type { FlowBlock, FlowRun } from './flow/flow-blocks.js';

interface Cue {
  start: string;
  speaker: string;
  text: string;
}

const usualFields = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text'];
const styleTag = /\\(b|i|u|s|p)(\d*)(?![a-z])/g;

/** The runs of a line: `\N` breaks it, braces hold styles and effects. What is drawn by `\p1` is no text. */
function runsOf(text: string): FlowRun[] {
  const runs: FlowRun[] = [];
  const on = { b: 0, i: 0, u: 0, s: 0, p: 0 };
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (part.startsWith('{') && part.endsWith('}')) {
      for (const [, name, value] of part.matchAll(styleTag)) on[name as keyof typeof on] = value === '' ? 0 : Number(value);
    } else if (part !== '' && on.p === 0) {
      const words = part.replace(/\\N/g, '\n').replace(/\\n/g, ' ').replace(/\\h/g, '\u00a0');
      runs.push({ text: words, ...(on.b > 0 && { bold: true }), ...(on.i > 0 && { italic: true }), ...(on.u > 0 && { underline: true }), ...(on.s > 0 && { strikethrough: true }) });
    }
  }
  return runs;
}

/** Fields of a line: the last one has all further commas. */
function fieldsOf(line: string, count: number): string[] {
  const parts = line.split(',');
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(',')].map((part) => part.trim());
}

/** Whether a text is a file of Sub Station Alpha. */
export function isStationAlpha(text: string): boolean {
  return /^\ufeff?\s*\[Script Info\]/i.test(text);
}

export function readStationAlpha(text: string): FlowBlock[] {
  const cues: Cue[] = [];
  let fields = usualFields;
  let section = '';
  let title = '';
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    const begun = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    if (begun !== undefined) section = begun.toLowerCase();
    const [, name = '', rest = ''] = /^\s*([A-Za-z]+):\s*(.*)$/.exec(line) ?? [];
    if (section === 'script info' && name === 'Title') title = rest.trim();
    else if (section === 'events' && name === 'Format') fields = rest.toLowerCase().split(',').map((field) => field.trim());
    else if (section === 'events' && name === 'Dialogue') {
      const values = fieldsOf(rest, fields.length);
      const value = (field: string): string => values[fields.indexOf(field)] ?? '';
      cues.push({ start: value('start').padStart(12, '0'), speaker: value('name') || value('actor'), text: value('text') });
    }
  }
  const blocks: FlowBlock[] = title === '' ? [] : [{ kind: 'title', runs: [{ text: title }] }];
  let speaker = '';
  for (const cue of cues.map((one, index) => ({ ...one, index })).sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.index - b.index))) {
    const runs = runsOf(cue.text);
    if (!runs.some((run) => /\S/.test(run.text))) continue;
    const named: FlowRun[] = cue.speaker !== '' && cue.speaker !== speaker ? [{ text: `${cue.speaker}:`, bold: true }, { text: ' ' }] : [];
    if (cue.speaker !== '') ({ speaker } = cue);
    blocks.push({ kind: 'paragraph', runs: [...named, ...runs] });
  }
  return blocks;
}
