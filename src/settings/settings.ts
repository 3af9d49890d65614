/** All settings in one table, and how the value of each is found: flag over environment over file over default. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LecternError } from '../errors.js';
import { homeDirectory } from '../platform/home-directory.js';
import type { Network } from '../network/address.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import type { ListenAddress } from '../network/listen-address.js';
import { readDoclingVariables } from './docling-variables.js';
import { kernelSwitchNames, readKernelSwitches } from './kernel-switches.js';
import { type SettingKind, kinds } from './setting-kinds.js';

interface Setting<T> {
  kind: SettingKind<T>;
  /** The value as a user would write it, found when it is asked for (that may read the disk). */
  fallback: (environment: Environment) => string;
  /** One sentence for `lectern settings`. */
  help: string;
  /** Describes a default that depends on the machine. */
  usual?: string;
}

export type Environment = Record<string, string | undefined>;

function setting<T>(kind: SettingKind<T>, fallback: string, help: string): Setting<T>;
function setting<T>(kind: SettingKind<T>, fallback: (environment: Environment) => string, help: string, usual: string): Setting<T>;
function setting<T>(kind: SettingKind<T>, fallback: string | ((environment: Environment) => string), help: string, usual?: string): Setting<T> {
  return { kind, fallback: typeof fallback === 'string' ? () => fallback : fallback, help, ...(usual === undefined ? {} : { usual }) };
}

