/** The log of commands: told by the log itself, from its first line on. */
import { spawnSync } from 'node:child_process';
import t from 'tap';

const lateLog = new URL('../../src/late-log.js', import.meta.url).href;

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
  t.match(lines.map((line) => JSON.parse(line) as unknown), [{ room: 'a', msg: 'first', level: 40 }, { err: { type: 'TypeError', message: 'broken' }, msg: 'second', level: 50 }]);
  t.equal(lines.length, 2);
});

t.test('what tells nothing opens no log', async (t) => {
  // An open log waits for the end of the process, to write what is left.
  const script = (line: string): string => `const before = process.listenerCount('exit'); ${line}
    process.on('exit', () => { if (process.listenerCount('exit') > before + 1) process._rawDebug('opened'); });`;
  t.strictSame(run(script("createLateLog('warn', () => false).info({}, 'too little'); silentLog.warn({}, 'x');")), []);
  t.ok(run(script("createLateLog('warn', () => false).warn({}, 'enough');")).includes('opened'));
});
