/** The readers of texts that are records or requests: notebooks, calendars, cards of people, subtitles, manual pages. */
import { LecternError } from '../errors.js';
import { readCalendar, readCards } from './calendar/read-calendar.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import type { FormatReader } from './format-reader.js';
import { readMan } from './man/read-man.js';
import { readBoxNote } from './read-boxnote.js';
import { readDocTags } from './read-doctags.js';
import { readNotebook } from './read-notebook.js';
import { isStationAlpha, readStationAlpha } from './read-subtitles.js';
import { readWebVtt } from './read-webvtt.js';
import { isWebVtt } from './text-signatures.js';
import { textReader } from './text-readers.js';

/** Refuses a text without the line that begins what it should hold. */
function beginning(line: string, kind: string, read: (text: string) => FlowBlock[]): FormatReader {
  return textReader((text) => {
    if (!new RegExp(`^${line}\\s*$`, 'im').test(text)) throw new LecternError('invalid_document', `The file is no ${kind}: it has no line ${line}.`);
    return read(text);
  });
}

export const readCalendarFile = beginning('BEGIN:VCALENDAR', 'calendar', (text) => readCalendar(text));
export const readCardsFile = beginning('BEGIN:VCARD', 'card', readCards);
export const readNotebookFile = textReader((text) => readNotebook(text.replace(/^\ufeff/, '')));
export const readManFile = textReader((text, _options, losses) => readMan(text, losses));
export const readBoxNoteFile = textReader((text) => readBoxNote(text));
export const readDocTagsFile = textReader((text) => readDocTags(text));

export const readVttFile = textReader((text) => {
  if (isStationAlpha(text)) return readStationAlpha(text);
  // SubRip has the same cues without the first line; its positions stand in braces.
  const isSubRip = /^\ufeff?\s*\d+[ \t]*\r?\n\d+:\d\d:\d\d,\d{3}\s+-->/.test(text);
  if (!isSubRip && !isWebVtt(text)) throw new LecternError('invalid_document', 'The file is neither WebVTT nor SubRip nor SSA: it does not begin with WEBVTT, a numbered cue or [Script Info].');
  return readWebVtt(isSubRip ? `WEBVTT\n\n${text.replace(/^\ufeff?\s*/, '').replace(/\{\\[^}\n]{0,100}\}/g, '')}` : text);
});