/** The key is the name in code; `maxFileSize` is `--max-file-size` and `LECTERN_MAX_FILE_SIZE`. */
export const settingsTable = {
  listen: setting<ListenAddress[]>(kinds.addresses, '127.0.0.1:11434', 'addresses to listen on, host:port, separated by commas'),
  models: setting<string[]>(kinds.paths, defaultModelDirectories, 'directories that hold models: GGUF files, Ollama stores, vision models; what ships with the program is always added', 'what ships with the program, and Ollama\'s own directories'),
  aliases: setting<ReadonlyMap<string, string>>(kinds.byName(kinds.word), '', 'other names of models, as gpt-4o=qwen2.5:72b,fast=lectern-demo'),
  slots: setting<number>(kinds.count(1, 64), '2', 'answers that are written at the same time, of all chat models together'),
  embeddingSlots: setting<number>(kinds.count(1, 64), '2', 'requests for embeddings that are worked on at the same time'),
  embedTokenIds: setting<boolean>(kinds.flag, 'no', 'whether /v1/embeddings takes token ids, which must be of the model\'s own vocabulary'),
  storedResponses: setting<number>(kinds.count(0, 1_000_000), '1000', 'responses of /v1/responses that are kept below the state directory, for previous_response_id and for their callers alone; beyond it the oldest of the caller that keeps the most leave; 0: none'),
  turnTokens: setting<number>(kinds.count(0, 1_000_000), '256', 'tokens after which an answer gives its slot to a waiting request of another caller, and goes on when its next turn comes; 0: it keeps its slot to its end'),
  pausedAnswers: setting<number>(kinds.count(0, 64), '2', 'answers that may stand still so at a time; each takes the memory of one more slot, and a model gets fewer where its context would be cut'),
  modelQueue: setting<number>(kinds.count(0, 100_000), '512', 'requests to language models that may wait; beyond it they answer 503'),
  keepAlive: setting<number>(kinds.keepAlive, '5m', 'time a model stays loaded after its last use; 0: none, negative: for ever'),
  contextLength: setting<number>(kinds.count(16, 2 ** 24), '32768', 'tokens of context in each slot, where the model and the memory allow'),
  modelContext: setting<ReadonlyMap<string, number>>(kinds.byName(kinds.count(16, 2 ** 24)), '', 'the same for single models, as qwen2.5:72b=8192,bge-m3=4096'),
  preTokenizer: setting<string>(kinds.optionalWord, '', 'how texts are cut for model files whose own tokenizer.ggml.pre is not known: another such name, as qwen2; without it these files are refused'),
  device: setting<'auto' | 'cpu' | 'cuda'>(kinds.oneOf('auto', 'cpu', 'cuda'), 'auto', 'where models run: cuda, cpu, or auto for the GPU where there is one'),
  kvCache: setting<string>(kinds.oneOf('f16', 'q8_0'), 'f16', 'how a GPU keeps keys and values: q8_0 takes half of the memory and is a little less exact'),
  speculation: setting<'auto' | 'off'>(kinds.oneOf('auto', 'off'), 'auto', 'whether tokens that the text itself suggests are verified several in a pass: auto where that is faster, off never. Answers are the same'),
  warpgroups: setting<'auto' | 'off'>(kinds.oneOf('auto', 'off'), 'auto', 'whether an H100 or H200 multiplies prompts by groups of warps: auto where a trial at loading finds the products right, off without one'),
  threads: setting<number | null>(kinds.orAuto(kinds.count(1, 1024)), 'auto', 'threads of a model that runs on the processor; auto: one per processor'),
  modelMemory: setting<number | null>(kinds.orAuto(kinds.bytes), 'auto', 'memory that all loaded models may take; auto: what is free on the GPU, or half of the machine\'s'),
  embeddingMemory: setting<number | null>(kinds.orAuto(kinds.bytes), 'auto', 'part of it that chat models leave to embedding models; auto: an eighth, 3GiB at most, and up to a quarter for the networks of conversion workers (279MiB each)'),
  state: setting<string>(kinds.path, defaultStateDirectory, 'directory for tasks, results and everything else that must survive a restart', '~/.local/state/lectern'),
  logLevel: setting<string>(kinds.oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'), 'info', 'least important log line that is written'),
  workers: setting<number>(kinds.count(1, 64), '2', 'documents that are converted at the same time, each in a process of its own; one more for a caller that waits 5 s while other callers hold all'),
  workerMemory: setting<number>(kinds.bytes, '1536MiB', 'resident memory at which a conversion process is ended'),
  workerSandbox: setting<'auto' | 'off'>(kinds.oneOf('auto', 'off'), 'auto', 'whether the kernel keeps the processes that read documents, chat templates and schemas from files, programs and networks that they do not need: auto as far as it can, off not at all'),
  pageTimeout: setting<number>(kinds.duration, '60s', 'time one page may take before it is given up and the rest delivered'),
  documentTimeout: setting<number>(kinds.duration, '604800s', 'greatest time one document may take; the option document_timeout asks for less'),
  syncWait: setting<number>(kinds.duration, '120s', 'time a synchronous conversion waits before it answers 504'),
  relations: setting<'on' | 'off'>(kinds.oneOf('on', 'off'), 'off', 'whether the relation network decides what the parts of a page are, where lectern-relations.onnx is among the shipped models; off: the rules do. On is for trials'),
  queueSize: setting<number>(kinds.count(1, 100_000), '200', 'tasks that may wait; beyond it requests answer 503'),
  resultTtl: setting<number>(kinds.duration, '4h', 'time a finished task and its result are kept'),
  maxResults: setting<number>(kinds.count(1, 1_000_000), '2000', 'finished tasks that are kept at most, the oldest leave first'),
  spoolSize: setting<number>(kinds.bytes, '50GiB', 'disk space of all tasks: half for uploads, half for results and what conversions under way write; an upload that does not fit is 507'),
  maxFileSize: setting<number>(kinds.bytes, '100MiB', 'greatest size of one uploaded document'),
  maxFiles: setting<number>(kinds.count(1, 1000), '3', 'documents in one request'),
  maxPages: setting<number>(kinds.count(1, Number.MAX_SAFE_INTEGER), String(Number.MAX_SAFE_INTEGER), 'pages a document may have'),
  maxImagesScale: setting<number>(kinds.decimal(0.1, 10), '2', 'greatest images_scale a request may ask for'),
  strictOptions: setting<boolean>(kinds.flag, 'no', 'refuse options that are unknown or cannot be honoured, instead of naming them in a header'),
  httpSources: setting<string[]>(kinds.hosts, '', 'hosts that documents may be fetched from (sources of kind http), *.example.org for all below, host:8080 for another port; empty switches fetching off'),
  callbackHosts: setting<string[]>(kinds.hosts, '', 'hosts that callbacks may be sent to; empty switches callbacks off'),
  corsOrigins: setting<string[]>(kinds.words, '', 'web origins whose pages may call, or * for any; empty: only the service\'s own'),
  allowedHosts: setting<string[]>(kinds.hosts, '', "host names by which proxies and programs of its own host may call the service, beside localhost and the host's own"),
  accessList: setting<string | null>(kinds.optionalPath, '', 'file of networks and keys with their roles; needed to listen beyond loopback, or behind a proxy'),
  allowAll: setting<boolean>(kinds.flag, 'no', 'listen beyond loopback, or behind a proxy, without an access list: any client that reaches the port may use it'),
  allowedRoles: setting<string[]>(kinds.words, 'administrator,researcher', 'roles of the access list that may enter'),
  sharedTasks: setting<boolean>(kinds.flag, 'no', 'whether every caller that may enter sees status and results of all tasks; without it only who submitted a task, and administrators'),
  trustedProxies: setting<Network[]>(kinds.networks, '', 'proxies whose x-forwarded-for is believed, as addresses or networks'),
  tlsCertificate: setting<string | null>(kinds.optionalPath, '', 'PEM file of the certificate and its chain: all addresses speak https then; read again when it changes'),
  tlsKey: setting<string | null>(kinds.optionalPath, '', 'PEM file of the certificate\'s key'),
  maxConnections: setting<number>(kinds.count(1, 1_000_000), '2000', 'open connections on each address; more are closed at once'),
  connectionsPerAddress: setting<number | null>(kinds.orAuto(kinds.count(1, 1_000_000)), 'auto', 'open connections of one client address (IPv6: one /64 network), trusted proxies excepted; auto: a quarter of the connections'),
  uploadsPerCaller: setting<number>(kinds.count(1, 1_000_000), '32', 'bodies of 64 KiB and more that one caller (key or address) may send at a time; beyond it requests answer 503'),
  minUploadRate: setting<number>(kinds.bytes, '1000', 'bytes a second that a body must bring after its first 30 seconds; slower connections are closed. Headers must be complete within 30 seconds'),
  showVersion: setting<boolean>(kinds.flag, 'yes', 'whether /version tells versions'),
} as const;

export type Settings = { [K in keyof typeof settingsTable]: (typeof settingsTable)[K] extends Setting<infer T> ? T : never };
export type SettingName = keyof Settings;
/** Where a value came from, for `lectern settings`. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

export interface ResolvedSettings {
  values: Settings;
  origins: Record<SettingName, Origin>;
  /** As the user wrote it, or the default's text. */
  texts: Record<SettingName, string>;
  /** The settings file that was read, or null. */
  file: string | null;
  /** Variables of docling-serve in the environment that name no setting of ours. */
  notRead: string[];
}

