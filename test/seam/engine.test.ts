/** The real addon through the port: its verbs, what it refuses, cancelling, closing. */
import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Bitmap } from '../../src/bitmap.js';
import { loadAddon, type LogLevel } from '../../src/engine/addon.js';
import { openEngine } from '../../src/engine/engine.js';
import type { KernelOptions, LineVotesOptions } from '../../src/engine/port.js';
import type { Engine } from '../../src/engine/engine-port.js';
import { LecternError, errorTable } from '../../src/errors.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { textBitmap } from '../support/text-bitmap.js';
import { until } from '../support/until.js';

/** An engine that ends with the test. */
function engineFor(t: Test): Engine {
  const engine = openEngine();
  t.teardown(() => engine.close());
  return engine;
}

function randomBitmap(width: number, height: number, padding = 0): Bitmap {
  const stride = width * 4 + padding;
  const data = Uint8Array.from({ length: stride * height }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 24);
  return { data, width, height, stride };
}

async function failureOf(promise: Promise<unknown>): Promise<LecternError> {
  const failure = await promise.then(() => undefined, (error: unknown) => error);
  if (failure instanceof LecternError) return failure;
  throw new Error('did not reject with a LecternError', { cause: failure });
}

t.test('native code knows the same error codes', async (t) => {
  t.same(loadAddon().errorCodes.toSorted(), Object.keys(errorTable).toSorted());
});

