// What `lectern convert` is asked for: languages and engine of pictures of text.
import t from 'tap';
import { readConvertArguments } from '../../src/cli/convert-arguments.js';

t.test('languages of pictures of text: several lists, codes of any form; unknown ones are refused with the list', (t) => {
  t.match(readConvertArguments(['a.png']).options, { ocrLanguages: [], ocrPreset: 'auto' });
  t.match(readConvertArguments(['a.png', '--ocr-lang', 'de, en', '--ocr-lang', 'pt-BR,', '--ocr-preset', 'tesseract']).options, { ocrLanguages: ['de', 'en', 'pt-BR'], ocrPreset: 'tesseract' });
  t.throws(() => readConvertArguments(['a.png', '--ocr-lang', 'en,klingon']), { code: 'invalid_request', message: /^--ocr-lang must be codes of ISO 639 \(af afr .* zh-tw\), not "klingon"\.$/ });
  t.equal(readConvertArguments(['a.png', '--ocr-preset', 'ppocr-russian']).options.ocrPreset, 'ppocr-russian', 'which models there are is known where it is converted');
  t.throws(() => readConvertArguments(['a.png', '--ocr-preset', '']), { code: 'invalid_request', message: /^--ocr-preset must be auto, tesseract or the name of an installed vision model/ });
  t.end();
});
