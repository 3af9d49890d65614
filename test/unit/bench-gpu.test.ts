// The script that measures a GPU, where the clock runs sixty times as fast and the programs only say what they were asked for.
import t from 'tap';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-files.js';

const skip = process.platform === 'linux' && spawnSync('/usr/bin/timeout', ['--version']).status === 0 ? false : 'there is no timeout of the GNU system here';

const programs = {
  'tools/date': `case "$*" in *%s*) now=$(/bin/date +%s%N); echo $((1000000000 + (now - BEGIN) * 60 / 1000000000));; *) exec /bin/date "$@";; esac`,
  'tools/timeout': `seconds=$3; shift 3; exec /usr/bin/timeout -k 0.05 "$(awk "BEGIN { print $seconds / 60 }")" "$@"`,
  'tools/nvidia-smi': `case "$*" in *compute_cap*) echo 9.0;; *driver*) echo 580.1;; *name,*) echo table;; *) echo 'NVIDIA H200';; esac`,
  'tools/compute-sanitizer': `echo "sanitizer $*" >> "$SEEN"; echo '========= Invalid read'`,
  'build/bin/native_test': `case "$*" in *'--warpgroups off'*) warpgroups=off;; *) warpgroups=on;; esac
echo "test $*, warpgroups $warpgroups" >> "$SEEN"; echo 'TAP version 14'
case "$*" in $HANGS) trap '' TERM; while :; do sleep 0.2; done;; esac
case "$warpgroups $*" in $FAILS) echo '# failed: a product'; echo 'not ok 1 - a test'; exit 1;; esac
echo 'ok 1 - a test'`,
  'build/bin/native_bench': `switches=
while [ "$1" != --gpu ]; do switches="$switches $1 $2"; shift 2; done
[ "$5" -le 6 ] || exit 3
case "$switches" in *'--warpgroups off'*) warpgroups=off;; *) warpgroups=on;; esac
echo "part $5 in $3 s, warpgroups $warpgroups$switches" >> "$SEEN"
case "$5" in $BENCH_HANGS) trap '' TERM; while :; do sleep 0.2; done;; esac
echo "| part $5 |"`,
};

interface Run { status: number | null; seconds: number; report: string; seen: string }

const run = (directory: string, how: { hangs?: string; fails?: string; benchHangs?: string }): Run => {
  for (const folder of ['bench', 'tools', 'build/bin']) mkdirSync(join(directory, folder), { recursive: true });
  copyFileSync(join(packageRoot(), 'bench/gpu.sh'), join(directory, 'bench/gpu.sh'));
  for (const [path, text] of Object.entries(programs)) {
    writeFileSync(join(directory, path), `#!/bin/sh\n${text}\n`);
    chmodSync(join(directory, path), 0o755);
  }
  const begin = Date.now();
  const { status } = spawnSync('sh', [join(directory, 'bench/gpu.sh')], {
    env: {
      PATH: `${join(directory, 'tools')}:${process.env.PATH ?? ''}`, LECTERN_BUILD: join(directory, 'build'), LECTERN_RESULTS: join(directory, 'out'), LECTERN_COMMIT: 'abc',
      SEEN: join(directory, 'seen'), BEGIN: `${begin}000000`, HANGS: how.hangs ?? 'none', FAILS: how.fails ?? 'none', BENCH_HANGS: how.benchHangs ?? 'none',
    },
  });
  return { status, seconds: (Date.now() - begin) * 60 / 1000, report: readFileSync(join(directory, 'out/nvidia-h200.md'), 'utf8'), seen: readFileSync(join(directory, 'seen'), 'utf8') };
};

t.test('everything works', { skip }, async (t) => {
  const { status, report, seen } = run(t.testdir({}), {});
  t.equal(status, 0);
  for (const part of [0, 1, 2, 3, 4, 5, 6]) t.match(report, `| part ${part} |`);
  t.match(report, '# Once more without warpgroups');
  t.notMatch(report, 'FAILED');
  t.notMatch(seen, 'sanitizer');
  for (const kernels of ['--decode rings', '--early-launches off', '--warpgroups off']) t.match(seen, new RegExp(`^part 1 in \\d+ s, warpgroups (on|off) ${kernels}$`, 'm'));
});

t.test('warpgroups that multiply wrongly are left alone by all that follows', { skip }, async (t) => {
  const { status, report, seen } = run(t.testdir({}), { fails: 'on*prefill?rows*' });
  t.not(status, 0);
  t.match(report, /^- prefill: FAILED \(1\), 0 of 1 passed.*\n {2}- # failed: a product\n {2}- not ok 1 - a test\n(?: {2}- last: .*\n)+ {2}- ========= Invalid read\n- prefill without warpgroups, as is all that follows: passed/m);
  t.match(seen, /^part 1 in \d+ s, warpgroups off --warpgroups off$/m);
  t.notMatch(seen, /^part .* warpgroups on/m);
  t.notMatch(report, '# Once more without warpgroups');
});

t.test('whatever hangs, the report is there in nine minutes, and what is worth most was measured', { skip }, async (t) => {
  const { status, seconds, report, seen } = run(t.testdir({}), { hangs: '*', benchHangs: '[2-6]' });
  t.not(status, 0);
  t.ok(seconds < 550, `after ${Math.round(seconds)} s`);
  t.match(report, '| part 1 |');
  t.match(seen, /^part 1 in ([6-9]\d|1\d\d) s/m, 'with a minute or more');
  t.match(report, /not measured: the time was over/);
  t.notMatch(seen, 'sanitizer', 'what hangs is not asked again');
});
