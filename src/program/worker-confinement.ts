/** What conversion workers, and the processes that prepare requests, may open and call: their program, what reads documents, and the directories of their own jobs. Nothing of the network, of other tasks, of settings and keys. */
import { readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { findLibreOffice, findReader } from '../convert/installed.js';
import { confinementSupport, confiningProgram } from '../engine/confinement.js';
import type { Log } from '../logging/log.js';
import { nativeDirectory } from '../platform/native-files.js';
import { packageRoot } from '../platform/package-files.js';
import type { Settings } from '../settings/settings.js';
import type { AllowedPaths, WorkerConfinement } from '../workers/confinement.js';
import type { WorkerCommand } from '../workers/worker-command.js';
import { officeSocketDirectories } from './office-sockets.js';

/** Of the package: no state, and no version control, that may lie beside them. */
const ownFiles = ['package.json', 'enter.cjs', 'tsconfig.json', 'src', 'dist', 'build/native', 'models', 'packaging/src', 'test/support'];

/** Libraries and data of the system, and what the C library, Node and V8 read of the machine. */
const systemFiles = [
  '/usr', '/lib', '/lib32', '/lib64', '/nix/store',
  '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime', '/etc/timezone', '/etc/fonts', '/var/cache/fontconfig',
  '/proc/self', '/proc/meminfo', '/proc/cpuinfo', '/proc/stat', '/proc/sys/vm', '/sys/devices/system', '/sys/fs/cgroup', '/sys/kernel/mm/transparent_hugepage',
  '/dev/urandom', '/dev/random', '/dev/zero',
];

/** What starts a program that is linked dynamically. */
const interpreters = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1', '/lib/ld-musl-x86_64.so.1', '/lib/ld-musl-aarch64.so.1', '/nix/store'];

/** LibreOffice is a shell script around a program, with settings of the system. */
const officeFiles = ['/etc/libreoffice', '/etc/alternatives', '/etc/passwd', '/etc/group', '/etc/nsswitch.conf', '/var/lib/libreoffice', '/var/spool/libreoffice'];
const officePrograms = ['/usr', '/bin', '/lib', '/lib64', '/opt/libreoffice'];

/** Programs that read single formats where LibreOffice is not installed. */
const readingPrograms = ['pandoc', 'ddjvu', 'heif-dec', 'heif-convert', 'djxl'];

/** As files really lie: Landlock follows no links. Empty for what is not there. */
function realPath(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** The directory, and where links in it lead: models are often links to a store. */
function withLinks(directory: string): string[] {
  try {
    const links = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return [directory, ...links.map(({ name }) => join(directory, name))].flatMap(realPath);
  } catch {
    return [];
  }
}

/** Of the packages that the program loads: its own, and where it is itself installed as a package those beside it; with the addon's. */
function packageFiles(): string[] {
  const root = packageRoot();
  const beside = dirname(root);
  const addon = nativeDirectory();
  return [...realPath(join(root, 'node_modules')), ...(basename(beside) === 'node_modules' ? realPath(beside) : []), ...(addon === null ? [] : realPath(addon))];
}

function listed(paths: string | undefined): string[] {
  return (paths ?? '').split(delimiter).filter((path) => path.startsWith('/'));
}

const none: AllowedPaths = { readable: [], runnable: [], writable: [], socketDirectories: [] };

/** While a loader compiles TypeScript, as in the tests: it starts a compiler, and keeps what it compiled. */
function loaderPaths(): AllowedPaths {
  return { ...none, runnable: realPath(join(packageRoot(), 'node_modules')), writable: realPath(join(tmpdir(), `tsx-${process.getuid?.() ?? 0}`)) };
}

function pathsOf(models: readonly string[], office: string | null, hasLoader: boolean, environment: NodeJS.ProcessEnv): AllowedPaths {
  const root = packageRoot();
  const loader = hasLoader ? loaderPaths() : none;
  const officeProgram = office === null ? [] : realPath(office).map((path) => dirname(path));
  return {
    readable: [
      ...ownFiles.map((name) => join(root, name)), ...packageFiles(), ...systemFiles, ...models.flatMap(withLinks),
      ...listed(environment['LD_LIBRARY_PATH']), ...listed(environment['TESSDATA_PREFIX']), ...(office === null ? [] : officeFiles), ...loader.readable,
    ],
    runnable: [...interpreters.flatMap(realPath), ...(office === null ? [] : [...officePrograms, ...officeProgram]), ...loader.runnable],
    writable: ['/dev/null', ...loader.writable],
    socketDirectories: office === null ? [] : officeSocketDirectories,
  };
}

export interface ConfinementReport {
  /** Null where nothing is confined. */
  confinement: WorkerConfinement | null;
  /** What is in force, for people. */
  what: string;
  /** What is missing, and why; null where nothing is. */
  missing: string | null;
}

/** How workers of `command` are confined on this machine, on which `office` is LibreOffice, or another program that reads documents, null for none. Throws `invalid_state` where the native addon is missing. */
export function confineWorkers(wish: 'auto' | 'off', models: readonly string[], command: WorkerCommand, environment: NodeJS.ProcessEnv = process.env, office: string | null = findLibreOffice(environment['PATH'] ?? '') ?? findReader(...readingPrograms)): ConfinementReport {
  return confine(wish, models, command, office, environment);
}

/** How processes of `command` are confined that render templates and compile schemas: they read their own program and write nothing. Null where nothing is confined. */
export function confineSandbox(wish: 'auto' | 'off', command: WorkerCommand): WorkerConfinement | null {
  return confine(wish, [], command, null, process.env).confinement;
}

function confine(wish: 'auto' | 'off', models: readonly string[], command: WorkerCommand, office: string | null, environment: NodeJS.ProcessEnv): ConfinementReport {
  if (wish === 'off') return { confinement: null, what: 'off, as --worker-sandbox off says', missing: null };
  const { landlockAbi, systemCallFilter } = confinementSupport();
  const launcher = confiningProgram();
  const hasLoader = command.args.some((word) => word === '--import' || word === '--require' || word === '-r' || word === '--loader');
  const hasFiles = landlockAbi > 0 && launcher !== null;
  const parts = [...(hasFiles ? [`files${landlockAbi >= 4 ? ' and ports' : ''} by Landlock ${landlockAbi}`] : []), ...(systemCallFilter ? ['system calls by seccomp'] : [])];
  const missing = [
    ...(landlockAbi > 0 ? [] : ['the kernel has no Landlock (Linux 5.13, `landlock` in its list of security modules), so a worker can open every file of its user']),
    ...(launcher === null ? ['the program lectern-confine is missing beside the addon'] : []),
    ...(systemCallFilter ? [] : ['the kernel filters no system calls']),
  ];
  return {
    confinement: parts.length === 0 ? null : {
      files: hasFiles ? { launcher, paths: () => pathsOf(models, office, hasLoader, environment) } : null,
      systemCalls: systemCallFilter ? { programs: office !== null || hasLoader } : null,
    },
    what: parts.length === 0 ? 'none' : parts.join(', '),
    missing: missing.length === 0 ? null : missing.join('; '),
  };
}

/** As confineWorkers() by the settings; where there is a log, it says once what is in force. */
export function confinementFor({ workerSandbox, models }: Pick<Settings, 'workerSandbox' | 'models'>, command: WorkerCommand, log: Log | null): WorkerConfinement | null {
  const { confinement, what, missing } = confineWorkers(workerSandbox, models, command);
  log?.[missing === null ? 'info' : 'warn']({ room: 'workers' }, `Workers are confined: ${what}.${missing === null ? '' : ` Missing: ${missing}.`}`);
  return confinement;
}
