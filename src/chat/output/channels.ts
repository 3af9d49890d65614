/** Answers in OpenAI's harmony form (gpt-oss): messages with a header that names a channel, and for calls the tool that a message goes to. */
import type { CutCall, OutputPart, ToolCall } from '../conversation.js';
import { callOf, type OfferedTool } from './json-calls.js';
import { firstMarker, heldBack } from './markers.js';

/** Texts of the control tokens that structure such an answer. */
export const channelMarkers = ['<|start|>', '<|channel|>', '<|constrain|>', '<|message|>', '<|end|>', '<|call|>', '<|return|>'] as const;

export interface ChannelSyntax {
  tools: readonly OfferedTool[];
  /** Where the prompt ended: where a header may begin, in a message of the channel `final`, or in the arguments of a call of this tool. */
  begins: 'header' | 'final' | { call: string };
  /** Not more than one call. */
  onlyOne: boolean;
}

/** Begins a header, and ends a body that the model did not end. */
const headerMarkers = ['<|start|>', '<|channel|>'];
const bodyEnds = ['<|end|>', '<|call|>', '<|return|>'];
const messageMarker = '<|message|>';
/** A header names a role, a channel, a tool and a type: nothing longer is one. */
const longestHeader = 1024;

type Body = { kind: 'text' | 'reasoning' } | { kind: 'call'; tool: string };

/** Channels map to parts: analysis is reasoning; commentary that goes to a tool is a call; commentary to the user (a preamble) and final are text. */
export class ChannelReader {
  /** Null within a header. */
  #body: Body | null;
  #waiting = '';
  #header = '';
  #arguments = '';
  #calls = 0;
  /** Counts messages; the last one of each kind that said something, 0: none. */
  #message = 1;
  readonly #saidIn = { text: 0, reasoning: 0 };
  #takenBytes = 0;
  #thoughtBytes = 0;

  constructor(private readonly syntax: ChannelSyntax, private readonly callId: () => string) {
    const { begins } = syntax;
    this.#body = begins === 'header' ? null : begins === 'final' ? { kind: 'text' } : { kind: 'call', tool: begins.call };
  }

  /** As AnswerReader has it. */
  get thoughtBytes(): number {
    return this.#body?.kind === 'reasoning' ? Infinity : this.#thoughtBytes;
  }

  push(text: string): OutputPart[] {
    this.#waiting += text;
    return this.#take(false, false);
  }

  end(isCut: boolean): OutputPart[] {
    return this.#take(true, isCut);
  }

  #take(atEnd: boolean, isCut: boolean): OutputPart[] {
    const parts: OutputPart[] = [];
    while (this.#body === null ? this.#readHeader(atEnd) : this.#readBody(parts, atEnd));
    if (atEnd && this.#body?.kind === 'call') parts.push(...this.#finishCall(this.#body.tool, isCut));
    return parts;
  }

  #consume(length: number): string {
    const taken = this.#waiting.slice(0, length);
    this.#waiting = this.#waiting.slice(length);
    this.#takenBytes += Buffer.byteLength(taken);
    return taken;
  }

  /** Whether there is more to do. An answer that begins with no header is its text. */
  #readHeader(atEnd: boolean): boolean {
    const found = firstMarker(this.#waiting, [messageMarker, ...bodyEnds]);
    if (found?.marker === messageMarker) {
      this.#header += this.#consume(found.at);
      this.#consume(found.marker.length);
      this.#body = this.#bodyOf(this.#header);
      this.#header = '';
      return true;
    }
    if (found !== null) {
      // A message that ended within its header says nothing.
      this.#consume(found.at + found.marker.length);
      this.#header = '';
      return true;
    }
    if (this.#mayBecomeHeader(atEnd)) return false;
    this.#body = { kind: 'text' };
    return true;
  }

  /** Headers stand behind their markers, or begin with the tool that a message goes to. */
  #mayBecomeHeader(atEnd: boolean): boolean {
    const begun = this.#waiting.trimStart();
    if (begun === '') return true;
    if (begun.length > longestHeader) return false;
    return [...headerMarkers, 'to=', 'assistant'].some((begin) => begun.startsWith(begin) || (!atEnd && begin.startsWith(begun)));
  }

  #bodyOf(header: string): Body {
    const channel = /<\|channel\|>\s*(\w+)/.exec(header)?.[1] ?? 'final';
    const recipient = /\bto=([^\s<]+)/.exec(header)?.[1];
    if (recipient !== undefined) {
      const name = recipient.replace(/^functions\./, '');
      if (this.syntax.tools.some((tool) => tool.name === name)) return { kind: 'call', tool: name };
    }
    return { kind: channel === 'analysis' ? 'reasoning' : 'text' };
  }

  /** Messages of one kind are paragraphs of it. */
  #apart(kind: 'text' | 'reasoning'): string {
    const isNew = this.#message !== this.#saidIn[kind] && this.#saidIn[kind] !== 0;
    this.#saidIn[kind] = this.#message;
    return isNew ? '\n\n' : '';
  }

  /** Whether there is more to do. */
  #readBody(parts: OutputPart[], atEnd: boolean): boolean {
    const body = this.#body as Body;
    const found = firstMarker(this.#waiting, [...bodyEnds, ...headerMarkers]);
    const certain = found?.at ?? (atEnd ? this.#waiting.length : this.#waiting.length - heldBack(this.#waiting, [...bodyEnds, ...headerMarkers]));
    const written = this.#consume(certain);
    if (body.kind === 'call') this.#arguments += written;
    else if (written !== '') parts.push({ kind: body.kind, text: this.#apart(body.kind) + written });
    if (found === null) return false;
    this.#message += 1;
    if (bodyEnds.includes(found.marker)) this.#consume(found.marker.length);
    if (body.kind === 'call') parts.push(...this.#finishCall(body.tool, false));
    if (body.kind === 'reasoning') this.#thoughtBytes = this.#takenBytes;
    this.#body = null;
    return true;
  }

  #finishCall(tool: string, isCut: boolean): OutputPart[] {
    const source = this.#arguments;
    this.#arguments = '';
    this.#body = null;
    if (this.syntax.onlyOne && this.#calls > 0) return [];
    const call = this.#wholeCall(tool, source);
    if (call !== null) {
      this.#calls += 1;
      return [{ kind: 'toolCall', call: { id: this.callId(), ...call } }];
    }
    const cut: Omit<CutCall, 'id'> = { name: tool, arguments: source };
    return isCut ? [{ kind: 'cutCall', call: { id: this.callId(), ...cut }, source }] : source === '' ? [] : [{ kind: 'text', text: source }];
  }

  /** A call without arguments may leave them out. */
  #wholeCall(tool: string, source: string): Omit<ToolCall, 'id'> | null {
    try {
      return callOf(this.syntax, tool, source.trim() === '' ? {} : JSON.parse(source));
    } catch {
      return null;
    }
  }
}