const names = Object.keys(settingsTable) as SettingName[];

export function flagName(name: SettingName): string {
  return '--' + name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase());
}

export function environmentName(name: SettingName): string {
  return 'LECTERN_' + name.replace(/[A-Z]/g, (letter) => '_' + letter).toUpperCase();
}

/** Names the environment may hold that are no settings of the service: the file itself, the client's base address, and what `npm install` reads. */
const otherEnvironmentNames = new Set(['LECTERN_CONFIG', 'LECTERN_URL', 'LECTERN_CUDA']);

/**
 * Takes the settings' flags out of `args` and resolves everything. The remaining `args` (the command's own words) comes
 * back in `rest`. Throws `invalid_request` with a sentence that names the setting when a name is unknown or a value is bad.
 */
export function resolveSettings(args: string[], environment: Environment): ResolvedSettings & { rest: string[] } {
  const { flags, config, rest } = readFlags(args);
  const file = config ?? environment['LECTERN_CONFIG'] ?? defaultFile(environment);
  const fromFile = file === null ? new Map<SettingName, string>() : readSettingsFile(file);
  const fromEnvironment = readEnvironment(environment);
  const docling = readDoclingVariables(environment);
  const values: Record<string, unknown> = {};
  const origins = {} as Record<SettingName, Origin>;
  const texts = {} as Record<SettingName, string>;
  for (const name of names) {
    const sources: [Origin, string | undefined, string][] = [
      ['flag', flags.get(name), flagName(name)],
      ['environment', fromEnvironment.get(name), environmentName(name)],
      ['environment', docling.found.get(name)?.text, docling.found.get(name)?.place ?? ''],
      ['file', fromFile.get(name), `${environmentName(name)} in ${file}`],
      ['default', settingsTable[name].fallback(environment), `the default of ${flagName(name)}`],
    ];
    const [origin, text, place] = sources.find(([, text]) => text !== undefined) as [Origin, string, string];
    origins[name] = origin;
    texts[name] = text;
    values[name] = parse(name, text, place);
  }
  // What ships is always there: naming directories of one's own does not take the first model away.
  values['models'] = [...new Set([...(values['models'] as string[]), shippedModelsDirectory()])];
  return { values: values as Settings, origins, texts, file, rest, notRead: docling.notRead };
}

function parse(name: SettingName, text: string, place: string): unknown {
  const { kind } = settingsTable[name];
  const value = kind.parse(text.trim());
  if (value === undefined) throw new LecternError('invalid_request', `${place} must be ${kind.expects}, not "${text}".`);
  return value;
}

/** The words of `args` that are flags of settings with their values, and the others. */
export function splitSettings(args: string[]): { settings: string[]; rest: string[] } {
  const { rest, taken } = readFlags(args);
  return { settings: taken, rest };
}

