/** Drawn here, so that none is fetched. */
import type { JSX } from 'preact';

const paths = {
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  chat: 'M4 5h16v11H9l-5 4z',
  ask: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16.2 16.2L21 21M9 9.5a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1.1M11 14.6v.1',
  host: 'M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5h.1M7.5 16.5h.1',
  book: 'M5 4h6a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H5zM13 6a2 2 0 0 1 2-2h4v14h-4a2 2 0 0 0-2 2',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3v18',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  send: 'M5 12h13M12 6l6 6-6 6',
  stop: 'M7 7h10v10H7z',
  key: 'M14 10a4 4 0 1 1-4-4 4 4 0 0 1 4 4zM13 12l7 7M17 16l2-2',
} as const;

export function Icon({ name }: { name: keyof typeof paths }): JSX.Element {
  return <svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d={paths[name]} /></svg>;
}
