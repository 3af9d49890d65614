/** Pages that geometry read alone because there was no memory for the networks: one remark for the document, which lacks nothing. */
import { conversionError } from '../failures.js';
import type { ConversionError } from '../result.js';

/** Page numbers in the sentence; of more, their count. */
const mostNamed = 8;

export class PagesWithoutNetworks {
  readonly #pages = new Set<number>();
  #reason = '';

  /** `pageIndex` from 0; `reason` is a sentence; the last one is reported. */
  add(pageIndex: number, reason: string): void {
    this.#pages.add(pageIndex);
    this.#reason = reason;
  }

  /** None where no page went without. */
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
