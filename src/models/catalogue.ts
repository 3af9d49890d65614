/** What exists: the models of all directories, checked again at each request, described once as long as their files stay. */
import PQueue from 'p-queue';
import type { LanguageEngine, ModelDescription } from '../engine/port.js';
import { LecternError, asLecternError } from '../errors.js';
import { capabilitiesOf, describeDetails } from './details.js';
import { FileCache, type FileState, invalid, stateOf } from './files.js';
import { nameDefaults } from './model-name.js';
import { type StoredModel, manifestsOf, modelBlob, readStored } from './ollama-store.js';
import { plainDigest, plainModelsOf, statesOf } from './plain-files.js';
import type { Catalogue, CatalogueEntry, ModelsLog, RefusedModel } from './types.js';

export interface CatalogueOptions {
  /** Where two hold a model of one name, the first has it. They need not exist. */
  directories: readonly string[];
  /** Those of them that the user named: one that does not exist is a warning. Default: none. */
  named?: readonly string[];
  /** What models are also called, and their names. A model that is really called so wins, and the log tells of it. */
  aliases: ReadonlyMap<string, string>;
  engine: Pick<LanguageEngine, 'describeModel'>;
  /** Rejects with `invalid_model` for a Go template that would be refused by every conversation, naming what is not understood. */
  checkTemplate: (source: string) => Promise<void>;
  log: ModelsLog;
}

/** A file that may be a model; reading it gives the entry or throws the reason against it. */
interface Candidate {
  name: string;
  path: string;
  read: () => Promise<Listed>;
}

interface Listed {
  entry: CatalogueEntry;
  /** As long as these stay as they are the entry is right. */
  files: FileState[];
  /** What its owner should know of it although it works. */
  note?: string;
}

interface Snapshot {
  /** By canonical name. */
  listed: Map<string, Listed>;
  refused: RefusedModel[];
}

/** Files that are opened at the same time to be described. */
const describedAtOnce = 4;
/** Templates whose check is remembered; stores have some dozens of models. */
const mostProblems = 256;

export function createCatalogue(options: CatalogueOptions): Catalogue {
  return new DirectoryCatalogue(options);
}