function readFlags(args: string[]): { flags: Map<SettingName, string>; config: string | undefined; rest: string[]; taken: string[] } {
  const byFlag = new Map(names.map((name) => [flagName(name), name]));
  const flags = new Map<SettingName, string>();
  const rest: string[] = [];
  const taken: string[] = [];
  let config: string | undefined;
  for (let i = 0; i < args.length; i++) {
    // Behind it all words are names of files and the like.
    if (args[i] === '--') {
      rest.push(...args.slice(i));
      break;
    }
    const first = i;
    const arg = args[i] as string;
    const [flag, inline] = splitOnce(arg, '=');
    const off = flag.startsWith('--no-') ? byFlag.get(`--${flag.slice('--no-'.length)}`) : undefined;
    if (off !== undefined && isSwitch(off) && inline === undefined) {
      flags.set(off, 'no');
      taken.push(arg);
      continue;
    }
    const name = byFlag.get(flag);
    if (name === undefined && flag !== '--config') {
      rest.push(arg);
      continue;
    }
    const alone = name !== undefined && isSwitch(name) && !/^(yes|no|true|false|on|off)$/i.test(args[i + 1] ?? '');
    const value = inline ?? (alone ? 'yes' : args[++i]);
    if (value === undefined) throw new LecternError('invalid_request', `${flag} needs a value.`);
    if (name === undefined) config = value;
    else flags.set(name, value);
    taken.push(...args.slice(first, i + 1));
  }
  return { flags, config, rest, taken };
}

/** Needs no value to be on; `--no-NAME`, or a word such as no, switches it off. */
export function isSwitch(name: SettingName): boolean {
  return settingsTable[name].kind === (kinds.flag as unknown);
}

function readEnvironment(environment: Environment): Map<SettingName, string> {
  const entries = Object.entries(environment).filter((entry): entry is [string, string] => entry[0].startsWith('LECTERN_') && entry[1] !== undefined);
  readKernelSwitches(environment);
  return namedValues(entries.filter(([key]) => !otherEnvironmentNames.has(key) && !kernelSwitchNames.includes(key)), 'the environment');
}

/** Lines `LECTERN_NAME=value` as in a systemd environment file; `#` begins a comment line; quotes around a value are taken off. */
function readSettingsFile(file: string): Map<SettingName, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new LecternError('invalid_request', `The settings file ${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  const entries: [string, string][] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [key, value] = splitOnce(line, '=');
    if (value === undefined) throw new LecternError('invalid_request', `Line ${index + 1} of ${file} is not NAME=value.`);
    entries.push([key.trim(), value.trim().replace(/^(["'])(.*)\1$/, '$2')]);
  }
  return namedValues(entries, file);
}

function namedValues(entries: [string, string][], place: string): Map<SettingName, string> {
  const byName = new Map(names.map((name) => [environmentName(name), name]));
  const found = new Map<SettingName, string>();
  for (const [key, value] of entries) {
    const name = byName.get(key);
    if (name === undefined) throw new LecternError('invalid_request', `${key} in ${place} is no setting of Lectern; ${meantBy(key)}\`lectern settings\` lists them.`);
    found.set(name, value);
  }
  return found;
}

/** `listen`, `--max-file-size`, `export LECTERN_STATE`: a setting that is written in another way than this place takes. */
function meantBy(key: string): string {
  const letters = (text: string): string => text.replace(/[^a-z]/gi, '').toUpperCase().replace(/^LECTERN/, '');
  const name = names.map(environmentName).find((each) => letters(each) === letters(key.replace(/^export\s/, '')));
  return name === undefined ? '' : `here it is written ${name}; `;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The user's own file, else that of the installed service where this user may read it: `sudo lectern models add` then adds to the service's models. */
export function defaultFile(environment: Environment, serviceFile = '/etc/lectern/settings'): string | null {
  const file = join(environment['XDG_CONFIG_HOME'] || join(homeOf(environment), '.config'), 'lectern', 'settings');
  return existsSync(file) ? file : isReadable(serviceFile) ? serviceFile : null;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where the program keeps what must survive a restart, and the history of chats, unless a setting names another. */
export function defaultStateDirectory(environment: Environment): string {
  return join(environment['XDG_STATE_HOME'] || join(homeOf(environment), '.local', 'state'), 'lectern');
}

/** Where Ollama keeps its models, for those that exist, where `lectern models pull` puts them, and what ships with the project. */
function defaultModelDirectories(environment: Environment): string {
  const stores = [join(homeOf(environment), '.ollama', 'models'), '/usr/share/ollama/.ollama/models'];
  const own = join(environment['XDG_DATA_HOME'] || join(homeOf(environment), '.local', 'share'), 'lectern', 'models');
  return [...stores.filter((store) => existsSync(store)), own, shippedModelsDirectory()].join(',');
}

function homeOf(environment: Environment): string {
  return environment['HOME'] || homeDirectory();
}
