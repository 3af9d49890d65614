// What the bound of open files leaves of --max-connections, and what the doctor says of it.
import t from 'tap';
import { examineOpenFiles } from '../../src/cli/examine-machine.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { carriedConnections, openFilesLimit } from '../../src/network/connection-limit.js';

const settingsFor = (...words: string[]) => resolveSettings(words, { HOME: '/nowhere' }).values;

t.test('the bound of this process', async (t) => {
  t.equal(openFilesLimit(() => 'Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 4096                 files\n'), 1024);
  t.equal(openFilesLimit(() => 'Max open files            unlimited            unlimited            files\n'), Infinity);
  t.equal(openFilesLimit(() => { throw new Error('no /proc'); }), Infinity);
  t.ok(openFilesLimit() >= 64);
});

t.test('connections within it', async (t) => {
  const carried = (limit: number, ...words: string[]): number => carriedConnections(settingsFor(...words), limit).connections;
  t.equal(carried(Infinity), 2000);
  t.equal(carried(4096), 2000, 'what many systems allow is enough for the defaults');
  t.equal(carried(2346), 2000);
  t.equal(carried(2345), 1999, 'one for each connection, one for each upload that may wait, some of its own');
  t.equal(carried(2345, '--listen', '1,2'), 999);
  t.equal(carried(344), 100, 'where there are fewer connections than uploads that may wait each wants two');
  t.equal(carried(20), 1);
});

t.test('the doctor', async (t) => {
  t.match(examineOpenFiles(settingsFor(), 65536), { state: 'good', what: 'connections: 2000 on each address, of 65536 open files' });
  t.match(examineOpenFiles(settingsFor(), Infinity), { state: 'good', what: /any number of open files/ });
  t.match(examineOpenFiles(settingsFor('--max-connections', '100000'), 65536), { state: 'note', what: /^connections: only 65536 open files .*65190 are taken/, advice: /LimitNOFILE.*--max-connections/ });
});
