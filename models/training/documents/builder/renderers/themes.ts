/** Themes of the renderers that have styles of their own: each is an origin, drawn by its number. */
import { hash, randomNumbers } from '../random.js';
import type { Origin, Split } from '../programs.js';

/** Of 24 themes, which are for development and test. */
const THEMES = 24;
const firstOf: Record<Exclude<Split, 'train'>, number> = { dev: 18, test: 21 };

export function themes(renderer: string): Origin[] {
  return Array.from({ length: THEMES }, (_, number): Origin => {
    const split: Split = number >= firstOf.test ? 'test' : number >= firstOf.dev ? 'dev' : 'train';
    return { program: renderer, origin: `${renderer}/${String(number).padStart(2, '0')}`, licence: 'own', weight: 1, family: renderer, for: [], languages: [], split };
  });
}

/** What a theme and a seed draw: `theme` values depend on the theme alone, `own` values on the document's seed, too. */
export class Draw {
  readonly theme: () => number;
  readonly own: () => number;

  constructor(origin: string, seed: number) {
    this.theme = randomNumbers(hash(origin));
    this.own = randomNumbers(hash(`${origin} ${seed}`));
  }

  of<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.theme() * values.length)]!;
  }

  between(least: number, most: number): number {
    return least + this.theme() * (most - least);
  }

  chance(share: number): boolean {
    return this.theme() < share;
  }
}
