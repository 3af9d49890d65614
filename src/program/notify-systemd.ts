/** What the supervisor that started the service hears of it: that it serves, that it stops, and, as long as the main loop turns, that it is alive. */
import { LecternError } from '../errors.js';
import { notifySupervisor } from '../engine/notify-supervisor.js';
import type { Log } from '../logging/log.js';

export interface Supervision {
  /** The service answers from now on. */
  ready(): void;
  /** It ends from now on; the signs of life go on until the process is gone. */
  stopping(): void;
}

const silent: Supervision = { ready: () => undefined, stopping: () => undefined };

/** A limit in microseconds that is this process's: systemd names the process that it watches. */
function watchdogMs({ WATCHDOG_USEC: micros, WATCHDOG_PID: pid }: NodeJS.ProcessEnv): number | null {
  if (micros === undefined || !/^[1-9][0-9]*$/.test(micros) || (pid !== undefined && pid !== '' && Number(pid) !== process.pid)) return null;
  return Number(micros) / 1000;
}

/** By the sd_notify protocol, where the environment names a socket of a supervisor; elsewhere nothing is said. */
export function supervision(environment: NodeJS.ProcessEnv, log: Log, send: (address: string, message: string) => void = notifySupervisor): Supervision {
  const address = environment['NOTIFY_SOCKET'];
  if (address === undefined || address === '') return silent;
  let isLogged = false;
  const say = (message: string): void => {
    try {
      send(address, message);
    } catch (err) {
      // Once: a sign of life that cannot be sent comes again and again, and the supervisor acts on its own.
      if (!isLogged) log.warn({ err: err instanceof LecternError ? undefined : err }, `The supervisor cannot be reached: ${(err as Error).message}`);
      isLogged = true;
    }
  };
  const everyMs = watchdogMs(environment);
  return {
    ready: () => {
      say('READY=1');
      if (everyMs === null) return;
      // By the main loop itself: one that hangs says nothing, and is started anew.
      setInterval(() => say('WATCHDOG=1'), Math.max(1, everyMs / 2)).unref();
      say('WATCHDOG=1');
    },
    stopping: () => say('STOPPING=1'),
  };
}