class DirectoryCatalogue implements Catalogue {
  readonly #options: CatalogueOptions;
  readonly #aliases: Map<string, string>;
  readonly #descriptions = new FileCache<ModelDescription | LecternError>();
  readonly #manifests = new FileCache<StoredModel>();
  /** By Go template: why no conversation can have it, or null. */
  readonly #problems = new Map<string, string | null>();
  readonly #describing = new PQueue({ concurrency: describedAtOnce });
  /** What was said of a path, so that it is said once. */
  #said = new Map<string, string>();
  #snapshot: Snapshot | null = null;
  #running: Promise<Snapshot> | null = null;
  #next: Promise<Snapshot> | null = null;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#aliases = new Map([...options.aliases].map(([alias, name]) => [canonical(alias), name]));
  }

  async list(): Promise<CatalogueEntry[]> {
    const { listed } = await this.#look();
    const latestFirst = (a: CatalogueEntry, b: CatalogueEntry): number => b.modifiedAt.getTime() - a.modifiedAt.getTime() || (a.name < b.name ? -1 : 1);
    return [...listed.values()].map(({ entry }) => entry).sort(latestFirst);
  }

  async aliases(): Promise<[string, CatalogueEntry][]> {
    const { listed } = await this.#look();
    return [...this.#options.aliases].flatMap(([alias, name]): [string, CatalogueEntry][] => {
      const meant = listed.has(canonical(alias)) ? undefined : listed.get(canonical(name));
      return meant === undefined ? [] : [[alias, meant.entry]];
    });
  }

  async refused(): Promise<RefusedModel[]> {
    return (await this.#look()).refused;
  }

  async find(name: string): Promise<CatalogueEntry> {
    const known = this.#snapshot === null ? undefined : this.#meant(name, this.#snapshot.listed);
    // A request for a model that has not changed costs two readings of the disk, not one of every model.
    if (known !== undefined && (await areUnchanged(known.files))) return known.entry;
    const { listed, refused } = await this.#look();
    const found = this.#meant(name, listed);
    if (found !== undefined) return found.entry;
    const key = canonical(this.#aliases.get(canonical(name)) ?? name);
    const shown = JSON.stringify(name.slice(0, 200));
    const isRefused = refused.some((one) => canonical(one.name) === key);
    throw new LecternError('model_not_found', isRefused ? `The model ${shown} is there and cannot be used; the log says why.` : `There is no model ${shown}; the setting aliases can give one that is there this name.`);
  }

  /** The model of this name, else the one that it is an alias of. */
  #meant(name: string, listed: Snapshot['listed']): Listed | undefined {
    const key = canonical(name);
    return listed.get(key) ?? listed.get(canonical(this.#aliases.get(key) ?? name));
  }

  describeWhole(entry: CatalogueEntry): Promise<ModelDescription> {
    return this.#options.engine.describeModel(entry.path, { arrays: true });
  }

  /** One look serves all who asked before it began; who asks while one is under way gets the next. */
  #look(): Promise<Snapshot> {
    if (this.#running === null) {
      this.#running = this.#scan().finally(() => { this.#running = null; });
      return this.#running;
    }
    this.#next ??= this.#running.catch(() => undefined).then(() => {
      this.#next = null;
      return this.#look();
    });
    return this.#next;
  }

  async #scan(): Promise<Snapshot> {
    const snapshot: Snapshot = { listed: new Map(), refused: [] };
    const said = new Map<string, string>();
    const candidates = (await Promise.all(this.#options.directories.map((directory) => this.#candidatesIn(directory, said)))).flat();
    const results = await Promise.all(candidates.map((candidate) => candidate.read().catch((thrown: unknown) => asLecternError(thrown))));
    for (const [index, { name, path }] of candidates.entries()) {
      const result = results[index] as Listed | LecternError;
      const twin = snapshot.listed.get(canonical(name));
      if (!(result instanceof LecternError) && twin === undefined) {
        snapshot.listed.set(canonical(name), result);
        if (result.note !== undefined) this.#say(said, path, `The model ${JSON.stringify(name)}: ${result.note}.`);
        continue;
      }
      const reason = result instanceof LecternError ? reasonOf(result) : `${(twin as Listed).entry.path} has this name already`;
      snapshot.refused.push({ name, path, reason });
      this.#say(said, path, `The model ${JSON.stringify(name)} of ${path} is left out: ${reason}.`);
    }
    this.#judgeAliases(snapshot.listed, said);
    this.#said = said;
    this.#snapshot = snapshot;
    this.#descriptions.forgetUnused();
    this.#manifests.forgetUnused();
    return snapshot;
  }

  #judgeAliases(listed: Snapshot['listed'], said: Map<string, string>): void {
    for (const [alias, name] of this.#aliases) {
      const sentence = listed.has(alias) ? 'is the name of a model, which keeps it' : listed.has(canonical(name)) ? undefined : `stands for ${JSON.stringify(name)}, and there is no such model`;
      if (sentence !== undefined) this.#say(said, `alias ${alias}`, `The alias ${JSON.stringify(alias)} ${sentence}.`);
    }
  }

  #say(said: Map<string, string>, path: string, sentence: string, level: 'info' | 'warn' = 'warn'): void {
    said.set(path, sentence);
    if (this.#said.get(path) !== sentence) this.#options.log(level, sentence);
  }

  async #candidatesIn(directory: string, said: Map<string, string>): Promise<Candidate[]> {
    try {
      const stored = (await manifestsOf(directory)).map(({ path, name }) => this.#storedCandidate(directory, path, name));
      return [...stored, ...(await plainModelsOf(directory)).map((model): Candidate => ({ name: model.name, path: model.path, read: () => this.#readPlain(model) }))];
    } catch (thrown) {
      // Pulling makes the usual one: no reason for a warning.
      const isAbsent = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
      if (isAbsent) this.#say(said, directory, `The model directory ${directory} does not exist.`, this.#options.named?.includes(directory) === true ? 'warn' : 'info');
      else this.#say(said, directory, `The model directory ${directory} is left out: ${(thrown as Error).message}.`);
      return [];
    }
  }

  async #readPlain(model: Parameters<typeof statesOf>[0]): Promise<Listed> {
    const files = await statesOf(model);
    const description = await this.#describe(files);
    const chatTemplate = templateOf(description);
    const entry: CatalogueEntry = {
      name: model.name,
      path: model.path,
      digest: plainDigest(model.name, files),
      sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      modifiedAt: new Date(Math.max(...files.map(({ modifiedAt }) => modifiedAt.getTime()))),
      details: describeDetails(description, ''),
      capabilities: capabilitiesOf(description, chatTemplate, null),
      description, chatTemplate, goTemplate: null, system: null, parameters: {}, messages: [], licenses: [],
    };
    return { entry, files };
  }

  #storedCandidate(root: string, path: string, name: string | null): Candidate {
    if (name === null) return { name: path, path, read: async () => { throw invalid('its place in the store is no name of a model'); } };
    return { name, path, read: () => this.#readStored(root, path, name) };
  }

  async #readStored(root: string, path: string, name: string): Promise<Listed> {
    const manifest = await stateOf(path);
    if (manifest === null) throw invalid(`${path} is no file that can be read`);
    const stored = await this.#manifests.get(manifest, () => readStored(root, path));
    const blob = await modelBlob(root, stored);
    const description = await this.#describe([blob]);
    const chatTemplate = templateOf(description);
    const { digest, sizeBytes, modelPath, parentModel, system, parameters, messages, licenses } = stored;
    const problem = description.embeds ? null : await this.#problemOf(stored.goTemplate);
    // It would fail in every conversation, and then only.
    if (problem !== null && chatTemplate === null) throw invalid(problem);
    const goTemplate = problem === null ? stored.goTemplate : null;
    const entry: CatalogueEntry = {
      name, path: modelPath, digest, sizeBytes, modifiedAt: manifest.modifiedAt,
      details: describeDetails(description, parentModel), capabilities: capabilitiesOf(description, chatTemplate, goTemplate),
      description, chatTemplate, goTemplate, system, parameters, messages, licenses,
    };
    return { entry, files: [manifest, blob], ...(problem === null ? {} : { note: `${problem}, so the template of the GGUF file is used instead` }) };
  }

  /** Why no conversation can have this template. */
  async #problemOf(goTemplate: string | null): Promise<string | null> {
    if (!goTemplate?.trim()) return null;
    const known = this.#problems.get(goTemplate);
    if (known !== undefined) return known;
    const problem = await this.#options.checkTemplate(goTemplate).then(() => null, (thrown: unknown) => {
      if (!(thrown instanceof LecternError) || thrown.code !== 'invalid_model') throw thrown;
      return reasonOf(thrown);
    });
    if (this.#problems.size >= mostProblems) this.#problems.clear();
    this.#problems.set(goTemplate, problem);
    return problem;
  }

  /** Throws `invalid_model` for what cannot run, too. */
  async #describe(files: FileState[]): Promise<ModelDescription> {
    const first = files[0] as FileState;
    const identity = files.map((file) => file.identity).join(' ');
    const description = await this.#descriptions.get({ ...first, identity }, () => this.#describing.add(async () => {
      try {
        return await this.#options.engine.describeModel(first.path);
      } catch (thrown) {
        // A damaged file stays damaged until it is written anew; anything else may be better the next time.
        if (thrown instanceof LecternError && thrown.code === 'invalid_model') return thrown;
        throw thrown;
      }
    }));
    if (description instanceof LecternError) throw description;
    if (description.unsupported !== null) throw invalid(description.unsupported);
    return description;
  }
}

/** One spelling for all that mean the same model: `registry.ollama.ai/library/Qwen2.5:latest` is `qwen2.5`. */
function canonical(name: string): string {
  let key = name.trim().toLowerCase();
  for (const prefix of [`${nameDefaults.host}/`, `${nameDefaults.namespace}/`]) if (key.startsWith(prefix)) key = key.slice(prefix.length);
  return key.endsWith(`:${nameDefaults.tag}`) ? key.slice(0, -nameDefaults.tag.length - 1) : key;
}

function templateOf({ metadata }: ModelDescription): string | null {
  const template = metadata['tokenizer.chat_template'];
  return typeof template === 'string' ? template : null;
}

/** A defect is no reason to leave the others out: its message is reported. */
function reasonOf(error: LecternError): string {
  const text = error.code === 'internal' && error.cause instanceof Error ? error.cause.message : error.message;
  return text.replace(/\.$/, '');
}

async function areUnchanged(files: FileState[]): Promise<boolean> {
  const now = await Promise.all(files.map(({ path }) => stateOf(path)));
  return now.every((state, index) => state?.identity === files[index]?.identity);
}
