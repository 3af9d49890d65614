/** A real browser on a service of its own: Debian's chromium, driven by playwright-core. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createLog } from '../../src/logging/log.js';
import { pageDirectory } from '../../src/http/page/files.js';
import { createApp, type App } from '../../src/program/app.js';
import { resolveSettings, type Settings } from '../../src/settings/settings.js';

/** Where Debian, Ubuntu and Google put it. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place)) ?? '/usr/bin/chromium';

/** Why no browser can be driven here; false where one can. For `skip` of a test. */
export const noBrowser: string | false = !existsSync(program) ? `${program} is missing: apt-get install chromium, or name one with CHROMIUM`
  : pageDirectory() === undefined ? 'the page is not built: npm run compile' : false;

export interface Visit {
  page: Page;
  /** What went wrong in the page: failures of scripts, refusals of the policy, addresses of other hosts, dialogs. */
  faults: string[];
}

export interface BrowsedService {
  url: string;
  /** A fresh profile of a browser, at a place of the page. */
  visit(place?: string, options?: BrowserContextOptions): Promise<Visit>;
  /** Ends the service, and starts it again at the same address with the same state. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** With the models that ship with the program, those of the directory MODELS, and those of the settings. */
export async function browse(settings: Partial<Settings> = {}): Promise<BrowsedService> {
  const state = await mkdtemp(join(tmpdir(), 'lectern-browsed-'));
  const defaults = resolveSettings([], { HOME: state }).values;
  const models = [...settings.models ?? [], ...(process.env['MODELS'] === undefined ? defaults.models : [process.env['MODELS']])];
  const start = async (port: number): Promise<{ app: App; url: string }> => {
    const app = await createApp({ ...defaults, ...settings, models, listen: [{ host: '127.0.0.1', port }], state }, createLog('silent'));
    const [url] = await app.listen();
    return { app, url: url as string };
  };
  let { app, url } = await start(0);
  const browser: Browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  return {
    url,
    visit: async (place = '', options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const page = await context.newPage();
      // Machines that test run many things at a time.
      page.setDefaultTimeout(150_000);
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => { if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text()); });
      page.on('dialog', (dialog) => { if (dialog.type() === 'alert') faults.push(`alert: ${dialog.message()}`); void dialog.accept(); });
      page.on('request', (request) => { if (!request.url().startsWith(url) && !/^(?:blob|data):/.test(request.url())) faults.push(`asks ${request.url()}`); });
      await page.goto(`${url}/ui/${place}`);
      return { page, faults };
    },
    restart: async () => {
      const { port } = new URL(url);
      await app.close();
      ({ app, url } = await start(Number(port)));
    },
    close: async () => {
      await browser.close();
      await app.close();
      await rm(state, { recursive: true, force: true });
    },
  };
}

/** A function that runs in the page: this project's own programs are compiled without the names of browsers. The page's policy forbids the text itself to be run there. */
export function inPage<T>(expression: string): () => T {
  return new Function(`return (${expression})`) as () => T;
}
