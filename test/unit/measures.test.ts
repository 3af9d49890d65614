// Numbers of benchmarks: as lines, held against an earlier run, and read out of what native_bench prints.
import t from 'tap';
import { decodeRate } from '../../src/client/measure-service.js';
import { measuresOfText } from '../../bench/kernels.js';
import { compare, jsonLines, type BenchmarkMeasure, parseLines, parseShare } from '../../src/client/measures.js';

const before: BenchmarkMeasure[] = [
  { name: 'speed', value: 100, unit: 'tokens/s', better: 'more' },
  { name: 'wait', value: 10, unit: 'ms', better: 'less' },
];
const now = (speed: number, wait: number): BenchmarkMeasure[] => before.map((measure, index) => ({ ...measure, value: [speed, wait][index] as number }));

t.test('a loss is what went the wrong way by more than may be', async (t) => {
  const worse = (speed: number, wait: number, loss = 0.1): number => compare(before, now(speed, wait), loss).worse;
  t.strictSame([worse(100, 10), worse(91, 10.9), worse(200, 1)], [0, 0, 0], 'as good, a little worse, better');
  t.strictSame([worse(89, 10), worse(100, 11.1), worse(89, 11.1)], [1, 1, 2]);
  t.strictSame([worse(80, 12, 0.25), worse(70, 12, 0.25)], [0, 1]);
  t.match(compare(before, now(50, 10), 0.1).lines, [/^speed .*100 -> .*50\.0 tokens\/s {2}-50\.0 % {2}WORSE$/, /^wait .*0\.0 %$/]);
  t.strictSame(compare(before, [before[0] as BenchmarkMeasure], 0.1).missing, ['wait'], 'what is not measured is reported');
  t.equal(compare([{ ...before[1] as BenchmarkMeasure, value: 0 }], [before[1] as BenchmarkMeasure], 10).worse, 1, 'from nothing to something');
});

t.test('lines there and back', async (t) => {
  t.strictSame(parseLines(`{"bench":"http","machine":{}}\n${jsonLines('http', before)}`, 'http', 'file'), before);
  t.throws(() => parseLines(jsonLines('llm', before), 'http', 'old.jsonl'), { code: 'invalid_request', message: /old\.jsonl holds no measures of the benchmark http/ });
  t.throws(() => parseLines('{"bench"', 'http', 'old.jsonl'), { code: 'invalid_request' });
  t.strictSame(['10%', '0.1', '0'].map(parseShare), [0.1, 0.1, 0]);
  for (const text of ['', 'ten', '-1', '10 %%']) t.throws(() => parseShare(text), { code: 'invalid_request' }, text);
});

t.test('what native_bench prints', async (t) => {
  const text = 'instructions: avx512\nresize, A4 to 640 x 640      best    8.39 ms  median   17.57 ms     259 Mpixel/s\n'
    + '  grammar, schema   next answer   932 tokens: mask median    2.8 us, max   334.4 us\nprefill 512    650.1 tokens/s\nprefill 512    640.5 tokens/s\n';
  t.strictSame(measuresOfText(text), [
    { name: 'resize, A4 to 640 x 640', value: 8.39, unit: 'ms', better: 'less' },
    { name: 'grammar, schema next answer 932 tokens: mask', value: 2.8, unit: 'us', better: 'less' },
    { name: 'prefill 512', value: 650.1, unit: 'tokens/s', better: 'more' },
    { name: 'prefill 512 (2)', value: 640.5, unit: 'tokens/s', better: 'more' },
  ]);
});

t.test('answers too short to tell how fast they came are no measure', async (t) => {
  const answer = (tokens: number, decodeMs: number) => ({ firstMs: 50, tokens, decodeMs });
  t.ok(Number.isNaN(decodeRate([answer(2, 0.02), answer(15, 0.1), answer(64, 0.5)])));
  t.equal(decodeRate([answer(2, 0.02), answer(17, 1600), answer(33, 1600), answer(65, 1600)]), 20, 'of the others the median');
});
