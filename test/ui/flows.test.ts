// The page at /ui in a real browser: queues, other ways in, models that embed or see, an access list, and what reaches over a restart.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { hashKey } from '../../src/network/access-key.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { browse, inPage, noBrowser } from '../support/browser.js';
import { longPdf } from '../support/long-pdf.js';
import { writeMadeEmbedder, writeMadeModel } from '../support/made-model.js';

const pdf = (name: string): string => join(packageRoot(), 'test/fixtures/pdf', `${name}.pdf`);
const chooser = 'input[type=file][multiple]';
const long = (pages: number, name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from(longPdf(pages)) });

/** Keeps every text by which a document's standing was shown, in `window.standings`. */
const watchStandings = inPage(`(() => {
  window.standings = new Set();
  new MutationObserver(() => { for (const one of document.querySelectorAll('.entries .standing > :first-child')) window.standings.add(one.textContent); }).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`);

async function convert(page: Page, names: string[]): Promise<void> {
  await page.setInputFiles(chooser, names.map(pdf));
  await page.waitForFunction(inPage(`document.querySelectorAll('.entries .state-done').length === ${names.length}`));
}

async function ask(page: Page, question: string): Promise<void> {
  await page.fill('.composer textarea', question);
  await page.keyboard.press('Enter');
}

