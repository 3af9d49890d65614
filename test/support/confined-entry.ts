/** A worker that tries, when it is asked to, what a worker taken over by a stranger's file would try. Each verb answers with the code of the error, or `done`. */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { link, mkdir, open, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { restrictSystemCalls } from '../../src/engine/confinement.js';
import { endWithParent } from '../../src/engine/end-with-parent.js';
import { serveJobs, type JobHandler } from '../../src/workers/serve.js';

const codeOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'done', (thrown: NodeJS.ErrnoException) => thrown.code ?? thrown.message);

/** Resolves or rejects by the first of the two events. */
function settled(emitter: NodeJS.EventEmitter, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    emitter.once(event, () => resolve());
    emitter.once('error', reject);
  });
}

const attempts: Record<string, (path: string, context: { scratchDirectory: string }) => Promise<unknown>> = {
  read: (path) => readFile(path),
  list: (path) => readdir(path),
  overwrite: async (path) => (await open(path, 'r+')).close(),
  move: (path, { scratchDirectory }) => rename(path, join(scratchDirectory, 'moved')),
  link: (path, { scratchDirectory }) => link(path, join(scratchDirectory, 'linked')),
  symlink: (path, { scratchDirectory }) => symlink(path, join(scratchDirectory, 'symlinked')),
  makeDirectory: (path) => mkdir(path),
  connect: (port) => settled(connect(Number(port), '127.0.0.1'), 'connect'),
  connectLocal: (path) => settled(connect(path), 'connect'),
  listen: () => settled(createServer().listen(0, '127.0.0.1'), 'listening'),
  send: async (port) => new Promise<void>((resolve, reject) => {
    const socket = createSocket('udp4').on('error', reject);
    socket.send('x', Number(port), '127.0.0.1', (error) => (error ? reject(error) : resolve()));
  }),
  run: async (path) => {
    const { error } = spawnSync(path, []);
    if (error) throw error;
  },
  signal: async (pid) => process.kill(Number(pid), 0),
  // A thread of its own: it must be no freer than the one that was there.
  readInThread: (path) => settled(new Worker(`require('node:fs').readFileSync(${JSON.stringify(path)})`, { eval: true }), 'exit'),
};

const handlers = Object.fromEntries(Object.entries(attempts).map(([verb, attempt]): [string, JobHandler] => [
  verb, async (request, context) => codeOf(Promise.resolve().then(() => attempt(String(request), context))),
]));
handlers['status'] = async () => readFile('/proc/self/status', 'utf8');
handlers['write-outputs'] = async (request) => {
  const { input, output } = request as { input: string; output: string };
  await writeFile(join(output, 'copy'), await readFile(input));
  return { input: await codeOf(open(input, 'r+')), beside: await codeOf(readdir(join(output, '..', '..', '..'))) };
};

await serveJobs(handlers, { endWithParent, restrictSystemCalls });
