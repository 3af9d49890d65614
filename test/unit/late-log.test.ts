/** The log of commands: told by the log itself, from its first line on. */
import { spawnSync } from 'node:child_process';
import t from 'tap';
import { createLateLog, silentLog } from '../../src/logging/lazy-log.js';
import { until } from '../support/until.js';

const lateLog = new URL('../../src/logging/lazy-log.js', import.meta.url).href;

function run(script: string): string[] {
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', `import { createLateLog, silentLog } from '${lateLog}'; ${script}`], { encoding: 'utf8' });
  t.equal(status, 0);
  return stderr.split('\n').filter((line) => line !== '');
}

t.test('lines come in their order, those below the level and those of quiet times do not', async (t) => {
  const lines = run(`let quiet = false;
    const log = createLateLog('warn', () => quiet);
    log.info({ room: 'a' }, 'too little'); log.warn({ room: 'a' }, 'first'); log.error({ err: new TypeError('broken') }, 'second');
    quiet = true; log.error({ room: 'a' }, 'unheard'); silentLog.error({}, 'silent');`);
  t.match(lines.map((line) => JSON.parse(line) as unknown), [{ room: 'a', msg: 'first', level: 'warn' }, { err: { type: 'TypeError', message: 'broken' }, msg: 'second', level: 'error' }]);
  t.equal(lines.length, 2);
});

t.test('the first line that is logged opens the log, once', async (t) => {
  const told: string[] = [];
  let opened = 0;
  const tell = (_about: object, message: string): void => void told.push(message);
  const log = createLateLog('warn', () => false, async () => (opened++, { debug: tell, info: tell, warn: tell, error: tell }));
  log.info({}, 'too little');
  silentLog.warn({}, 'silent');
  t.equal(opened, 0);
  log.warn({}, 'first');
  log.error({}, 'second');
  await until('both are logged', () => told.length === 2);
  t.strictSame([told, opened], [['first', 'second'], 1]);
});
