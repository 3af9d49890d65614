/** How far a download is: one line that is written over on a terminal, a line every ten per cent elsewhere. */
import type { PullProgress } from '../models/pull/pull.js';
import { describeBytes } from '../models/fit.js';
import { roomOf } from './progress-line.js';

export interface ProgressBar {
  show(progress: PullProgress): void;
  /** Leaves the terminal's line. */
  end(): void;
}

/** Columns of the bar, where the terminal is wide enough for it and the text beside it. */
const widest = 30;
const narrowest = 5;
/** A terminal needs no more than this many lines a second. */
const drawnEveryMs = 100;

export function progressBar(out: { isTTY?: boolean; columns?: number; write(text: string): unknown }, name: string, now: () => number = () => performance.now()): ProgressBar {
  const began = now();
  /** Bytes that lay on the disk already do not count for the speed. */
  let before: number | null = null;
  let drawnAt = -Infinity;
  let tenths = -1;
  let width = widest;
  return {
    show: ({ totalBytes, doneBytes, phase }) => {
      before ??= doneBytes;
      const share = totalBytes === 0 ? 1 : Math.max(0, Math.min(1, doneBytes / totalBytes));
      const seconds = (now() - began) / 1000;
      const rate = seconds > 0 ? (doneBytes - before) / seconds : 0;
      const left = rate > 0 && phase === 'downloading' ? `, ${describeTime((totalBytes - doneBytes) / rate)} left` : '';
      const line = `${name}  ${String(Math.floor(share * 100)).padStart(3)} %  ${describeBytes(doneBytes)} of ${describeBytes(totalBytes)}${rate > 0 ? `, ${describeBytes(rate)}/s` : ''}${left}`;
      if (out.isTTY !== true) {
        if (Math.floor(share * 10) === tenths) return;
        tenths = Math.floor(share * 10);
        out.write(`${line}\n`);
        return;
      }
      if (now() - drawnAt < drawnEveryMs && doneBytes < totalBytes) return;
      drawnAt = now();
      // Longer than the terminal it would wrap, and the next one could not write over it. Never wider again: a bar that changes its length appears to go back.
      const room = roomOf(out);
      width = Math.min(width, room - line.length - '[] '.length);
      const filled = Math.round(share * width);
      const bar = width < narrowest ? '' : `[${'='.repeat(filled)}${' '.repeat(width - filled)}] `;
      out.write(`\r\u001b[K${(bar + line).slice(0, room)}`);
    },
    end: () => {
      if (out.isTTY === true && drawnAt > -Infinity) out.write('\n');
    },
  };
}

function describeTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600 ? `${Math.ceil(whole / 60)} min` : `${(whole / 3600).toFixed(1)} h`;
}
