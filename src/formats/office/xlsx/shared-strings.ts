/** The shared strings of a workbook, found by the scanner's means and cut out when they are asked for. */
import { slash } from '../../character-codes.js';
import { decodeXml } from '../../xml-text.js';
import { decodeCellText, prefixOf, richText } from './scan-sheet.js';

/** Strings by index. The whole part stays one text; each string is decoded once. */
export class SharedStrings {
  readonly #xml: string;
  readonly #prefix: string;
  /** Where each string begins and ends. */
  readonly #bounds: number[] = [];
  readonly #decoded: (string | undefined)[] = [];

  constructor(bytes: Uint8Array | null) {
    this.#xml = bytes === null ? '' : decodeXml(bytes);
    this.#prefix = prefixOf(this.#xml, 'sst') ?? '';
    const [open, close] = [`<${this.#prefix}si`, `</${this.#prefix}si>`];
    for (let at = this.#xml.indexOf(open); at >= 0; at = this.#xml.indexOf(open, at)) {
      const end = this.#xml.indexOf('>', at);
      if (end < 0) break;
      if (this.#xml.charCodeAt(end - 1) === slash) {
        this.#bounds.push(end, end);
        at = end;
        continue;
      }
      const until = this.#xml.indexOf(close, end);
      this.#bounds.push(end + 1, until < 0 ? this.#xml.length : until);
      if (until < 0) break;
      at = until;
    }
  }

  /** '' where there is no such string. */
  get(index: number): string {
    const known = this.#decoded[index];
    if (known !== undefined) return known;
    const start = this.#bounds[2 * index];
    const end = this.#bounds[2 * index + 1];
    if (start === undefined || end === undefined) return '';
    const text = decodeCellText(richText(this.#xml.slice(start, end), this.#prefix));
    this.#decoded[index] = text;
    return text;
  }
}
