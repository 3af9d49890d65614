/** The service in a process of its own, on a port that was free: what benchmarks ask over HTTP. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sameProgram } from '../src/workers/command.js';
import type { WorkerCommand } from '../src/workers/worker-command.js';

/** The program of this checkout, compiled or not as the bench is. */
export function programOf(words: string[]): WorkerCommand {
  const self = fileURLToPath(import.meta.url);
  return sameProgram(self.replace(/bench[\\/]service-process\.(js|ts)$/u, (_, extension: string) => join('src', `main.${extension}`)), words);
}

export interface ServiceProcess {
  /** `http://127.0.0.1:port`. */
  base: string;
  pid: number;
  stop(): Promise<void>;
}

const startMs = 120_000;

/** Waits until it is ready; says why where it never is. `settings` are variables of the environment. */
export async function startProcess({ execPath, args }: WorkerCommand, settings: Record<string, string>): Promise<ServiceProcess | { missing: string }> {
  const port = await freePort();
  const service = spawn(execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LECTERN_LISTEN: `127.0.0.1:${port}`, LECTERN_LOG_LEVEL: 'error', ...settings },
  });
  let complaint = '';
  service.stderr.on('data', (text: Buffer) => { complaint = (complaint + text.toString()).slice(-300); });
  const stop = async (): Promise<void> => {
    service.kill('SIGTERM');
    await new Promise((resolve) => (service.exitCode === null && service.signalCode === null ? service.once('exit', resolve) : resolve(null)));
  };
  const base = `http://127.0.0.1:${port}`;
  if (await answers(base, service)) return { base, pid: service.pid ?? 0, stop };
  await stop();
  return { missing: `the service does not start: ${complaint.trim()}` };
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
