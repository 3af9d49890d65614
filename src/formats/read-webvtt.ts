/** Subtitles (WebVTT) as blocks: a paragraph for each line of speech, with its styles; times, notes and positions are left out. */
import type { FlowBlock, FlowRun } from './flow/flow-blocks.js';

const timing = /^(?:\d{2,}:)?[0-5]?\d:[0-5]\d[.,]\d{3}\s+-->\s+(?:\d{2,}:)?[0-5]?\d:[0-5]\d[.,]\d{3}(?:\s|$)/;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f', quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));/gi, (whole, decimal: string | undefined, hexadecimal: string | undefined, name: string | undefined) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}

/** The styles of a cue's text are open or not: `b`, `i` and `u`; classes and languages have no mark of their own. A speaker is named where another spoke before. */
class CueText {
  speaker = '';
  readonly #open = { b: 0, i: 0, u: 0 };
  #ruby = false;

  runs(line: string): FlowRun[] {
    const runs: FlowRun[] = [];
    for (const part of line.split(/(<[^>]*>?)/)) {
      if (part.startsWith('<')) {
        this.#tag(part);
        const speaker = plain(/^<v(?:\.[^\s>]*)?[ \t]+([^>]*)>?/.exec(part)?.[1] ?? '').trim();
        if (speaker !== '' && speaker !== this.speaker) runs.push({ text: `${runs.length > 0 ? ' ' : ''}${speaker}:`, bold: true }, { text: ' ' });
        if (speaker !== '') this.speaker = speaker;
      }
      else if (part !== '') runs.push({ text: this.#ruby ? `(${plain(part)})` : plain(part), ...this.#style() });
    }
    return runs;
  }

  #style(): Partial<FlowRun> {
    const { b, i, u } = this.#open;
    return { ...(b > 0 && { bold: true }), ...(i > 0 && { italic: true }), ...(u > 0 && { underline: true }) };
  }

  #tag(tag: string): void {
    const [, slash, name] = /^<(\/?)(\w*)/.exec(tag) ?? [];
    if (name === 'b' || name === 'i' || name === 'u') this.#open[name] = Math.max(0, this.#open[name] + (slash === '/' ? -1 : 1));
    if (name === 'rt') this.#ruby = slash !== '/';
  }
}

/** The blocks of a WebVTT file; of a damaged one what is readable. */
export function readWebVtt(text: string): FlowBlock[] {
  const blocks: FlowBlock[] = [];
  let speaker = '';
  for (const part of text.replace(/\r\n?/g, '\n').split(/\n(?:[^\S\n]*\n)+/)) {
    const lines = part.split('\n');
    // An identifier may stand before the times.
    const at = lines.slice(0, 2).findIndex((line) => timing.test(line.trim()));
    if (at < 0) {
      const title = /^\ufeff?WEBVTT(?:[ \t]+-?[ \t]*(.*))$/.exec(lines[0] ?? '')?.[1]?.trim() ?? '';
      if (title !== '') blocks.push({ kind: 'title', runs: [{ text: title }] });
      continue;
    }
    const cue = new CueText();
    cue.speaker = speaker;
    for (const line of lines.slice(at + 1)) {
      const runs = cue.runs(line);
      if (runs.some((run) => run.text.trim() !== '')) blocks.push({ kind: 'paragraph', runs });
    }
    ({ speaker } = cue);
  }
  return blocks;
}
