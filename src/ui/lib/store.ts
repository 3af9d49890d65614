/** What this browser keeps: small values as JSON in localStorage, conversations and results in IndexedDB. Nothing of it leaves the browser. */
import { effect, signal, type Signal } from '@preact/signals';

/** A signal whose value outlives the page. A value that `isValid` refuses, as one of an older version, is replaced by `fallback`. */
export function kept<T>(name: string, fallback: T, isValid: (value: unknown) => boolean = (value) => typeof value === typeof fallback): Signal<T> {
  const made = signal<T>(read(name, fallback, isValid));
  effect(() => { write(name, made.value); });
  return made;
}

function read<T>(name: string, fallback: T, isValid: (value: unknown) => boolean): T {
  try {
    const text = localStorage.getItem(`lectern-${name}`);
    if (text === null) return fallback;
    const value = JSON.parse(text) as unknown;
    return isValid(value) ? value as T : fallback;
  } catch {
    return fallback;
  }
}

function write(name: string, value: unknown): void {
  try {
    localStorage.setItem(`lectern-${name}`, JSON.stringify(value));
  } catch {
    // The browser's room is full, or it keeps nothing: the page works on without.
  }
}

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('lectern', 1);
    request.onupgradeneeded = () => { request.result.createObjectStore('conversations', { keyPath: 'id' }); };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB cannot be opened.'));
  });
  return opened;
}

function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return database().then((db) => new Promise((resolve, reject) => {
    const request = work(db.transaction('conversations', mode).objectStore('conversations'));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed.'));
  }));
}

/** Objects with an `id`, in IndexedDB. */
export const shelf = {
  all: <T>(): Promise<T[]> => run('readonly', (store) => store.getAll() as IDBRequest<T[]>),
  put: (value: { id: string }): Promise<unknown> => run('readwrite', (store) => store.put(value)),
  remove: (id: string): Promise<unknown> => run('readwrite', (store) => store.delete(id)),
};
