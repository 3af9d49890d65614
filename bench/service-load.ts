/** A document of 1,000 pages through the service in a process of its own: its memory, its workers', and how fast /health answers meanwhile. */
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerCommand } from '../src/workers/worker-command.js';
import { longPdf } from '../test/support/long-pdf.js';
import type { SpeedReport } from './convert-report.js';
import { quantile } from './quality.js';
import { startProcess } from './service-process.js';

type ThousandPages = SpeedReport['thousandPages'];

const limitMs = 300_000;

export async function measureService(command: WorkerCommand, directory: string): Promise<ThousandPages> {
  mkdirSync(directory);
  const service = await startProcess(command, { LECTERN_STATE: directory });
  if ('missing' in service) return service;
  try {
    return await convertAndWatch(service.base, service.pid);
  } finally {
    await service.stop();
  }
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
