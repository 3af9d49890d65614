/** The networks of conversion workers in the memory of models: each worker is lent its own while it uses them, and closes them when their time is over or others need the room. */
import { createHash } from 'node:crypto';
import type { WorkerNetworks } from '../convert/task/document-attempts.js';
import { LecternError } from '../errors.js';
import type { Clock, DistantEntry, DistantResidency, Lease } from '../models/types.js';
import { systemClock } from '../tasks/clock.js';
import type { CallingWorker } from '../workers/types.js';

export const workerNetworksName = 'lectern-networks';
/** A worker has one page in its hands. */
const mostHolds = 8;
/**
 * With room for fewer than ask, a document keeps its networks from page to page for a turn before others have theirs, and then waits behind those that came meanwhile: when each page was a turn,
 * two scans spent their time loading. So long is the turn of all that wait together, for none of their pages waits for ever, but none is shorter than is worth a load.
 */
const turnsMs = 10_000;
const leastTurnMs = 2_000;
/** What is drawn and read between two pages takes less; a document that asks for nothing so long leaves the room. */
const pauseMs = 2_000;

type Hold = Pick<Lease, 'release'>;

interface WorkerPlace {
  entry: DistantEntry;
  /** The end of the job that the leases are of. */
  job: AbortSignal | null;
  leases: Hold[];
  /** Of a job between two of its pages, and what takes back its end. */
  kept: { lease: Hold; stop: () => void } | null;
  /** When the job's turn began. */
  turnSince: number;
}

/** `size`: of the networks that one worker opens. */
export function createWorkerNetworks(size: { sizeBytes: number; workBytes: number }, residency: () => DistantResidency, clock: Clock = systemClock): WorkerNetworks {
  const places = new Map<number, WorkerPlace>();
  const opened = new Date();
  let waiting = 0;
  const enter = (worker: CallingWorker): WorkerPlace => {
    const path = `worker ${worker.id}`;
    const digest = createHash('sha256').update(JSON.stringify([workerNetworksName, path, size])).digest('hex');
    const place: WorkerPlace = { entry: { name: workerNetworksName, path, digest, ...size, modifiedAt: opened, close: () => worker.release() }, job: null, leases: [], kept: null, turnSince: 0 };
    places.set(worker.id, place);
    void worker.ended.then(() => {
      places.delete(worker.id);
      residency().unload(place.entry);
    }).catch(() => undefined); // without a memory nothing was held there
    return place;
  };
  const lend = async (place: WorkerPlace, signal: AbortSignal): Promise<Hold> => {
    waiting++;
    try {
      return await residency().lendDistant(place.entry, { signal });
    } finally {
      waiting--;
    }
  };
  const takeKept = (place: WorkerPlace): Hold | null => {
    const { kept } = place;
    place.kept = null;
    kept?.stop();
    return kept?.lease ?? null;
  };
  const endJob = (place: WorkerPlace): void => {
    for (const left of [...place.leases.splice(0), takeKept(place)]) left?.release();
  };
  return {
    async hold({ worker, signal, jobEnd }) {
      const place = places.get(worker.id) ?? enter(worker);
      if (place.leases.length >= mostHolds) throw new LecternError('invalid_request', 'The worker\'s call is not valid.');
      const kept = place.job === jobEnd ? takeKept(place) : null;
      const lease = kept ?? await lend(place, signal);
      if (jobEnd.aborted) return lease.release();
      if (kept === null && place.leases.length === 0) place.turnSince = clock.now();
      place.leases.push(lease);
      if (place.job === jobEnd) return;
      place.job = jobEnd;
      jobEnd.addEventListener('abort', () => endJob(place), { once: true });
    },
    free({ worker }) {
      const place = places.get(worker.id);
      const lease = place?.leases.pop();
      if (place === undefined || lease === undefined) return;
      const restMs = Math.min(pauseMs, place.turnSince + Math.max(leastTurnMs, turnsMs / Math.max(1, waiting)) - clock.now());
      if (place.leases.length > 0 || restMs <= 0) return lease.release();
      place.kept = { lease, stop: clock.after(restMs, () => { takeKept(place)?.release(); }) };
    },
  };
}
