/** What a supervisor hears of the service, at a socket of the test's own. Node has no local datagram sockets: Python listens. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { notifySupervisor } from '../../src/engine/notify-supervisor.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { supervision } from '../../src/program/notify-systemd.js';
import { silentLog } from '../../src/logging/lazy-log.js';
import { mainScript } from '../support/program.js';
import { until } from '../support/until.js';

const hasPython = spawnSync('python3', ['-c', '']).status === 0;
const needsPython = hasPython ? {} : { skip: 'python3, which listens, is not installed' };

const listener = 'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\na=sys.argv[1]\ns.bind("\\0"+a[1:] if a[0]=="@" else a)\nprint("bound",flush=True)\nwhile True: print(s.recv(4096).decode(),flush=True)';

async function listen(t: Test, address: string): Promise<string[]> {
  const lines: string[] = [];
  const python = spawn('python3', ['-c', listener, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => python.kill());
  createInterface({ input: python.stdout }).on('line', (line) => lines.push(line));
  await until('the test listens', () => lines.length > 0);
  lines.length = 0;
  return lines;
}

function place(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-notify-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

t.test('messages get through, to a path and to an abstract name; where nobody listens it is an error', needsPython, async (t) => {
  for (const address of [join(place(t), 'socket'), `@lectern-test-${process.pid}`]) {
    const lines = await listen(t, address);
    notifySupervisor(address, 'READY=1');
    await until('it is heard', () => lines.length === 1);
    t.strictSame(lines, ['READY=1']);
  }
  t.throws(() => notifySupervisor(join(place(t), 'none'), 'READY=1'), { code: 'invalid_state' });
  t.throws(() => notifySupervisor('x'.repeat(200), 'READY=1'), { code: 'invalid_state' });
});

t.test('a service says that it serves, that it is alive, and that it stops; one that hangs says nothing', needsPython, async (t) => {
  const directory = place(t);
  const lines = await listen(t, join(directory, 'socket'));
  const child = spawn(process.execPath, [mainScript, 'serve', '--listen', '127.0.0.1:0', '--state', join(directory, 'state')], {
    env: { HOME: directory, PATH: process.env['PATH'], NOTIFY_SOCKET: join(directory, 'socket'), WATCHDOG_USEC: '400000' }, stdio: 'ignore',
  });
  t.teardown(() => child.kill('SIGKILL'));
  await until('it is ready and alive', () => lines.filter((line) => line === 'WATCHDOG=1').length >= 3);
  t.strictSame(lines.slice(0, 2), ['READY=1', 'WATCHDOG=1']);
  child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = lines.length;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  t.equal(lines.length, before, 'a process that stands still');
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  await once(child, 'exit');
  await until('the end is heard', () => lines.includes('STOPPING=1'));
});

t.test('a main loop that does not turn gives no sign of life', async (t) => {
  const said: string[] = [];
  const supervisor = supervision({ NOTIFY_SOCKET: '/x', WATCHDOG_USEC: '20000' }, silentLog, (_address, message) => said.push(message));
  supervisor.ready();
  t.strictSame(said, ['READY=1', 'WATCHDOG=1']);
  const end = performance.now() + 200;
  while (performance.now() < end);
  t.equal(said.length, 2, 'while it computes');
  await until('it turns again', () => said.length > 3);
});

t.test('nothing is said without a supervisor, and no sign of life to one that does not watch this process', async (t) => {
  for (const environment of [{}, { NOTIFY_SOCKET: '' }]) {
    const said: string[] = [];
    const supervisor = supervision(environment, silentLog, (_address, message) => said.push(message));
    supervisor.ready();
    supervisor.stopping();
    t.strictSame(said, []);
  }
  for (const watchdog of [{}, { WATCHDOG_USEC: '0' }, { WATCHDOG_USEC: 'x' }, { WATCHDOG_USEC: '1000', WATCHDOG_PID: String(process.pid + 1) }]) {
    const said: string[] = [];
    supervision({ NOTIFY_SOCKET: '/x', ...watchdog }, silentLog, (_address, message) => said.push(message)).ready();
    await new Promise((resolve) => setTimeout(resolve, 20));
    t.strictSame(said, ['READY=1']);
  }
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (_fields: object, message: string) => { warned.push(message); } } as typeof silentLog;
  const supervisor = supervision({ NOTIFY_SOCKET: '/x' }, log, () => { throw new Error('gone'); });
  supervisor.ready();
  supervisor.stopping();
  t.strictSame(warned, ['The supervisor cannot be reached: gone'], 'it lives on, and logs it once');
});

t.test('the unit of systemd asks for it', async (t) => {
  const unit = readFileSync(join(packageRoot(), 'packaging/lectern.service'), 'utf8');
  t.match(unit, /^Type=notify$/m);
  t.match(unit, /^WatchdogSec=\d+$/m);
});