t.test('with models that write without end, and that embed', { skip: noBrowser, timeout: 600_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-page-'));
  writeMadeModel(join(folder, 'endless.gguf'), { neverEnds: true, context: 60_000 });
  writeMadeEmbedder(join(folder, 'embedder.gguf'), { context: 1024 });
  const site = createServer((_request, response) => response.setHeader('content-type', 'text/markdown').end('# Fetched\n\nFrom elsewhere.\n')).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const service = await browse({ models: [folder], httpSources: [host], workers: 1 });
  t.teardown(async () => { await service.close(); site.close(); rmSync(folder, { recursive: true, force: true }); });

  t.test('documents: place, progress, a reload and a restart while one is at work', async (t) => {
    const { page, faults } = await service.visit();
    await page.evaluate(watchStandings);
    await page.setInputFiles(chooser, [long(100, 'first.pdf'), long(2, 'second.pdf'), long(2, 'third.pdf')]);
    await page.waitForFunction(inPage(`[...window.standings].some((text) => / of 100 · .* pages\\/s · .* left/.test(text)) && [...window.standings].some((text) => /Waits, place \\d/.test(text))`));
    await page.reload();
    await page.waitForSelector('.entries li:has-text("first.pdf") .state-running');
    t.equal(await page.locator('.entries li').count(), 3, 'all three are still there, the long one at work');
    await service.restart();
    await page.waitForFunction(inPage(`document.querySelectorAll('.entries .state-done').length === 3`));
    t.match(await page.textContent('.entries li:has-text("first.pdf")'), /100 pages/);
    t.strictSame(faults, []);
    await page.context().close();
  });

  t.test('a document from an address; presets, tables and each download', async (t) => {
    const { page, faults } = await service.visit();
    await page.fill('input[type=url]', `http://${host}/notes.md`);
    await page.click('button:text-is("Add")');
    await page.waitForSelector('.entries li:has-text("notes.md") .state-done');
    await page.click('.entries a:has-text("notes.md")');
    await page.waitForSelector('.reading :text("From elsewhere.")');
    await page.setInputFiles(chooser, pdf('annual-sidebar'));
    await page.click('.entries a:has-text("annual-sidebar")');
    await page.waitForSelector('.page-image img');
    await page.fill('.page-number input', '2');
    await page.keyboard.press('Enter');
    await page.click('button:text("Copy as CSV")');
    t.match(await page.evaluate(inPage(`navigator.clipboard.readText()`)), /^Year to 31 October,2025,2024,2023,2022,2021\r\nDeposits \(thousand\),"61,940",/);
    t.ok(await page.evaluate(inPage<boolean>(`getComputedStyle([...document.querySelectorAll('td')].find((one) => one.textContent === '57,310')).textAlign === 'right'`)), 'numbers align right');
    for (const [value, what] of [['json', /^\{"schema_name":"DoclingDocument"/], ['html', /^<!DOCTYPE html>[^]*A quiet year/i], ['txt', /A quiet year, and what came of it/], ['doctags', /^<doctag>/]] as const) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.selectOption('select[aria-label=Download]', value)]);
      t.match([download.suggestedFilename(), readFileSync(await download.path(), 'utf8')], [`annual-sidebar.${value}`, what], value);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForSelector('.choice button[aria-pressed=true]:text-is("Text")');
    await page.click('.choice button:text-is("Page")');
    await page.waitForSelector('.page-image img');
    t.strictSame([await page.locator('.choice button[aria-pressed=true]').allTextContents(), await page.locator('.reading').count()], [['Page', 'Read'], 0], 'on a phone one of both is shown, and marked');
    t.strictSame(faults, []);
    await page.context().close();
  });

  t.test('a question to two documents, by embeddings', async (t) => {
    const { page, faults } = await service.visit();
    await convert(page, ['annual-sidebar', 'tables-booktabs', 'paper-two-columns']);
    await page.click('nav a[href="#/ask"]');
    for (const name of ['annual-sidebar.pdf', 'tables-booktabs.pdf']) await page.check(`.sources label:has-text("${name}") input`);
    await page.uncheck('.sources label:has-text("paper-two-columns.pdf") input');
    await page.selectOption('.model-picker select', { index: (await page.locator('.model-picker option').allTextContents()).findIndex((text) => text.startsWith('lectern-demo')) });
    const before = ((await (await fetch(`${service.url}/v1/host`)).json()) as { tasks: { kind: string }[] }).tasks.filter(({ kind }) => kind === 'convert').length;
    const sent: { input: string[] }[] = [];
    page.on('request', (request) => { if (request.url().endsWith('/api/embed')) sent.push(request.postDataJSON() as { input: string[] }); });
    await ask(page, 'bread baked and sold by day');
    await page.waitForSelector('.message-who:has-text("From the nearest passages, by embedder")');
    await page.waitForSelector('.passages li');
    const shown = (await page.locator('.passages li').allTextContents()).map((text) => Number(/· (-?\d+) %/.exec(text)?.[1]));
    const texts = sent.flatMap(({ input }) => input);
    const { embeddings } = await (await fetch(`${service.url}/api/embed`, { method: 'POST', body: JSON.stringify({ model: 'embedder', input: texts }) })).json() as { embeddings: number[][] };
    const cosines = embeddings.slice(1).map((one) => one.reduce((sum, value, at) => sum + value * embeddings[0]![at]!, 0)).sort((a, b) => b - a);
    t.equal(texts[0], 'bread baked and sold by day');
    t.strictSame(shown, cosines.slice(0, shown.length).map((one) => Math.round(one * 100)), 'the nearest ones, best first');
    t.match(texts.join('\n'), /quiet year[^]*Bread baked|Bread baked[^]*quiet year/, 'of both documents');
    t.notMatch(texts.join('\n'), /Moss|thermometer/i, 'and not of the one that is not chosen');
    const after = ((await (await fetch(`${service.url}/v1/host`)).json()) as { tasks: { kind: string }[] }).tasks.filter(({ kind }) => kind === 'convert').length;
    t.equal(after, before, 'nothing was converted again');
    t.strictSame(faults, []);
    await page.context().close();
  });

  t.test('chat: the place in the queue while both slots are taken', async (t) => {
    const { page, faults } = await service.visit('#/chat');
    await page.waitForSelector('.model-picker option:has-text("endless")', { state: 'attached' });
    const stop = new AbortController();
    const hold = async (): Promise<void> => {
      const response = await fetch(`${service.url}/api/generate`, { method: 'POST', signal: stop.signal, body: JSON.stringify({ model: 'endless', prompt: 'the', options: { num_predict: 50_000 } }) });
      await response.body?.getReader().read();
    };
    await Promise.all([hold(), hold()]);
    await page.selectOption('.model-picker select', { index: (await page.locator('.model-picker option').allTextContents()).findIndex((text) => text.startsWith('lectern-demo')) });
    await ask(page, 'What can you do?');
    await page.waitForSelector('.message.assistant [role=status]:has-text("Waits, place 1 in the queue")');
    stop.abort();
    await page.waitForSelector('.message.assistant .stats');
    t.match(await page.textContent('.message.assistant .prose'), /\w+ \w+/, 'it has its turn when a slot is free');
    t.strictSame(faults, []);
    await page.context().close();
  });

  t.test('images go to a model that sees, and to no other', async (t) => {
    const { page, faults } = await service.visit();
    await page.route('**/api/tags', async (route) => {
      const response = await route.fetch();
      const body = await response.json() as { models: { name: string; capabilities: string[] }[] };
      for (const one of body.models) if (one.name.startsWith('endless')) one.capabilities.push('vision');
      await route.fulfill({ response, json: body });
    });
    const bodies: { messages: { content: { type: string; image_url?: { url: string } }[] }[] }[] = [];
    await page.route('**/v1/chat/completions', (route) => { bodies.push(route.request().postDataJSON() as never); return route.fulfill({ contentType: 'text/event-stream', body: 'data: {"choices":[{"delta":{"content":"A dot."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' }); });
    await page.click('nav a[href="#/chat"]');
    const pick = async (name: string): Promise<void> => { await page.selectOption('.model-picker select', { index: (await page.locator('.model-picker option').allTextContents()).findIndex((text) => text.startsWith(name)) }); };
    await page.waitForSelector('.model-picker option:has-text("endless")', { state: 'attached' });
    await pick('lectern-demo');
    await page.waitForSelector('.model-picker :text("chat · 1.44M")');
    t.equal(await page.locator('.composer input[type=file]').count(), 0, 'no images for a model that does not see');
    await pick('endless');
    await page.waitForSelector('.model-picker :text("chat, images")');
    const dot = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    await page.setInputFiles('.composer input[type=file]', { name: 'dot.png', mimeType: 'image/png', buffer: dot });
    await page.waitForSelector('.composer img.attached');
    await ask(page, 'What is it?');
    await page.waitForSelector('.message.assistant :text("A dot.")');
    t.strictSame(bodies[0]?.messages.at(-1)?.content, [{ type: 'image_url', image_url: { url: `data:image/png;base64,${dot.toString('base64')}` } }, { type: 'text', text: 'What is it?' }]);
    t.strictSame(faults, []);
    await page.context().close();
  });
});

