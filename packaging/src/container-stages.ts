/** Builds the stages of a Containerfile in bare Debian roots: RUN is chroot, COPY is a copy, and the configuration of the image is kept. Needs root. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { assignments, ContainerfileError, execForm, substitute, type Instruction, type Stage } from './containerfile.js';

export interface BuiltImage {
  root: string;
  environment: Record<string, string>;
  user: string;
  directory: string;
  volumes: string[];
  entrypoint: string[];
  command: string[];
  /** Null where there is none. */
  healthCheck: string[] | null;
}

export interface BuildPlace {
  /** The directory of the checkout. */
  context: string;
  /** Gets one root for each stage. */
  directory: string;
  /** Of the command line. */
  given: Readonly<Record<string, string>>;
  log(line: string): void;
}

const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Functions of packaging/bare-root.sh. */
export function bareRoot(context: string, words: readonly string[]): void {
  execFileSync('sh', ['-eu', '-c', '. "$0"; "$@"', join(context, 'packaging/bare-root.sh'), ...words], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Words for spawn that run `words` inside the image, as its user where `user` is not given. */
export function insideWords(image: Pick<BuiltImage, 'root' | 'environment' | 'user' | 'directory'>, words: readonly string[], more: Record<string, string> = {}): string[] {
  const environment = { PATH: searchPath, HOME: image.user === 'root' ? '/root' : image.directory, ...certificates(), ...image.environment, ...more };
  return [
    ...(image.user === 'root' ? [] : [`--userspec=${image.user}:${image.user}`]), image.root, '/usr/bin/env', '-i', '-C', image.directory,
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`), ...words,
  ];
}

/** Where the network of this machine has an authority of its own, bare-root.sh puts it there. */
function certificates(): Record<string, string> {
  return process.env['NODE_EXTRA_CA_CERTS'] ? { NODE_EXTRA_CA_CERTS: '/etc/ssl/extra-ca-certificates.crt' } : {};
}

/** The stand-in for an image as a fresh root. Throws where there is none. */
function openImage(image: string, root: string, { context, directory }: BuildPlace): void {
  const name = image.replace(/^docker\.io\/(?:library\/)?/, '');
  const kind = /^(debian|node|nvidia\/cuda):/.exec(name)?.[1];
  if (kind === undefined) throw new Error(`There is no stand-in for the image ${image}.`);
  const base = join(directory, 'debian');
  bareRoot(context, ['bare_root', base]);
  execFileSync('cp', ['-a', base, root]);
  bareRoot(context, ['enter_root', root]);
  if (kind === 'node') bareRoot(context, ['copy_node', root]);
  if (kind === 'nvidia/cuda') bareRoot(context, ['lend_cuda', root]);
}

/** Paths of the context that are left out: names without patterns, as ours are. */
function ignoredPaths(context: string): Set<string> {
  const lines = readFileSync(join(context, '.containerignore'), 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) if (/[*?!]/.test(line)) throw new Error(`.containerignore: the pattern ${line} is not understood.`);
  return new Set(lines);
}

function copy(instruction: Instruction, text: string, image: BuiltImage, sources: Map<string, BuiltImage>, { context }: BuildPlace): void {
  const words = text.split(/\s+/);
  const to = words.pop() ?? '';
  const stage = instruction.flags['from'];
  const from = stage === undefined ? context : sources.get(stage)?.root;
  if (from === undefined) throw new ContainerfileError(instruction.line, `no stage is named ${stage}.`);
  const ignored = stage === undefined ? ignoredPaths(context) : new Set<string>();
  const target = join(image.root, posix.resolve(image.directory, to));
  for (const word of words) {
    if (/[*?[]/.test(word)) throw new ContainerfileError(instruction.line, `the pattern ${word} is not understood.`);
    const source = join(from, word);
    if (!existsSync(source)) throw new ContainerfileError(instruction.line, `${word} is missing.`);
    const isInto = to.endsWith('/') && !statSync(source).isDirectory();
    const place = isInto ? join(target, basename(source)) : target;
    mkdirSync(dirname(place), { recursive: true });
    cpSync(source, place, { recursive: true, verbatimSymlinks: true, filter: (path) => !ignored.has(relative(from, path)) });
  }
}

/** Carries out one instruction. `args`: the build arguments that the stage has declared. */
function carryOut(instruction: Instruction, image: BuiltImage, args: Record<string, string>, sources: Map<string, BuiltImage>, place: BuildPlace): void {
  const { name, line } = instruction;
  const values = { ...args, ...image.environment };
  // What RUN and the JSON lists hold is for the shell, or for the program.
  const text = ['RUN', 'CMD', 'ENTRYPOINT', 'HEALTHCHECK'].includes(name) ? instruction.text : substitute(instruction.text, values, line);
  switch (name) {
    case 'ARG':
      for (const [key, value] of assignments({ text, line })) args[key] = place.given[key] ?? value;
      break;
    case 'ENV':
      for (const [key, value] of assignments({ text, line })) image.environment[key] = value;
      break;
    case 'RUN':
      execFileSync('chroot', insideWords(image, ['/bin/sh', '-c', text], { DEBIAN_FRONTEND: 'noninteractive', ...args }), { stdio: ['ignore', 'inherit', 'inherit'] });
      break;
    case 'COPY':
      copy(instruction, text, image, sources, place);
      break;
    case 'WORKDIR':
      image.directory = posix.resolve(image.directory, text);
      mkdirSync(join(image.root, image.directory), { recursive: true });
      break;
    case 'USER':
      image.user = text;
      break;
    case 'VOLUME':
      image.volumes.push(...execForm({ name, text, line }));
      break;
    case 'ENTRYPOINT':
      image.entrypoint = execForm(instruction);
      break;
    case 'CMD':
      image.command = execForm(instruction);
      break;
    case 'HEALTHCHECK':
      image.healthCheck = execForm({ name, text: text.replace(/^CMD\s+/, ''), line });
      break;
    case 'EXPOSE':
      if (!/^\d+$/.test(text)) throw new ContainerfileError(line, `EXPOSE ${text} is not understood.`);
      break;
    default:
      throw new ContainerfileError(line, `${name} is not understood.`);
  }
}

/** Builds all stages in their order and returns the last. */
export function buildStages(stages: readonly Stage[], place: BuildPlace): BuiltImage {
  const sources = new Map<string, BuiltImage>();
  let last: BuiltImage | undefined;
  for (const [index, stage] of stages.entries()) {
    const image: BuiltImage = { root: join(place.directory, `stage-${index}`), environment: {}, user: 'root', directory: '/', volumes: [], entrypoint: [], command: [], healthCheck: null };
    place.log(`FROM ${stage.image}`);
    openImage(stage.image, image.root, place);
    const args: Record<string, string> = {};
    for (const instruction of stage.instructions) {
      place.log(`${instruction.name} ${instruction.text}`);
      carryOut(instruction, image, args, sources, place);
    }
    if (stage.name !== null) sources.set(stage.name, image);
    last = image;
  }
  if (last === undefined) throw new Error('The Containerfile has no FROM.');
  return last;
}
