/** Asks for /health every few milliseconds, from a thread with nothing else to do, and remembers the slowest answer. */
import { Worker } from 'node:worker_threads';

/** Between two requests; each has a connection of its own until it is answered. */
const everyMs = 5;

const script = `
const { Agent, get } = require('node:http');
const { parentPort, workerData: { url, everyMs } } = require('node:worker_threads');
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let [worst, failed, count] = [0, 0, 0];
const open = new Set();
const ask = () => {
  const began = performance.now();
  open.add(began);
  const end = () => { if (!open.delete(began)) return; worst = Math.max(worst, performance.now() - began); count++; };
  get(url, { agent }, (answer) => { if (answer.statusCode !== 200) failed++; answer.resume().on('end', end).on('error', end); }).on('error', () => { failed++; end(); });
};
setInterval(ask, everyMs);
parentPort.on('message', () => {
  for (const began of open) worst = Math.max(worst, performance.now() - began);
  parentPort.postMessage({ worst, failed, count });
  [worst, failed, count] = [0, 0, 0];
});
`;

export interface StallProbe {
  /** Since the last call: the slowest answer in milliseconds, and how many failed of how many. */
  take(): Promise<{ worst: number; failed: number; count: number }>;
  close(): Promise<void>;
}

export function startStallProbe(base: string): StallProbe {
  const worker = new Worker(script, { eval: true, workerData: { url: `${base}/health`, everyMs } });
  return {
    take: () => new Promise((resolve) => {
      worker.once('message', resolve);
      worker.postMessage(null);
    }),
    close: async () => { await worker.terminate(); },
  };
}
