/** An answer's text taken apart while it is written: text, what the model thought, and calls of tools. */
import { randomBytes } from 'node:crypto';
import type { CutCall, OutputPart, ToolCall } from '../conversation.js';
import { CallScanner } from './call-scanner.js';
import { ChannelReader, type ChannelSyntax } from './channels.js';
import type { OfferedTool } from './json-calls.js';
import { firstMarker, heldBack } from './markers.js';
import { WholeCalls } from './whole-calls.js';

export interface OutputSyntax {
  /** Between which texts thoughts stand; null for models that have no such. */
  thoughts: { open: string; close: string } | null;
  /** The prompt ended inside of a thought. */
  beginsThinking: boolean;
  /** Where one of these stands, calls begin and go on to the end. */
  callMarkers: readonly string[];
  /** Only where the answer begins with one, thoughts aside. */
  markersOnlyAtBegin: boolean;
  /** The prompt ended where a call begins. */
  beginsCalling: boolean;
  /** Tools of which the whole answer, thoughts aside, may be calls in a form that is not the template's; `onlyOne`: not more than one. Null: none. */
  wholeCalls: { tools: readonly OfferedTool[]; onlyOne: boolean } | null;
  /** The answer is in the harmony form, and all that stands above is of no account. Null: it is not. */
  channels: ChannelSyntax | null;
  /** Makes a call of one JSON object of the answer; null where it is none. */
  readCall: (value: Record<string, unknown>) => Omit<ToolCall, 'id'> | null;
  /** Makes one of the beginning of such an object; null where it does not tell which. */
  readCutCall: (source: string) => Omit<CutCall, 'id'> | null;
}

export const plainText: OutputSyntax = { thoughts: null, beginsThinking: false, callMarkers: [], markersOnlyAtBegin: false, beginsCalling: false, wholeCalls: null, channels: null, readCall: () => null, readCutCall: () => null };

type Place = 'begin' | 'thought' | 'behindThought' | 'start' | 'wholeCalls' | 'text' | 'calls';

/** Parts come as soon as they are certain; what may yet become a marker waits. Neighbours of one kind are one part. */
export class AnswerReader {
  readonly #syntax: OutputSyntax;
  readonly #calls = new CallScanner();
  readonly #whole: WholeCalls | null;
  readonly #channels: ChannelReader | null;
  /** Those that may stand anywhere. */
  readonly #markers: readonly string[];
  #place: Place;
  #waiting = '';
  #saidSomething = false;
  #isCut = false;
  #pushedBytes = 0;
  #thoughtBytes = 0;

  constructor(syntax: OutputSyntax) {
    this.#syntax = syntax;
    this.#markers = syntax.markersOnlyAtBegin ? [] : syntax.callMarkers;
    this.#whole = syntax.wholeCalls === null ? null : new WholeCalls(syntax.wholeCalls.tools, syntax.wholeCalls.onlyOne);
    this.#channels = syntax.channels === null ? null : new ChannelReader(syntax.channels, callId);
    this.#place = syntax.beginsThinking ? 'thought' : syntax.beginsCalling ? 'calls' : syntax.thoughts === null ? 'start' : 'begin';
  }

