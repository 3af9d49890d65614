/** The page, or the plain text, that an RTF was made from and still holds ([MS-OXRTFEX]): Outlook keeps mail from elsewhere so. */
import { walkRtf } from './walk-rtf.js';

/** The control word that names the format that an RTF was made from. */
const headBytes = 512;

/** `html`, `text`, or null for what was written as RTF. */
export function rtfOrigin(bytes: Uint8Array): 'html' | 'text' | null {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  if (/\\fromhtml(?:1|(?!\d))/.test(head)) return 'html';
  return head.includes('\\fromtext') ? 'text' : null;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The page as it was: its markup stands in groups of its own, what only RTF needs is marked. */
export function pageOfRtf(bytes: Uint8Array): string {
  const parts: string[] = [];
  walkRtf(bytes, {
    text: (text, state) => {
      if (state.destination === 'markup') parts.push(text);
      else if (state.destination === 'body' && !state.rtfOnly) parts.push(text.replace(/[&<>]/g, (sign) => escapes[sign] as string));
    },
    word: (name, _value, state) => {
      if (state.destination !== 'markup' && (state.destination !== 'body' || state.rtfOnly)) return;
      if (name === 'par' || name === 'line') parts.push('\r\n');
      else if (name === 'tab') parts.push('\t');
    },
    begin: () => undefined,
    end: () => undefined,
  });
  return parts.join('');
}

/** The text as it was. */
export function textOfRtf(bytes: Uint8Array): string {
  const parts: string[] = [];
  walkRtf(bytes, {
    text: (text, state) => {
      if (state.destination === 'body' && !state.hidden) parts.push(text);
    },
    word: (name, _value, state) => {
      if (state.destination !== 'body') return;
      if (name === 'par' || name === 'line') parts.push('\n');
      else if (name === 'tab') parts.push('\t');
    },
    begin: () => undefined,
    end: () => undefined,
  });
  return parts.join('');
}
