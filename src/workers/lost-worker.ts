/** What the caller of a job gets when the worker that had it died. pool.ts replaces the worker; convert/task/document-attempts.ts decides whether a document is tried again. */
import { WorkerError, type BrokenLimit } from './types.js';

/** Why a worker was killed: a limit of its job, the cancellation of it, or a message that no worker sends. */
export type KillReason = BrokenLimit | 'cancel' | 'defect';

export interface WorkerEnd {
  exitCode: number | null;
  exitSignal: NodeJS.Signals | null;
}

/** What is known of the job when its worker has ended. */
export interface LostJob {
  end: WorkerEnd;
  /** The last progress that the worker reported. */
  progress: unknown;
  /** The first reason for which this process killed the worker; null where it did not. */
  killedFor: KillReason | null;
  wasCancelled: boolean;
  peakBytes: number;
  /** Most resident bytes that the job may have. */
  residentLimit: number;
}

const brokenCode = { silence: 'timeout', total: 'timeout', resident: 'out_of_memory' } as const;
const brokenSentence = {
  silence: 'The work made no progress within its time limit.',
  total: 'The work took longer than its limit.',
  resident: 'The work needed more memory than it may have.',
};

/** The part of its memory limit from which an abort of V8 counts as lack of memory. No measurement set it. */
const nearLimitShare = 0.75;

export function errorOfLostWorker(lost: LostJob): WorkerError {
  const death = { ...lost.end, progress: lost.progress };
  if (lost.wasCancelled || lost.killedFor === 'cancel') return new WorkerError('cancelled', 'The work was cancelled.', death);
  const broken = lost.killedFor ?? guessFromEnd(lost);
  if (broken && broken !== 'defect') return new WorkerError(brokenCode[broken], brokenSentence[broken], { ...death, limit: broken });
  return new WorkerError('worker_crashed', 'The process that worked on the document ended unexpectedly.', death);
}

/** V8 aborts at its heap's bound, perhaps between two measurements; and only the kernel, out of memory, sends a SIGKILL that is not ours. */
function guessFromEnd({ end, peakBytes, residentLimit }: LostJob): 'resident' | null {
  const aborted = end.exitSignal === 'SIGABRT' || end.exitSignal === 'SIGTRAP' || end.exitSignal === 'SIGILL';
  const nearLimit = peakBytes > nearLimitShare * residentLimit;
  return end.exitSignal === 'SIGKILL' || (aborted && nearLimit) ? 'resident' : null;
}
