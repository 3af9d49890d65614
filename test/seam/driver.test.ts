// The driver of a GPU is the only library of CUDA that the program opens, and what is wrong with it is said. Drivers made here stand for those
// of machines that have one: each answers as the real one of its kind.
import t from 'tap';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAddon } from '../../src/engine/addon.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { runProgram } from '../support/program.js';

const home = mkdtempSync(join(tmpdir(), 'lectern-driver-'));
t.teardown(() => rmSync(home, { recursive: true, force: true }));

/** The directory of a libcuda.so.1 that knows this release of CUDA and answers cuInit so. */
function madeDriver(name: string, { version, init }: { version: number; init: number }): string {
  const directory = join(home, name);
  mkdirSync(directory);
  const source = join(directory, 'driver.c');
  writeFileSync(source, `#include <stdio.h>
int cuDriverGetVersion(int *version) { fputs("asked\\n", stderr); *version = ${version}; return 0; }
int cuInit(unsigned flags) { return ${init} + 0 * flags; }
`);
  execFileSync('g++', ['-x', 'c', '-shared', '-fPIC', '-o', join(directory, 'libcuda.so.1'), source]);
  return directory;
}

/** The libraries that the dynamic linker searched while the devices were listed, and the result. */
async function askDevices(libraries: string): Promise<{ devices: string; why: string; opened: string[] }> {
  const script = `const { devices, whyNoGpu } = require(process.argv[1]);
    let found; try { found = devices(true).map(({ kind }) => kind).join(); } catch (thrown) { found = thrown.code + ': ' + thrown.message; }
    console.log(JSON.stringify({ devices: found, why: whyNoGpu() }));`;
  const child = spawn(process.execPath, ['-e', script, join(packageRoot(), 'build', 'native', 'lectern.node')], { env: { LD_LIBRARY_PATH: libraries, LD_DEBUG: 'libs' } });
  let [out, debug] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { debug += text; });
  await once(child, 'close');
  const opened = [...debug.matchAll(/find library=(\S+)/g)].map(([, name]) => name as string);
  return { ...JSON.parse(out) as { devices: string; why: string }, opened: [...new Set(opened)] };
}

const skip = loadAddon().buildInfo().cuda ? false : 'this build has no CUDA code';
const hasGpu = loadAddon().whyNoGpu() === '';

t.test('what is wrong with a driver is said', { skip }, async (t) => {
  const current = 99_000;
  const kinds: [string, { version: number; init: number }, { devices: string; why: RegExp }][] = [
    ['old', { version: 12_020, init: 0 }, { devices: 'cpu', why: /^the NVIDIA driver knows CUDA 12\.2, and this program needs \d+\.\d: install driver \d{3} or newer$/ }],
    ['empty', { version: current, init: 100 }, { devices: 'cpu', why: /shows no device.*CUDA_VISIBLE_DEVICES/ }],
    ['stub', { version: current, init: 34 }, { devices: 'cpu', why: /the CUDA toolkit's stub and no driver/ }],
    ['early', { version: current, init: 802 }, { devices: 'device_lost: The GPU cannot be used: the NVIDIA driver is not ready yet; where GPUs are joined by NVSwitch it waits for nvidia-fabricmanager.', why: /not ready yet/ }],
    ['torn', { version: current, init: 803 }, { devices: 'device_lost: The GPU cannot be used: the NVIDIA driver in the kernel and its libcuda.so.1 are of two versions: restart the machine after an update.', why: /of two versions/ }],
    ['strange', { version: current, init: 999 }, { devices: 'device_lost: The GPU cannot be used: the NVIDIA driver says: unknown error.', why: /^the NVIDIA driver says: unknown error$/ }],
  ];
  for (const [name, driver, { devices, why }] of kinds) {
    const found = await askDevices(madeDriver(name, driver));
    t.equal(found.devices, devices, name);
    t.match(found.why, why, name);
    t.strictSame(found.opened.filter((library) => /cu|nv/i.test(library)), ['libcuda.so.1'], 'of CUDA nothing else is opened');
  }
});

t.test('without a driver', { skip: skip || (hasGpu ? 'there is one here' : false) }, async (t) => {
  const found = await askDevices(home);
  t.equal(found.devices, 'cpu');
  t.match(found.why, /libcuda\.so\.1 is not found/);
  t.strictSame(found.opened.filter((library) => /cu|nv/i.test(library)), ['libcuda.so.1']);
});

t.test('the commands say it, too, and leave a driver alone that nobody wants', { skip }, async (t) => {
  const old = madeDriver('old-again', { version: 12_020, init: 0 });
  const environment = { HOME: home, LD_LIBRARY_PATH: old };
  const serve = (device: string) => ['serve', '--listen', '127.0.0.1:0', '--device', device, '--state', join(home, device), '--models', join(home, 'none')];

  const refused = await runProgram(serve('cuda'), { environment });
  t.equal(refused.code, 64);
  t.match(refused.err, /^lectern: --device cuda asks for a GPU, and none can be used: the NVIDIA driver knows CUDA 12\.2, and this program needs /m);
  const doctor = await runProgram(['doctor', '--listen', '0', '--device', 'cuda'], { environment });
  t.equal(doctor.code, 1);
  t.match(doctor.out, /^BAD {3}device: no GPU is usable.*\n {6}-> the NVIDIA driver knows CUDA 12\.2, and/m);
  const early = { HOME: home, LD_LIBRARY_PATH: madeDriver('early-again', { version: 99_000, init: 802 }) };
  const broken = await runProgram(['doctor', '--listen', '0'], { environment: early });
  t.equal(broken.code, 1);
  t.match(broken.out, /^BAD {3}device: The GPU cannot be used: the NVIDIA driver is not ready yet/m);
  const stopped = await runProgram(serve('auto'), { environment: early });
  t.equal(stopped.code, 69);
  t.match(stopped.err, /not ready yet.* --device cpu does without it\.$/m);

  const document = join(fixturesDirectory(), 'invoice.pdf');
  for (const words of [['--device', 'cuda'], ['--model-memory', '900000GiB'], []]) {
    const converted = await runProgram(['convert', document, ...words], { environment: words.length > 0 ? environment : early });
    t.equal(converted.code, 0, `a document needs no GPU: ${words.join(' ')} ${converted.err}`);
    t.match(converted.err, /No vision model can be used: /);
    t.ok(converted.out.length > 100);
  }

  const models = await runProgram(['models', 'check', 'lectern-demo', '--device', 'cpu'], { environment });
  t.equal(models.code, 0, models.out + models.err);
  t.notMatch(models.err, /asked/, 'the driver was not even asked for its version');
  t.match((await runProgram(['models', 'check', 'lectern-demo'], { environment })).err, /asked/, 'as it is where a GPU may be used');
});
