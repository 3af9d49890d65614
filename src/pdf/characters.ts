/** One character code of a PDF as the text it stands for: ligatures, symbol fonts, private use, controls. */
import type { Font } from './page.js';

/** '' where the code stands for nothing that can be read; ' ' for every kind of space. */
export function cleanCharacter(code: number, font: Font): string {
  if (code > 0x20 && code < 0x7f) return String.fromCharCode(code);
  if (code === 0x20 || code === 0xa0 || code === 9) return ' ';
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return '';
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return '';
  if (code === 0xad) return '-';
  if (code >= 0xe000 && code <= 0xf8ff) return privateUse(code, font);
  return String.fromCodePoint(code);
}

function privateUse(code: number, _font: Font): string {
  return code === 0xf0b7 ? '•' : '';
}
