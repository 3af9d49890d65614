// What the doctor says of the state directory: a disk on which no task fits is never good.
import t from 'tap';
import { examineState } from '../../src/cli/examine-directories.js';

t.test('room on the disk', async (t) => {
  const state = `${t.testdir()}/not/yet/there`;
  const judged = async (bytes: number) => (await examineState({ state }, async () => ({ blocks: 2 ** 30, bavail: bytes / 512, bsize: 512, files: 0, ffree: 0 })))[0];
  t.match(await judged(6 * 2 ** 30), { state: 'good', what: `state directory: ${state}, 6.0 GiB free` });
  t.match(await judged(2 ** 30), { state: 'note', advice: /uploads and results need room/ });
  for (const bytes of [0, 2 ** 20 - 512, 2 ** 26 - 512]) t.match(await judged(bytes), { state: 'bad', advice: /^the disk is full, or nearly: .*--state$/ });
  t.match(await examineState({ state: '/proc/none' }), [{ state: 'bad' }]);
});
