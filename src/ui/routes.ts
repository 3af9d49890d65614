/** Where the page is: the part of its address behind '#'. */
import { computed, signal } from '@preact/signals';

export const places = ['documents', 'chat', 'ask', 'host'] as const;
export type Place = (typeof places)[number];

const address = signal(location.hash);
addEventListener('hashchange', () => { address.value = location.hash; });

const parts = computed(() => address.value.replace(/^#\/?/, '').split('/').map(decode));

export const place = computed<Place>(() => places.find((one) => one === parts.value[0]) ?? 'documents');
/** What is open there: a document, a conversation; empty for none. */
export const opened = computed(() => parts.value[1] ?? '');

export function go(to: Place, what = ''): void {
  location.hash = what === '' ? `#/${to}` : `#/${to}/${encodeURIComponent(what)}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
