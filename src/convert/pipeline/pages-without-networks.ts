/** Collects pages that geometry processed alone because memory for the networks was missing: one remark for the complete document. */
import { conversionError } from '../failures.js';
import type { ConversionError } from '../result.js';

/** The most page numbers in the sentence; more are counted. */
const mostNamed = 8;

export class PagesWithoutNetworks {
  readonly #pages = new Set<number>();
  #reason = '';

  /** `pageIndex` from 0; `reason` is a sentence, of which the last one is reported. */
  add(pageIndex: number, reason: string): void {
    this.#pages.add(pageIndex);
    this.#reason = reason;
  }

  /** Empty if all pages had networks. */
  remarks(): ConversionError[] {
    const numbers = [...this.#pages].map((index) => index + 1);
    const [first] = numbers;
    if (first === undefined) return [];
    const shown = numbers.slice(0, mostNamed).join(', ');
    const which = numbers.length === 1 ? `Page ${first} was` : `Pages ${shown}${numbers.length > mostNamed ? ` and ${numbers.length - mostNamed} more` : ''} were`;
    const sentence = `${which} read by geometry alone, without the networks that see tables and layout: ${this.#reason}`;
    return [conversionError('model', 'networks', 'capacity', sentence, numbers.length === 1 ? first : null)];
  }
}