  /** Bytes of the text with which the answer's thought and its marks are over: 0 where there is none, Infinity while it goes on. */
  get thoughtBytes(): number {
    if (this.#channels !== null) return this.#channels.thoughtBytes;
    return this.#place === 'thought' ? Infinity : this.#thoughtBytes;
  }

  push(text: string): OutputPart[] {
    if (this.#channels !== null) return joined(this.#channels.push(text));
    this.#waiting += text;
    this.#pushedBytes += Buffer.byteLength(text);
    return this.#take(false);
  }

  /** What was held back. A call that was begun and not finished is text, or where the limit of tokens cut it what there is of a call. */
  end(isCut = false): OutputPart[] {
    if (this.#channels !== null) return joined(this.#channels.end(isCut));
    this.#isCut = isCut;
    return this.#take(true);
  }

  #take(atEnd: boolean): OutputPart[] {
    const parts: OutputPart[] = [];
    for (let goesOn = true; goesOn;) {
      switch (this.#place) {
        case 'begin': goesOn = this.#begin(atEnd); break;
        case 'thought': goesOn = this.#think(parts, atEnd); break;
        case 'behindThought': goesOn = this.#leaveThought(atEnd); break;
        case 'start': goesOn = this.#start(atEnd); break;
        case 'wholeCalls': goesOn = this.#hold(parts, atEnd); break;
        case 'text': goesOn = this.#write(parts, atEnd); break;
        case 'calls': goesOn = this.#call(parts, atEnd); break;
      }
    }
    return joined(parts);
  }

  /** A thought may only open an answer. */
  #begin(atEnd: boolean): boolean {
    const open = this.#syntax.thoughts?.open ?? '';
    const begun = this.#waiting.trimStart();
    if (!atEnd && open.startsWith(begun) && begun.length < open.length) return false;
    const opens = begun.startsWith(open);
    if (opens) this.#waiting = begun.slice(open.length);
    this.#place = opens ? 'thought' : 'start';
    return true;
  }

  #think(parts: OutputPart[], atEnd: boolean): boolean {
    const close = this.#syntax.thoughts?.close ?? '';
    const markers = [close, ...this.#markers];
    const found = firstMarker(this.#waiting, markers);
    const certain = found?.at ?? (atEnd ? this.#waiting.length : this.#waiting.length - heldBack(this.#waiting, markers));
    this.#show(parts, 'reasoning', certain, found !== null || atEnd);
    if (found === null) return false;
    this.#saidSomething = false;
    if (found.marker === close) this.#waiting = this.#waiting.slice(found.at === certain ? close.length : 0);
    this.#thoughtBytes = this.#pushedBytes - Buffer.byteLength(this.#waiting);
    this.#place = found.marker === close ? 'behindThought' : 'calls';
    return true;
  }

  #leaveThought(atEnd: boolean): boolean {
    this.#waiting = this.#waiting.trimStart();
    if (this.#waiting === '' && !atEnd) return false;
    this.#place = 'start';
    return true;
  }

  #start(atEnd: boolean): boolean {
    const { callMarkers, markersOnlyAtBegin } = this.#syntax;
    const begins = markersOnlyAtBegin && callMarkers.some((marker) => this.#waiting.startsWith(marker));
    if (!begins && !atEnd && markersOnlyAtBegin && callMarkers.some((marker) => marker.startsWith(this.#waiting))) return false;
    this.#place = begins ? 'calls' : this.#whole === null ? 'text' : 'wholeCalls';
    return true;
  }

  /** Waits as long as all of the text may be calls. Those in the template's own form need no waiting. */
  #hold(parts: OutputPart[], atEnd: boolean): boolean {
    const whole = this.#whole as WholeCalls;
    if (!atEnd && !whole.isDue(this.#waiting.length)) return false;
    const isOwn = this.#markers.some((marker) => this.#waiting.trimStart().startsWith(marker));
    if (!atEnd && !isOwn && whole.mayBecome(this.#waiting)) return false;
    const calls = atEnd && !isOwn ? whole.read(this.#waiting, this.#isCut, callId) : null;
    this.#place = 'text';
    if (calls === null) return true;
    this.#waiting = '';
    parts.push(...calls);
    return false;
  }

  #write(parts: OutputPart[], atEnd: boolean): boolean {
    const found = firstMarker(this.#waiting, this.#markers);
    const certain = found?.at ?? (atEnd ? this.#waiting.length : this.#waiting.length - heldBack(this.#waiting, this.#markers));
    this.#show(parts, 'text', certain, found !== null, atEnd);
    if (found === null) return false;
    this.#place = 'calls';
    return true;
  }

  /**
   * Takes `length` characters from what waits. White space at the end of a thought, and between a text and its calls, belongs to neither;
   * where calls may come it waits to be seen which it is.
   */
  #show(parts: OutputPart[], kind: 'text' | 'reasoning', length: number, isLast: boolean, keepsSpace = false): void {
    const trims = !keepsSpace && (kind === 'reasoning' || this.#markers.length > 0);
    let shown = this.#waiting.slice(0, length);
    let rest = this.#waiting.slice(length);
    if (kind === 'reasoning' && !this.#saidSomething) shown = shown.trimStart();
    if (trims) {
      const trimmed = shown.trimEnd();
      if (!isLast) rest = shown.slice(trimmed.length) + rest;
      shown = trimmed;
    }
    this.#waiting = rest;
    if (shown === '') return;
    this.#saidSomething = true;
    parts.push({ kind, text: shown });
  }

  #call(parts: OutputPart[], atEnd: boolean): boolean {
    for (const source of this.#calls.push(this.#waiting)) parts.push(this.#read(source));
    this.#waiting = '';
    if (atEnd && this.#calls.unfinished !== '') parts.push(this.#readUnfinished(this.#calls.unfinished));
    return false;
  }

  #read(source: string): OutputPart {
    const call = this.#syntax.readCall(parsed(source));
    return call === null ? { kind: 'text', text: source } : { kind: 'toolCall', call: { id: callId(), ...call } };
  }

  #readUnfinished(source: string): OutputPart {
    const call = this.#isCut ? this.#syntax.readCutCall(source) : null;
    return call === null ? { kind: 'text', text: source } : { kind: 'cutCall', call: { id: callId(), ...call }, source };
  }
}

function callId(): string {
  return `call_${randomBytes(12).toString('hex')}`;
}

function parsed(source: string): Record<string, unknown> {
  try {
    return JSON.parse(source) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Neighbours of one kind become one. */
export function joined(parts: readonly OutputPart[]): OutputPart[] {
  const made: OutputPart[] = [];
  for (const part of parts) {
    const before = made.at(-1);
    if ((part.kind === 'text' || part.kind === 'reasoning') && before?.kind === part.kind) made[made.length - 1] = { kind: part.kind, text: before.text + part.text };
    else made.push(part);
  }
  return made;
}
