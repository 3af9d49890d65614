/** What `lectern doctor` checks of the machine: the program's own parts, the GPU and its driver, memory. */
import { accessSync, constants, existsSync, readFileSync, readdirSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import type { Settings } from '../settings/settings.js';
import { findLibreOffice, isRecogniser, installedRecognisers, missingOfficeParts } from '../convert/installed.js';
import { loadAddon } from '../engine/addon.js';
import { openEngine } from '../engine/engine.js';
import type { DeviceInfo } from '../engine/port.js';
import { LecternError } from '../errors.js';
import { describeBytes } from '../models/fit.js';
import { carriedConnections, openFilesLimit } from '../network/connection-limit.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { confineWorkers } from '../program/worker-confinement.js';
import { workerCommand } from '../program/worker-command.js';
import type { Finding } from './examine-directories.js';

/** The addon, the PDF engine and the image library load. */
export async function examineProgram(): Promise<Finding[]> {
  const parts: [string, () => Promise<string>][] = [
    ['native engine', async () => {
      const { version, cuda, instructions } = loadAddon().buildInfo();
      return `${version}, ${cuda ? 'with' : 'without'} CUDA, ${instructions}`;
    }],
    ['PDF engine', async () => {
      await (await import('../pdf/pdfium.js')).sharedPdfium();
      return 'loads';
    }],
    ['image library', async () => `libvips ${(await import('sharp')).default.versions.vips}`],
  ];
  return Promise.all(parts.map(async ([name, look]): Promise<Finding> => {
    try {
      return { state: 'good', what: `${name}: ${await look()}` };
    } catch (thrown) {
      const advice = thrown instanceof LecternError ? thrown.message : 'the installation is damaged, or lies where nothing may be run (noexec): copy the program again, or run npm install';
      const [sentence] = (thrown as Error).message.split('\n');
      return { state: 'bad', what: thrown instanceof LecternError ? `${name}: cannot be loaded` : `${name}: ${sentence}`, advice };
    }
  }));
}

/** What keeps conversion processes from the rest of the machine. */
export function examineConfinement({ workerSandbox, models }: Pick<Settings, 'workerSandbox' | 'models'>): Finding[] {
  let report;
  try {
    report = confineWorkers(workerSandbox, models, workerCommand());
  } catch {
    // examineProgram reports the missing addon.
    return [];
  }
  const what = `worker sandbox: ${report.what}`;
  if (workerSandbox === 'off') return [{ state: 'note', what, advice: 'a document that takes its conversion process over reads and sends what this user can; leave the setting out' }];
  return report.missing === null ? [{ state: 'good', what }] : [{ state: 'note', what, advice: report.missing }];
}

/** What reads scans and the office formats before 2007, where it is installed. */
export async function examineConversion(environment: Record<string, string | undefined>): Promise<Finding[]> {
  const office = findLibreOffice(environment['PATH'] ?? '');
  return [await examineRecogniser(environment), office !== null
    ? examineOffice(office)
    : { state: 'note', what: 'LibreOffice: not installed, DOC, XLS and PPT are skipped', advice: 'Debian: apt-get install libreoffice' }];
}

function examineOffice(office: string): Finding {
  const missing = missingOfficeParts(office);
  if (missing.length === 0) return { state: 'good', what: `LibreOffice: ${office}` };
  const lost = missing.map(({ name, legacy }) => `${name} for ${legacy.toUpperCase()}`).join(' and ');
  return { state: 'note', what: `LibreOffice: ${office}, without ${lost}`, advice: `Debian: apt-get install ${missing.map((part) => part.package).join(' ')}` };
}

async function examineRecogniser(environment: Record<string, string | undefined>): Promise<Finding> {
  let engine;
  try {
    engine = openEngine();
  } catch {
    return { state: 'note', what: 'text recognition: cannot be looked at without the native engine' };
  }
  try {
    const opened = engine;
    const found = await installedRecognisers(() => opened, environment, shippedModelsDirectory()).find('auto', []);
    if (isRecogniser(found)) return { state: 'good', what: `text recognition: ${found.name}` };
    return { state: 'note', what: `text recognition: ${found.reason}; scans stay pictures`, advice: 'Debian: apt-get install libtesseract5 tesseract-ocr-eng, one package a language' };
  } finally {
    await engine.close();
  }
}

/** The driver as the kernel has it, the device files, and what the engine can use of it. */
export function examineDevices({ device }: Pick<Settings, 'device'>): Finding[] {
  if (device === 'cpu') return [{ state: 'good', what: 'device: the processor, as --device cpu says' }];
  const driver = readDriver();
  let addon;
  try {
    addon = loadAddon();
  } catch {
    // examineProgram reports it.
    return [];
  }
  let devices: DeviceInfo[];
  try {
    devices = addon.devices(true);
  } catch (thrown) {
    return [{ state: 'bad', what: `device: ${(thrown as Error).message}`, advice: 'the service does not start so; --device cpu does without the GPU' }];
  }
  const gpus = devices.filter(({ kind }) => kind === 'cuda');
  const findings: Finding[] = gpus.map(({ name, memoryTotalBytes, memoryFreeBytes }) => {
    const what = `device: ${name}, ${describeBytes(memoryFreeBytes)} of ${describeBytes(memoryTotalBytes)} free`;
    return memoryFreeBytes < memoryTotalBytes / 2
      ? { state: 'note', what, advice: 'other programs hold more than half of its memory; `nvidia-smi` names them' }
      : { state: 'good', what };
  });
  if (driver !== null) findings.unshift({ state: 'good', what: `driver: ${driver}` });
  if (gpus.length > 0) return findings;
  const why = adviceOf(driver, addon.whyNoGpu());
  if (device !== 'cuda') return [...findings, { ...why, what: 'device: no GPU is usable, the processor does the work' }];
  return [...findings, { state: 'bad', what: 'device: no GPU is usable, and with --device cuda the service does not start without one', advice: `${why.advice}; or leave --device at auto` }];
}

/** `driver` as the kernel has it: where it is loaded a GPU was meant to be used. */
function adviceOf(driver: string | null, why: string): Required<Omit<Finding, 'what'>> {
  if (driver === null) return { state: 'note', advice: why };
  const closed = deviceFiles().filter((path) => !isOpenTo(path));
  if (closed.length > 0) return { state: 'bad', advice: `${closed.join(', ')} may not be opened by this user; add it to the group that owns them` };
  return { state: 'bad', advice: why };
}

/** null: there is none. */
function readDriver(): string | null {
  try {
    return /(NVIDIA UNIX.*?)\s{2,}(\S+)/.exec(readFileSync('/proc/driver/nvidia/version', 'utf8'))?.slice(1).join(' ') ?? 'of an unknown version';
  } catch {
    return null;
  }
}

function deviceFiles(): string[] {
  if (!existsSync('/dev')) return [];
  return readdirSync('/dev').filter((name) => /^nvidia(\d+|ctl|-uvm)$/.test(name)).map((name) => `/dev/${name}`);
}

function isOpenTo(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** As many connections as the settings allow, of a process that is started as this one was. */
export function examineOpenFiles(settings: Settings, limit = openFilesLimit()): Finding {
  const { short } = carriedConnections(settings, limit);
  if (short !== null) return { state: 'note', what: `connections: ${short.what}`, advice: short.advice };
  return { state: 'good', what: `connections: ${settings.maxConnections} on each address, of ${limit === Infinity ? 'any number of' : limit} open files` };
}

/** What the conversion processes may take at most, against what is there. */
export function examineMemory({ workers, workerMemory }: Settings): Finding[] {
  const need = workers * workerMemory;
  const what = `memory: ${describeBytes(freemem())} of ${describeBytes(totalmem())} free; ${workers} conversion processes may take ${describeBytes(need)}`;
  if (need <= totalmem() * 0.75) return [{ state: 'good', what }];
  return [{ state: 'note', what, advice: 'large documents side by side may run the machine short: lower --workers or --worker-memory' }];
}
