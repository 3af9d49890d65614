/** `lectern serve`: the service, until a signal stops it. */
import { createApp } from '../program/app.js';
import { resolveSettings } from '../settings/settings.js';
import { exitDeviceLost } from '../program/device-loss.js';
import { supervision } from '../program/notify-systemd.js';
import { createLog } from '../logging/log.js';
import { LecternError } from '../errors.js';
import type { Command } from './command.js';
import { onStopSignal } from './stop-signals.js';

/** What failed answers get to reach their clients, and conversions to write down what they have, once the GPU is lost. */
const lostWaitMs = 2_000;
/** A device that is lost may not let go of its calls either. */
const lostEndMs = 5_000;

/** What running conversions get to end by themselves after the first signal; the rest goes on at the next start. */
const stopWaitMs = 10_000;

/** A service that its operator believes to be locked must not be open. Throws `invalid_request`. */
function refuseForeignKey(notRead: string[]): void {
  if (!notRead.includes('DOCLING_SERVE_API_KEY')) return;
  throw new LecternError('invalid_request', 'DOCLING_SERVE_API_KEY in the environment locks docling-serve and not this service: put the key into an access list (--access-list FILE), and unset the variable.');
}

export const serve: Command = async ({ settings: flags, environment }) => {
  const { values: settings, origins, file, notRead } = resolveSettings(flags, environment);
  refuseForeignKey(notRead);
  const log = createLog(settings.logLevel);
  const supervisor = supervision(environment, log);
  const app = await createApp(settings, log, { namedModels: origins.models === 'default' ? [] : settings.models });
  const stopped = new Promise<string>(onStopSignal);
  let [exitCode, waitMs] = [0, stopWaitMs];
  try {
    const addresses = await app.listen();
    log.info({ addresses, state: settings.state, file }, 'Lectern serves.');
    if (notRead.length > 0) log.warn({ variables: notRead }, 'These variables of docling-serve have no counterpart here and are not read.');
    supervisor.ready();
    const end = await Promise.race([stopped, app.deviceLost]);
    if (typeof end === 'string') {
      log.info({ signal: end }, 'Lectern stops; a second signal ends it at once.');
    } else {
      log.fatal({ err: end }, 'The GPU is lost; Lectern ends, for its supervisor to start it again.');
      setTimeout(() => process.exit(exitDeviceLost), lostEndMs).unref();
      [exitCode, waitMs] = [exitDeviceLost, lostWaitMs];
    }
  } finally {
    supervisor.stopping();
    await app.close(waitMs);
  }
  return exitCode;
};
