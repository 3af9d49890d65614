/** The readers of texts that are records: notebooks, calendars, cards of people. */
import { LecternError } from '../errors.js';
import { readCalendar, readCards } from './calendar/read-calendar.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import type { FormatReader } from './format-reader.js';
import { readNotebook } from './read-notebook.js';
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
