/** Several documents at work at a time: when each begins, and how their messages stay in the order of the arguments. */
import type { ProgressLine } from './progress-line.js';

/**
 * Calls `work` for each of `order`, in that order, at most `atOnce` at a time. After the first that rejects none begins; `stop` is called, so that those at work can
 * end early, and when all have ended it rejects with that first error.
 */
export async function sideBySide(order: number[], atOnce: number, work: (index: number) => Promise<void>, stop: () => void): Promise<void> {
  let next = 0;
  let failed: { thrown: unknown } | null = null;
  const lane = async (): Promise<void> => {
    while (next < order.length && failed === null) {
      try {
        await work(order[next++] as number);
      } catch (thrown) {
        if (failed === null) stop();
        failed ??= { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(order.length, atOnce) }, lane));
  if (failed !== null) throw (failed as { thrown: unknown }).thrown;
}

/** Messages about documents that are converted side by side. */
export interface OrderedMessages {
  /** How far one is: shown at once, beside those of the others at work. */
  show(index: number, text: string): void;
  /** A sentence about one: written when all before it have ended. */
  say(index: number, sentence: string): void;
  /** It has come to its end. */
  end(index: number): void;
}

/** `write` gets whole sentences; `line` is cleared before, and shows on afterwards. */
export function orderedMessages(line: ProgressLine, write: (sentence: string) => void): OrderedMessages {
  const shown = new Map<number, string>();
  const kept = new Map<number, string[]>();
  const ended = new Set<number>();
  let first = 0;
  const redraw = (): void => {
    if (shown.size === 0) line.clear();
    else line.show([...shown].sort(([a], [b]) => a - b).map(([, text]) => text).join('  '));
  };
  const speak = (): void => {
    for (;;) {
      const due = kept.get(first)?.splice(0) ?? [];
      if (due.length > 0) line.clear();
      for (const sentence of due) write(sentence);
      if (!ended.delete(first)) return;
      kept.delete(first++);
    }
  };
  return {
    show(index, text) {
      shown.set(index, text);
      redraw();
    },
    say(index, sentence) {
      const sentences = kept.get(index);
      if (sentences === undefined) kept.set(index, [sentence]);
      else sentences.push(sentence);
      if (index !== first) return;
      speak();
      redraw();
    },
    end(index) {
      shown.delete(index);
      ended.add(index);
      speak();
      redraw();
    },
  };
}

/** Files, and bytes, that are worth a worker of their own: its start and its first pages, on which its code is compiled, cost as much as some ten pages do. */
const worthFiles = 8;
const worthBytes = 2 ** 19;

/** How many documents should be at work at a time: no more than `most`, and each worker with enough to do. `sizes` of the files in bytes. */
export function documentsAtOnce(sizes: number[], most: number): number {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return Math.max(1, Math.min(most, sizes.length, Math.max(Math.ceil(sizes.length / worthFiles), Math.ceil(bytes / worthBytes))));
}

/** In which order files should begin where several are at work: the largest first, or the last of them would be at work alone. */
export function largestFirst(sizes: number[]): number[] {
  return sizes.map((_, index) => index).sort((a, b) => (sizes[b] as number) - (sizes[a] as number) || a - b);
}
