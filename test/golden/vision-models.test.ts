/** An installed model that reads text, from its files to the markdown: through the service, its worker, and the memory of all models. */
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { pageOfBars, writeTextReader } from '../support/network-files.js';
import { startService } from '../support/start-service.js';

const models = t.testdir();
writeTextReader(join(models, 'bars'), { recognition: { languages: ['ell'] } });
const service = await startService({ models: [models], workers: 1, strictOptions: true });
t.teardown(() => service.close());

const bars = ['cbaabcbc', 'cbcbcbcbc', 'cbabc', 'cbccbabcbc'];
const page = pageOfBars(bars, 800, 600);
const png = await sharp(page.data, { raw: { width: page.width, height: page.height, channels: 4 } }).withMetadata({ density: 150 }).png().toBuffer();

async function convert(fields: Record<string, string>): Promise<{ status: number; text: string; body: string }> {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(png)]), 'bars.png');
  for (const [name, value] of Object.entries({ to_formats: 'json', ...fields })) form.append(name, value);
  const answer = await fetch(`${service.url}/v1/convert/file`, { method: 'POST', body: form });
  const body = await answer.text();
  return { status: answer.status, body, text: [...body.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text).join('\n') };
}

t.test('named in ocr_preset it reads the page, and the answer says so', async (t) => {
  const { status, text, body } = await convert({ ocr_preset: 'BARS' });
  t.equal(status, 200, body.slice(0, 500));
  // Equal letters side by side are one to CTC.
  for (const line of bars) t.ok(text.includes(line.replace(/(.)\1/g, '$1')), `${line} is in ${text}`);
  t.match(body, /"lectern__text_recogniser":"bars"/);
});

t.test('without a preset it reads the languages that ours does not and its card names; other names are refused with what there is', async (t) => {
  t.match((await convert({ ocr_lang: 'el' })).body, /"lectern__text_recogniser":"bars"/);
  const { status, body } = await convert({ ocr_preset: 'nobody' });
  t.equal(status, 422);
  t.match(body, /Allowed values: \['auto', .*'tesserocr', 'bars'\]/);
});