t.test('with an access list', { skip: noBrowser, timeout: 600_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-page-'));
  const accessList = join(folder, 'access');
  writeFileSync(accessList, ['role guest', '127.0.0.0/8 guest', '10.1.0.0/16 researcher', ...['anna researcher', 'bert researcher', 'boss administrator'].map((one) => `key ${one} ${hashKey(`lk-${one.split(' ')[0]}`)}`)].join('\n'));
  const service = await browse({ accessList });
  t.teardown(async () => { await service.close(); rmSync(folder, { recursive: true, force: true }); });
  const enter = async (key: string) => {
    const visit = await service.visit('#/host');
    await visit.page.waitForSelector('dialog input[type=password]');
    await visit.page.fill('dialog input[type=password]', key);
    await visit.page.keyboard.press('Enter');
    return visit;
  };

  const anna = await enter('lk-anna');
  await anna.page.click('nav a[href="#/documents"]');
  await anna.page.setInputFiles(chooser, { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes of Anna') });
  await anna.page.waitForSelector('.entries .state-done');
  await anna.page.click('nav a[href="#/host"]');
  await anna.page.waitForSelector('.host-head :text("You are key anna")');
  await anna.page.waitForSelector('h2:text-is("Your tasks")');
  t.match(await anna.page.textContent('.host'), /Your tasks.*convert.*Done/s);
  const bert = await enter('lk-bert');
  await bert.page.waitForSelector('.host-head :text("You are key bert")');
  t.match(await bert.page.textContent('.host'), /Your tasksThere are none\./, 'no task of another caller');
  t.strictSame([await bert.page.locator('.charts').count(), await bert.page.locator('h2:text-is("Access")').count(), await bert.page.locator('h2:text-is("Requests that failed")').count()], [0, 0, 0]);

  const boss = await enter('lk-boss');
  await boss.page.waitForSelector('.host-head :text("You are key boss, an administrator")');
  const whole = await boss.page.textContent('.host');
  t.match(whole, /Tasks.*convert.*key anna.*Done/s);
  t.match(whole, /Key of anna.*researcher/s);
  t.match(whole, /Requests that failed.*403.*GET \/v1\/host.*127\.0\.0\.1.*may not use this service.*[0-9a-f-]{20,}/s, 'failed requests by their id');
  t.notMatch(whole, /lk-|sha256/, 'no key and no hash');
  const test = async (address: string, key: string, verdict: string): Promise<void> => {
    await boss.page.fill('input[aria-label="Address to test"]', address);
    await boss.page.fill('input[aria-label="Key, if any"]', key);
    await boss.page.click('button:text-is("Would it get in?")');
    const said = boss.page.locator(`.host [role=status]:text-is("${verdict}")`);
    await said.waitFor();
    t.equal(await said.count(), 1, verdict);
  };
  await test('10.1.2.3', '', '10.1.2.3 gets in as researcher.');
  await test('10.2.2.3', '', '10.2.2.3 does not get in: no line of the list fits.');
  await test('10.2.2.3', 'lk-anna', 'key anna gets in as researcher.');
  for (const { faults } of [anna, bert, boss]) t.strictSame(faults, []);
});