t.test('the engine tells its build and its devices', async (t) => {
  const engine = engineFor(t);
  const build = engine.buildInfo();
  const packageJson = JSON.parse(await readFile(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  t.equal(build.version, packageJson.version);
  t.type(build.cuda, 'boolean');
  t.match(build.instructions, /^(baseline|avx2|avx512)$/);
  const [processor, ...others] = engine.devices();
  t.equal(processor?.kind, 'cpu');
  for (const device of [processor, ...others]) {
    t.ok(device && device.name.length > 0 && device.memoryTotalBytes >= device.memoryFreeBytes && device.memoryFreeBytes > 0);
  }
  t.ok(others.every((device) => device.kind === 'cuda'), `${others.length} CUDA devices`);
  t.comment(`${build.cuda ? 'with' : 'without'} CUDA, ${others.length} CUDA devices, ${build.instructions}`);
});

t.test('the angle of a page', async (t) => {
  const engine = engineFor(t);
  for (const degrees of [-7.5, -0.7, 0, 0.3, 2, 14]) {
    const angle = await engine.deskewAngle(textBitmap(500, 640, degrees));
    t.ok(Math.abs(angle - degrees) <= 0.1, `${degrees}: ${angle}`);
  }
  t.equal(await engine.deskewAngle({ data: new Uint8Array(400 * 300 * 4).fill(255), width: 400, height: 300, stride: 1600 }), 0, 'blank');
  const wide = textBitmap(500, 640, 3, 12);
  t.equal(await engine.deskewAngle(wide), await engine.deskewAngle(textBitmap(500, 640, 3)), 'whatever the stride');
  // A view into a larger buffer, as a shared file of bitmaps would be.
  const shared = new Uint8Array(new SharedArrayBuffer(wide.data.length + 100), 37, wide.data.length);
  shared.set(wide.data);
  t.equal(await engine.deskewAngle({ ...wide, data: shared }), await engine.deskewAngle(wide), 'shared memory at an odd offset');
});

t.test('many calls at once settle in the order they were made', async (t) => {
  const engine = engineFor(t);
  const order: number[] = [];
  const bitmap = textBitmap(300, 200, 1);
  const small = randomBitmap(9, 9);
  await Promise.all(Array.from({ length: 30 }, async (_, i) => {
    await (i % 2 === 0 ? engine.deskewAngle(bitmap) : engine.deskewAngle(small));
    order.push(i);
  }));
  t.same(order, Array.from({ length: 30 }, (_, i) => i));
});

t.test('what does not fit is refused by name, and the engine works on', async (t) => {
  const engine = engineFor(t);
  const good = randomBitmap(20, 10);
  const votes = { network: '/none.onnx', dpi: 300 };
  const bitmaps: [unknown, RegExp][] = [
    [undefined, /bitmap must be an object/],
    [null, /bitmap must be an object/],
    ['bitmap', /bitmap must be an object/],
    [{}, /bitmap\.width/],
    [{ ...good, width: '20' }, /bitmap\.width/],
    [{ ...good, width: 0 }, /bitmap\.width/],
    [{ ...good, width: 2.5 }, /bitmap\.width/],
    [{ ...good, width: 1e9 }, /bitmap\.width/],
    [{ ...good, height: NaN }, /bitmap\.height/],
    [{ ...good, height: -1 }, /bitmap\.height/],
    [{ ...good, height: Infinity }, /bitmap\.height/],
    [{ ...good, stride: 79 }, /bitmap\.stride/],
    [{ ...good, stride: 2 ** 53 }, /bitmap\.stride/],
    [{ ...good, stride: 1e12 }, /bitmap\.data has 800 bytes/],
    [{ ...good, height: 11 }, /bitmap\.data has 800 bytes.* need 880/],
    [{ ...good, data: undefined }, /bitmap\.data must be a Uint8Array/],
    [{ ...good, data: good.data.buffer }, /bitmap\.data must be a Uint8Array/],
    [{ ...good, data: new Float32Array(800) }, /bitmap\.data must be a Uint8Array/],
    [{ ...good, data: new DataView(good.data.buffer) }, /bitmap\.data must be a Uint8Array/],
    [{ ...good, data: [...good.data] }, /bitmap\.data must be a Uint8Array/],
  ];
  for (const [bitmap, message] of bitmaps) {
    for (const call of [engine.deskewAngle(bitmap as Bitmap), engine.lineVotes(bitmap as Bitmap, votes)]) {
      const failure = await failureOf(call);
      t.equal(failure.code, 'invalid_request', failure.message);
      t.match(failure.message, message);
    }
  }
  const options: [object, RegExp][] = [
    [{ ...votes, depth: 3 }, /options\.depth is not a known key/],
    [{ ...votes, network: undefined }, /options\.network must be a text of 1 to 4096 bytes/],
    [{ ...votes, network: 'a\0b' }, /options\.network/],
    [{ ...votes, dpi: undefined }, /options\.dpi must be an integer from 70 to 2400/],
    [{ ...votes, dpi: 69 }, /options\.dpi/],
    [{ ...votes, dpi: NaN }, /options\.dpi/],
    [{ ...votes, dpi: '300' }, /options\.dpi/],
  ];
  for (const [wrong, message] of options) {
    const failure = await failureOf(engine.lineVotes(good, wrong as LineVotesOptions));
    t.equal(failure.code, 'invalid_request', failure.message);
    t.match(failure.message, message);
  }
  t.throws(() => openEngine({ lgo: () => undefined } as object), { code: 'invalid_request', message: /options\.lgo/ });
  t.throws(() => openEngine({ log: 'loud' } as object), { code: 'invalid_request', message: /options\.log must be a function/ });
  t.throws(() => openEngine({ kernels: 'rings' } as object), { code: 'invalid_request', message: /kernels must be an object/ });
  t.throws(() => openEngine({ kernels: { decode: 'ring' } } as object), { code: 'invalid_request', message: /kernels\.decode must be one of registers, rings, tiles/ });
  t.throws(() => openEngine({ kernels: { warpgroup: true } } as object), { code: 'invalid_request', message: /kernels\.warpgroup is not a known key/ });
  t.equal(await engine.deskewAngle(good), 0, 'after all that');
});

t.test('a getter that throws, detaches or closes does no harm', async (t) => {
  const engine = engineFor(t);
  const good = randomBitmap(64, 64);
  const thrown = new Error('from the getter');
  const failure = await failureOf(engine.deskewAngle({ ...good, get width(): number { throw thrown; } }));
  t.equal(failure.code, 'internal');
  t.equal(failure.cause, thrown);

  const data = new Uint8Array(good.data);
  const detached = await failureOf(engine.lineVotes({ ...good, data }, {
    network: '/none.onnx',
    get dpi() {
      structuredClone(data.buffer, { transfer: [data.buffer] });
      return 300;
    },
  }));
  t.match(detached.message, /bitmap\.data has 0 bytes/);

  const other = openEngine();
  const late = await failureOf(other.deskewAngle({
    ...good,
    get height() {
      void other.close();
      return 64;
    },
  }));
  t.equal(late.code, 'invalid_state');
});

t.test('a rejection has a stack of this side and the native error as its cause', async (t) => {
  const failure = await failureOf(engineFor(t).deskewAngle({} as Bitmap));
  t.match(failure.stack, /engine\.test\./);
  t.type(failure.cause, Error);
  t.match(failure.cause, { code: 'invalid_request', message: failure.message });
});

t.test('cancel: before, while it waits, while it runs, after', async (t) => {
  const engine = engineFor(t);
  const page = textBitmap(400, 500, 1);
  const early = await failureOf(engine.deskewAngle(page, { signal: AbortSignal.abort('enough') }));
  t.equal(early.code, 'cancelled');
  t.equal(early.cause, 'enough');

  const large = textBitmap(3000, 3000, 2);
  // A call that ends before its cancellation ran to its end: then another one is cancelled.
  await until('a call was cancelled while it ran', async () => {
    const running = new AbortController();
    const waiting = new AbortController();
    const calls = [
      engine.deskewAngle(large, { signal: running.signal }).then(() => 'done', ({ code }: LecternError) => code),
      engine.deskewAngle(page, { signal: waiting.signal }),
      engine.deskewAngle(page),
    ] as const;
    const withdrawn = failureOf(calls[1]);
    setImmediate(() => running.abort());
    waiting.abort();
    t.equal((await withdrawn).code, 'cancelled');
    t.ok(Math.abs((await calls[2]) - 1) < 0.1, 'the call behind them is served');
    return await calls[0] === 'cancelled';
  });

  const after = new AbortController();
  const found = await engine.deskewAngle(page, { signal: after.signal });
  t.equal(getEventListeners(after.signal, 'abort').length, 0, 'a signal that fires late is heard by nobody');
  after.abort();
  t.equal(await engine.deskewAngle(page), found, 'nor does it end a call that comes after');
  const raw = new (loadAddon().Engine)({});
  await t.rejects(raw.deskewAngle(page, {} as never), { code: 'invalid_request', message: /cancel must be/ });
  await t.rejects(raw.deskewAngle(page, raw as never), { code: 'invalid_request' }, 'an object of ours that is no Cancel');
  await raw.close();
});

t.test('close cancels, waits, may be called twice, and then nothing works', async (t) => {
  const engine = openEngine();
  const page = textBitmap(1240, 1754, 1);
  // Seconds of work, of which next to nothing is done before the cancellation.
  const calls = Array.from({ length: 200 }, () => engine.deskewAngle(page).then(() => 'done', (error: LecternError) => error.code));
  await Promise.all([engine.close(), engine.close()]);
  const outcomes = await Promise.all(calls);
  t.strictSame([...new Set(outcomes)].filter((outcome) => outcome !== 'done'), ['cancelled']);
  t.ok(outcomes.filter((outcome) => outcome === 'cancelled').length >= 100, outcomes.join(' '));
  t.equal((await failureOf(engine.deskewAngle(page))).code, 'invalid_state');
  t.equal((await failureOf(engine.lineVotes(page, { network: '/none.onnx', dpi: 300 }))).code, 'invalid_state');
  t.ok(engine.devices().length >= 1, 'devices are the machine\'s');
  await engine.close();
});

t.test('the log is called, in order, before close settles', async (t) => {
  const lines: [LogLevel, string][] = [];
  const engine = openEngine({ log: (level, message) => lines.push([level, message]) });
  await engine.close();
  t.equal(lines.length, 1);
  t.match(lines[0], ['debug', /Engine opened: version .*, instructions /]);
});

t.test('debug switches of the kernels reach the engine, which logs what they change', async (t) => {
  const changed = async (kernels: KernelOptions): Promise<string[]> => {
    const lines: string[] = [];
    const engine = openEngine({ log: (level, message) => { if (level === 'info') lines.push(message); }, kernels });
    await engine.close();
    return lines;
  };
  t.strictSame(await changed({ decode: 'rings', earlyLaunches: false, warpgroups: false }), ['The CUDA kernels run with debug switches: decode rings, early launches off, warpgroups off.']);
  t.strictSame(await changed({ earlyLaunches: true, warpgroups: true }), []);
});

t.test('jobs on the lane do not hold up the file system', async (t) => {
  const engine = openEngine();
  const page = textBitmap(1240, 1754, 1);
  let ended = 0;
  // Seconds of work. A file that had to wait behind it in libuv's pool would be read when all but a few are done.
  const jobs = Array.from({ length: 400 }, () => engine.deskewAngle(page).then(() => { ended += 1; }, () => undefined));
  await readFile(fileURLToPath(import.meta.url));
  t.ok(ended < 200, `${ended} of 400 jobs were done when the file was read`);
  await engine.close();
  await Promise.all(jobs);
});
