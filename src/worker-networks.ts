/** The networks of conversion workers in the memory of models: each worker is lent its own while it uses them, and closes them when their time is over or others need the room. */
import { createHash } from 'node:crypto';
import type { WorkerNetworks } from './convert/convert-document-job.js';
import { LecternError } from './errors.js';
import type { DistantEntry, DistantResidency, Lease } from './models/types.js';
import type { CallingWorker } from './workers/types.js';

const name = 'lectern-networks';
/** A worker has one page in its hands. */
const mostHolds = 8;

interface Place {
  entry: DistantEntry;
  /** The end of the job that the leases are of. */
  job: AbortSignal | null;
  leases: Pick<Lease, 'release'>[];
}

/** `size`: of the networks that one worker opens. */
export function createWorkerNetworks(size: { sizeBytes: number; workBytes: number }, residency: () => DistantResidency): WorkerNetworks {
  const places = new Map<number, Place>();
  const opened = new Date();
  const enter = (worker: CallingWorker): Place => {
    const path = `worker ${worker.id}`;
    const digest = createHash('sha256').update(JSON.stringify([name, path, size])).digest('hex');
    const place: Place = { entry: { name, path, digest, ...size, modifiedAt: opened, close: () => worker.release() }, job: null, leases: [] };
    places.set(worker.id, place);
    void worker.ended.then(() => {
      places.delete(worker.id);
      residency().unload(place.entry);
    });
    return place;
  };
  return {
    async hold({ worker, signal, jobEnd }) {
      const place = places.get(worker.id) ?? enter(worker);
      if (place.leases.length >= mostHolds) throw new LecternError('invalid_request', 'The worker\'s call is not valid.');
      const lease = await residency().lendDistant(place.entry, { signal });
      if (jobEnd.aborted) return lease.release();
      place.leases.push(lease);
      if (place.job === jobEnd) return;
      place.job = jobEnd;
      jobEnd.addEventListener('abort', () => { for (const left of place.leases.splice(0)) left.release(); }, { once: true });
    },
    free: ({ worker }) => places.get(worker.id)?.leases.pop()?.release(),
  };
}
