/** Which reader of text a request gets: ours, or the system's Tesseract. */
import { join } from 'node:path';
import t from 'tap';
import { findOwnNetwork, installedRecognisers, ownRecognisers, shippedLineVoting } from '../../src/convert/ocr/own.js';
import type { TextRecogniser } from '../../src/convert/ocr/recogniser.js';
import type { LineVotesOptions, ReadPage, RecogniseTextOptions } from '../../src/engine/port.js';
import { LecternError } from '../../src/errors.js';

const nothing: ReadPage = { lines: [], rulings: [] };
const bitmap = { data: new Uint8Array(4), width: 1, height: 1, stride: 4 };

function readers(tesseract: boolean): { seen: string[]; tesseractVersion(): Promise<string>; readText(): Promise<ReadPage>; recogniseText(page: unknown, options: { network: string; dpi: number }): Promise<ReadPage> } {
  const seen: string[] = [];
  return {
    seen,
    tesseractVersion: async () => {
      if (!tesseract) throw new LecternError('not_found', 'Tesseract is not installed.');
      return '5.3.0';
    },
    readText: async () => (seen.push('tesseract'), nothing),
    recogniseText: async (_, { network, dpi }) => (seen.push(`${network} ${dpi}`), nothing),
  };
}

t.test('auto takes ours for its languages, then what the system has; tesseract means tesseract', async (t) => {
  const data = t.testdir({ tessdata: { 'eng.traineddata': '', 'rus.traineddata': '' }, models: { 'lectern-recogniser.onnx': '', 'lectern-recogniser.json': '{"languages":["deu","eng"]}' } });
  const environment = { TESSDATA_PREFIX: join(data, 'tessdata') };
  const reader = readers(true);
  const installed = installedRecognisers(() => reader, environment, join(data, 'models'));
  const name = async (preset: string, asked: string[]): Promise<string> => {
    const found = await installed.find(preset, asked);
    return 'reason' in found ? found.reason : found.name;
  };
  t.equal(await name('auto', []), 'lectern-recogniser');
  t.equal(await name('easyocr', ['de', 'eng']), 'lectern-recogniser');
  t.equal(await name('auto', ['en-GB']), 'lectern-recogniser');
  t.equal(await name('auto', ['ru', 'en']), 'tesseract 5.3.0 (rus+eng)');
  t.match(await name('auto', ['ja']), /^lectern-recogniser does not read ja, only deu, eng; Tesseract has no data for ja, .*install tesseract-ocr-jpn\)$/u, 'neither reads it: what ours reads is told, and what to install');
  t.equal(await name('tesseract', []), 'tesseract 5.3.0 (eng)');
  await (await installed.find('auto', []) as TextRecogniser).read(bitmap, 300, new AbortController().signal);
  t.same(reader.seen, [`${join(data, 'models', 'lectern-recogniser.onnx')} 300`]);
});

t.test('without our network, or with a broken card, the system\'s reader stays', async (t) => {
  const data = t.testdir({ tessdata: { 'eng.traineddata': '' }, empty: {}, broken: { 'lectern-recogniser.onnx': '', 'lectern-recogniser.json': '{' }, half: { 'lectern-recogniser.onnx': '' } });
  const environment = { TESSDATA_PREFIX: join(data, 'tessdata') };
  for (const directory of ['empty', 'half']) {
    t.equal(findOwnNetwork(join(data, directory)), null, directory);
    t.match(await ownRecognisers(() => readers(true), join(data, directory)).find('auto', []), { reason: 'no text recogniser is installed' });
  }
  for (const directory of ['empty', 'half', 'broken']) t.match(await installedRecognisers(() => readers(true), environment, join(data, directory)).find('auto', []), { name: 'tesseract 5.3.0 (eng)' }, directory);
  t.match(await installedRecognisers(() => readers(false), {}, join(data, 'empty')).find('auto', []), { reason: /./u });
});

t.test('ours is given what else ships: the detector always, the network that tells orientations where only an upright page is wanted', async (t) => {
  const models = t.testdir({ 'lectern-recogniser.onnx': '', 'lectern-recogniser.json': '{"languages":["eng"]}', 'lectern-detector.onnx': '', 'lectern-orientation.onnx': '' });
  const seen: RecogniseTextOptions[] = [];
  const asked: LineVotesOptions[] = [];
  const votes = { upright: 3, turned: 1, neither: 0, lines: 1 };
  const reader = { recogniseText: async (_: unknown, options: RecogniseTextOptions) => (seen.push(options), nothing), lineVotes: async (_: unknown, options: LineVotesOptions) => (asked.push(options), votes) };
  const found = await ownRecognisers(() => reader, models).find('auto', []) as TextRecogniser;
  const { signal } = new AbortController();
  for (const onlyUpright of [undefined, false, true]) await found.read(bitmap, 200, signal, onlyUpright);
  t.same(seen.map(({ detector }) => detector), Array.from({ length: 3 }, () => join(models, 'lectern-detector.onnx')));
  t.same(seen.map(({ orientation }) => orientation), [undefined, undefined, join(models, 'lectern-orientation.onnx')]);
  t.same(await shippedLineVoting(() => reader, models)?.(bitmap, 150, signal), votes);
  t.match(asked, [{ network: join(models, 'lectern-orientation.onnx'), dpi: 150 }]);
  t.equal(shippedLineVoting(() => reader, t.testdirName + '-none'), null);
});
