// Eight pictures of the page for people to judge (docs/page.md), in build/screenshots: with SCREENSHOTS=1, or in the long form.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { packageRoot } from '../../src/platform/package-files.js';
import { browse, noBrowser } from '../support/browser.js';
import { longPdf } from '../support/long-pdf.js';

const directory = join(packageRoot(), 'build/screenshots');
const pdf = (name: string): string => join(packageRoot(), 'test/fixtures/pdf', `${name}.pdf`);
const skip = noBrowser === false && process.env['SCREENSHOTS'] === undefined && process.env['CI_FULL'] === undefined ? 'they are taken with SCREENSHOTS=1 or CI_FULL=1' : noBrowser;

async function open(page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.setInputFiles('input[type=file][multiple]', file);
  await page.waitForSelector('.entries .state-done');
  await page.click('.entries a');
  await page.waitForSelector('.block');
  await page.waitForTimeout(1500);
}

t.test('eight pictures', { skip, timeout: 900_000 }, async (t) => {
  const service = await browse();
  t.teardown(() => service.close());
  mkdirSync(directory, { recursive: true });
  const shoot = async (page: Page, name: string): Promise<void> => {
    const picture = await page.screenshot({ path: join(directory, `${name}.png`) });
    // A page of one colour packs to a few thousand bytes.
    t.ok(picture.length > 10_000, `${name}: ${picture.length} bytes`);
  };
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await service.visit('', { colorScheme });
    await open(page, pdf('annual-sidebar'));
    await page.click('.box.kind-text >> nth=1');
    await shoot(page, colorScheme);
    if (colorScheme === 'light') {
      await page.hover('.page[aria-label="Page 2"] td >> nth=3');
      await page.waitForTimeout(300);
      await shoot(page, 'table-hover');
      await page.click('a:text-is("Ask about it")');
      await page.waitForSelector('.ask .page-image img');
      await page.fill('.composer textarea', 'How many members does the society have?');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.ask .stats', { timeout: 300_000 });
      await page.click('.cite >> nth=0', { timeout: 2000 }).catch(() => page.click('.passages button >> nth=0'));
      await page.waitForTimeout(1000);
      await shoot(page, 'ask');
    }
    await page.context().close();
  }
  const phone = await service.visit('', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  await open(phone.page, pdf('tables-booktabs'));
  await shoot(phone.page, 'phone');
  const { page } = await service.visit();
  await open(page, { name: 'long.pdf', mimeType: 'application/pdf', buffer: Buffer.from(longPdf(200)) });
  await page.fill('.page-number input', '117');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.page[aria-label="Page 117"] .page-image img');
  await page.waitForTimeout(300);
  await shoot(page, 'long-document');
  await page.click('nav a[href="#/chat"]');
  await page.fill('.composer textarea', 'How do I convert a PDF with curl?');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.message.assistant .stats', { timeout: 300_000 });
  await shoot(page, 'chat');
  await page.click('nav a[href="#/host"]');
  await page.waitForTimeout(9000);
  await shoot(page, 'host');
});
