/** Running text as runs: what differs from plain text, scripts and links, apart from the rest. */
import { scriptCharacters, withoutScriptCharacters } from '../../document/script-characters.js';
import type { Span } from '../page/text-line.js';
import type { RunningText } from './hyphenation.js';

export interface TextRun {
  /** Without white space at its ends; scripts in plain characters. */
  text: string;
  script: Span['script'];
  uri: string | null;
  /** A superscript that may be the mark of a note: no exponent, charge or index, which the line has in script characters already. */
  mayBeMark: boolean;
  /** No space stands before it. */
  glued: boolean;
}

/** A link over this share of a text is a link of all of it. */
const wholeLink = 0.9;

/** Neighbours with one address are one link, whatever scripts stand in it. */
function linksOf(spans: Span[]): Span[] {
  const links: Span[] = [];
  for (const span of spans) {
    const last = links.at(-1);
    if (span.uri === null) continue;
    if (last !== undefined && last.uri === span.uri && span.start - last.end <= 1) last.end = span.end;
    else links.push({ ...span });
  }
  return links;
}

/** Links whose text differs from their address; others are readable as they are. */
function linkedSpans(running: RunningText): Span[] {
  const bare = (text: string): string => text.replace(/^(https?:\/\/|mailto:)/, '').replace(/[\s/.,;)]+$/, '');
  return linksOf(running.spans).filter((link) => {
    const text = running.text.slice(link.start, link.end);
    return bare(text) !== bare(link.uri!) && !bare(link.uri!).includes(bare(text).replace(/-$/, ''));
  });
}

/** The runs of `running` behind its first `from` characters, and the address that all of it links to. `withLinks` false: scripts alone. One run is plain text unless it is a script. */
export function runsOf(running: RunningText, { from = 0, withLinks = true }: { from?: number; withLinks?: boolean } = {}): { runs: TextRun[]; whole: string | null } {
  const links = withLinks ? linkedSpans(running) : [];
  const [only] = links;
  const isWhole = links.length === 1 && only!.end - only!.start >= wholeLink * running.text.length;
  const cuts = new Set([from, running.text.length]);
  const scripts = running.spans.filter(({ script }) => script !== 'baseline');
  for (const { start, end } of [...(isWhole ? [] : links), ...scripts]) for (const at of [start, end]) if (at > from && at < running.text.length) cuts.add(at);
  const places = [...cuts].sort((a, b) => a - b);
  const runs: TextRun[] = [];
  for (const [index, start] of places.entries()) {
    const end = places[index + 1] ?? start;
    const part = running.text.slice(start, end);
    if (part.trim() === '') continue;
    const script = scripts.find((span) => span.start <= start && span.end >= end)?.script ?? 'baseline';
    const uri = isWhole ? null : links.find((span) => span.start <= start && span.end >= end)?.uri ?? null;
    const glued = start > from && !/^\s/.test(part) && !/\s$/.test(running.text.slice(0, start));
    const text = script === 'baseline' ? part.trim() : withoutScriptCharacters(part.trim(), script);
    runs.push({ text, script, uri, mayBeMark: script === 'super' && text === part.trim(), glued });
  }
  return { runs, whole: isWhole ? only!.uri : null };
}

/** The text with its scripts in Unicode's characters where they exist: for cells, which have no runs. */
export function withScriptCharacters({ text, spans }: RunningText): string {
  let result = '';
  let at = 0;
  for (const { start, end, script } of spans) {
    const part = text.slice(start, end);
    result += text.slice(at, start) + (script === 'baseline' ? part : scriptCharacters(part, script) ?? part);
    at = end;
  }
  return result + text.slice(at);
}
