/** A headless Chromium that prints pages, driven over a pipe by its DevTools protocol. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

interface Reply {
  id?: number;
  method?: string;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { message: string };
}

const EXECUTABLE = process.env['LECTERN_CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--disable-gpu', '--no-first-run', '--disable-extensions', '--disable-background-networking', '--disable-dev-shm-usage',
  '--hide-scrollbars', '--mute-audio', '--font-render-hinting=none', '--disable-sync', '--disable-component-update', '--disable-default-apps', '--allow-file-access-from-files',
  '--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider', '--host-resolver-rules=MAP * ~NOTFOUND',
];
/** Milliseconds until a command counts as failed: a page that hangs must not stop the batch. */
const COMMAND_LIMIT = 60_000;

export class Chromium {
  #process: ChildProcess;
  #profile: string;
  #commands: Writable;
  #sent = 0;
  #waiting = new Map<number, { resolve: (result: Record<string, unknown>) => void; reject: (reason: Error) => void; timer: NodeJS.Timeout }>();
  #parts: Buffer[] = [];

  constructor() {
    this.#profile = mkdtempSync(join(tmpdir(), 'documents-chromium-'));
    this.#process = spawn(EXECUTABLE, [...FLAGS, `--user-data-dir=${this.#profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.#commands = this.#process.stdio[3] as Writable;
    this.#commands.on('error', () => undefined);
    (this.#process.stdio[4] as Readable).on('data', (data: Buffer) => this.#receive(data));
    this.#process.on('error', (cause) => this.#fail(`Chromium could not be started (${EXECUTABLE}): ${cause.message}`));
    this.#process.on('exit', (code) => this.#fail(`Chromium ended (${code}).`));
  }

  async openTab(): Promise<Tab> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return Tab.open(this, sessionId as string);
  }

  send(method: string, params: Record<string, unknown> = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++this.#sent;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method} took more than ${COMMAND_LIMIT} ms.`));
      }, COMMAND_LIMIT);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#commands.write(`${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`);
    });
  }

  /** Processor milliseconds of all its processes so far. */
  async processorTime(): Promise<number> {
    const { processInfo } = await this.send('SystemInfo.getProcessInfo');
    return (processInfo as { cpuTime: number }[]).reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#process.once('exit', () => resolve()));
    if (this.#process.exitCode === null) {
      await this.send('Browser.close').catch(() => this.#process.kill('SIGKILL'));
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000).unref())]);
      if (this.#process.exitCode === null) this.#process.kill('SIGKILL');
    }
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 3 });
  }

  #receive(data: Buffer): void {
    let start = 0;
    for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0, start)) {
      this.#parts.push(data.subarray(start, end));
      const reply = JSON.parse(Buffer.concat(this.#parts).toString()) as Reply;
      this.#parts = [];
      start = end + 1;
      const waiting = this.#waiting.get(reply.id ?? 0);
      if (waiting === undefined) continue;
      this.#waiting.delete(reply.id!);
      clearTimeout(waiting.timer);
      if (reply.error !== undefined) waiting.reject(new Error(reply.error.message));
      else waiting.resolve(reply.result ?? {});
    }
    this.#parts.push(data.subarray(start));
  }

  #fail(message: string): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(message));
    }
    this.#waiting.clear();
  }
}

export class Tab {
  #browser: Chromium;
  #session: string;
  #frame: string;

  private constructor(browser: Chromium, session: string, frame: string) {
    this.#browser = browser;
    this.#session = session;
    this.#frame = frame;
  }

  static async open(browser: Chromium, session: string): Promise<Tab> {
    const { frameTree } = await browser.send('Page.getFrameTree', {}, session);
    return new Tab(browser, session, (frameTree as { frame: { id: string } }).frame.id);
  }

  /** Replaces the document, and waits for its pictures and fonts. */
  async show(html: string): Promise<void> {
    await this.#browser.send('Page.setDocumentContent', { frameId: this.#frame, html }, this.#session);
    if (/<img|@font-face|url\(/u.test(html)) {
      await this.evaluate('Promise.all([document.fonts.ready,...[...document.images].map((i)=>i.decode().catch(()=>0))]).then(()=>0)');
    }
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#browser.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, this.#session);
    if (exceptionDetails !== undefined) throw new Error(`The script failed: ${JSON.stringify(exceptionDetails).slice(0, 300)}`);
    return (result as { value?: unknown }).value;
  }

  async print(): Promise<Buffer> {
    const { data } = await this.#browser.send('Page.printToPDF', { printBackground: true, preferCSSPageSize: true, generateTaggedPDF: false }, this.#session);
    return Buffer.from(data as string, 'base64');
  }

  /** A PNG picture of a document, twice as many pixels as CSS pixels. */
  async photograph(html: string, width: number, height: number): Promise<Buffer> {
    await this.#browser.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 2, mobile: false }, this.#session);
    await this.show(html);
    const { data } = await this.#browser.send('Page.captureScreenshot', { format: 'png' }, this.#session);
    return Buffer.from(data as string, 'base64');
  }
}
