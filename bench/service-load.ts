/** A document of 1,000 pages through the service in a process of its own: its memory, its workers', and how fast /health answers meanwhile. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerCommand } from '../src/workers/types.js';
import { longPdf } from '../test/support/long-pdf.js';
import type { SpeedReport } from './convert-report.js';
import { quantile } from './quality.js';

type ThousandPages = SpeedReport['thousandPages'];

const startMs = 30_000;
const limitMs = 300_000;

export async function measureService({ execPath, args }: WorkerCommand, directory: string): Promise<ThousandPages> {
  mkdirSync(directory);
  const port = await freePort();
  const service = spawn(execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LECTERN_LISTEN: `127.0.0.1:${port}`, LECTERN_STATE: directory, LECTERN_LOG_LEVEL: 'error' },
  });
  let complaint = '';
  service.stderr.on('data', (text: Buffer) => { complaint = (complaint + text.toString()).slice(-300); });
  try {
    const base = `http://127.0.0.1:${port}`;
    if (!(await answers(base, service))) return { missing: `the service does not start: ${complaint.trim()}` };
    return await convertAndWatch(base, service.pid ?? 0);
  } finally {
    service.kill('SIGTERM');
    await new Promise((resolve) => (service.exitCode === null && service.signalCode === null ? service.once('exit', resolve) : resolve(null)));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
    server.on('error', reject);
  });
}

async function answers(base: string, service: ChildProcess): Promise<boolean> {
  for (const until = performance.now() + startMs; performance.now() < until && service.exitCode === null; await sleep(100)) {
    if (await fetch(`${base}/ready`).then(({ ok }) => ok, () => false)) return true;
  }
  return false;
}

async function convertAndWatch(base: string, servicePid: number): Promise<ThousandPages> {
  const form = new FormData();
  form.set('files', new Blob([longPdf(1000)], { type: 'application/pdf' }), 'thousand.pdf');
  const begin = performance.now();
  const response = await fetch(`${base}/v1/convert/file/async`, { method: 'POST', body: form });
  const { task_id: task } = (await response.json()) as { task_id?: string };
  if (task === undefined) return { missing: `the service answers ${response.status} to the upload` };
  const health: number[] = [];
  let [serviceMiB, workerMiB] = [0, 0];
  for (;;) {
    const asked = performance.now();
    await (await fetch(`${base}/health`)).arrayBuffer();
    health.push(performance.now() - asked);
    serviceMiB = Math.max(serviceMiB, residentMiB(servicePid));
    workerMiB = Math.max(workerMiB, ...childrenOf(servicePid).map(residentMiB));
    const { task_status: status } = (await (await fetch(`${base}/v1/status/poll/${task}`)).json()) as { task_status: string };
    if (status === 'success') break;
    if (status === 'failure' || performance.now() - begin > limitMs) return { missing: `the conversion ended as '${status}' after ${Math.round((performance.now() - begin) / 1000)} s` };
    await sleep(40);
  }
  const wallS = (performance.now() - begin) / 1000;
  const { document } = (await (await fetch(`${base}/v1/result/${task}`)).json()) as { document: { md_content: string | null } };
  if (!document.md_content?.includes('Records of year 1999')) return { missing: 'the answer lacks its last chapter' };
  return { wallS, serviceMiB, workerMiB, healthMedianMs: quantile(health, 0.5) ?? 0, healthMaxMs: Math.max(...health), healthCount: health.length };
}

/** What a process holds, from /proc; 0 where it is gone. */
function residentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
  } catch {
    return [];
  }
}
