/** What is selected and lit in the viewer: one block by its reference, the blocks that an answer cites, the cell under the pointer. */
import { signal } from '@preact/signals';
import { kept } from '../lib/store.js';
import type { Place } from './model.js';

export const selected = signal<string | null>(null);
/** Where the selection came from: the other side scrolls to it. */
export const selectedFrom = signal<'image' | 'text' | 'elsewhere'>('text');
export const lit = signal<ReadonlySet<string>>(new Set());
export const hovered = signal<Place | null>(null);
/** Page to which the viewer shall scroll; each wish is a new object. */
export const wanted = signal<{ page: number; ref: string | null } | null>(null);

export const showsBoxes = kept('boxes', true);
export const side = kept<'both' | 'image' | 'text'>('side', 'both', (value) => ['both', 'image', 'text'].includes(String(value)));
export const form = kept<'rendered' | 'source'>('form', 'rendered', (value) => ['rendered', 'source'].includes(String(value)));

/** A phone, or a window of that width: a page and its text do not fit beside each other. */
const phone = matchMedia('(max-width: 760px)');
export const isNarrow = signal(phone.matches);
phone.addEventListener('change', ({ matches }) => { isNarrow.value = matches; });

export function select(ref: string | null, from: 'image' | 'text' | 'elsewhere'): void {
  selectedFrom.value = from;
  selected.value = ref;
}

/** Lights blocks of a page and scrolls there. */
export function light(refs: readonly string[], page: number): void {
  lit.value = new Set(refs);
  wanted.value = { page, ref: refs[0] ?? null };
}
