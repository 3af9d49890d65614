// Builds the native addon on `npm install`, and everything that the tests need with `--tests`. Where the package of this platform is installed that
// fits (packaging/src/npm-packages.ts), the program loads the addon from there (src/platform/native-files.ts) and nothing is built;
// `npm install --build-from-source` builds all the same.
//
// CUDA kernels are compiled where a GPU is present (for that GPU), with LECTERN_CUDA=1 (for Hopper where none is), or with LECTERN_CUDA=all (for every GPU that is served); LECTERN_CUDA=0 leaves them out. An addon that was built from the
// same sources with the same compiler before is taken from the cache directory.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const build = join(root, 'build', 'native');
const { resolve: resolvePackage } = createRequire(join(root, 'package.json'));
/** The addon, and the program that starts workers confined. */
const built = ['lectern.node', 'lectern-confine'];
const headerPackages = ['node-addon-api', 'node-api-headers'];

/** Standard output of a program, trimmed; null if it is missing or fails. */
function outputOf(program, words) {
  try {
    return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** npm puts them beside this package, or below it. */
function directoryOf(name) {
  return dirname(resolvePackage(`${name}/package.json`));
}

/** Whether LECTERN_CUDA asks for the kernels. */
const asked = (process.env.LECTERN_CUDA ?? '').toLowerCase();
const asksForCuda = ['1', 'on', 'yes', 'true', 'all'].includes(asked);

/** CMake's value of LECTERN_CUDA, and the compute capability of the GPU without its point ("90"), "all", or null for the default. */
function cudaChoice() {
  if (asked === 'all') return { cuda: 'ON', architecture: 'all' };
  if (['0', 'off', 'no', 'false'].includes(asked)) return { cuda: 'OFF', architecture: null };
  const capability = outputOf('nvidia-smi', ['--query-gpu=compute_cap', '--format=csv,noheader'])?.split('\n')[0]?.replace('.', '') ?? null;
  const architecture = capability !== null && /^\d{2,3}$/.test(capability) ? capability : null;
  if (asksForCuda) return { cuda: 'ON', architecture };
  return { cuda: architecture !== null && outputOf('nvcc', ['--version']) !== null ? 'ON' : 'OFF', architecture };
}

function checkTools() {
  const missing = [];
  if (outputOf('cmake', ['--version']) === null) missing.push('cmake');
  const compiler = process.env.CXX ?? (outputOf('c++', ['--version']) === null ? 'g++' : 'c++');
  if (outputOf(compiler, ['--version']) === null) missing.push('g++');
  if (outputOf('ninja', ['--version']) === null && outputOf('make', ['--version']) === null) missing.push('ninja-build');
  if (missing.length === 0) return;
  process.stderr.write('Lectern compiles its native addon on install and needs CMake 3.22 or newer and a C++20 compiler.\n'
    + `On Debian or Ubuntu: apt-get install ${missing.join(' ')}\n`);
  process.exit(1);
}

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(directory, entry.name)) : [join(directory, entry.name)])).sort();
}

/** A digest of all that the addon is made from. The tests' own sources do not count. */
function digestOf({ cuda, architecture }) {
  const hash = createHash('sha256');
  const note = (text) => hash.update(`${text.length} ${text}\n`);
  note(outputOf(process.env.CXX ?? 'c++', ['--version']) ?? '');
  note(cuda === 'ON' ? `${outputOf('nvcc', ['--version'])} ${architecture}` : 'CPU');
  for (const name of ['CXXFLAGS', 'CFLAGS', 'LDFLAGS', 'CUDAFLAGS']) note(process.env[name] ?? '');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  note(`${version} ${process.arch}`);
  for (const name of headerPackages) note(readFileSync(join(directoryOf(name), 'package.json'), 'utf8'));
  const sources = filesBelow(join(root, 'native')).filter((file) => !file.startsWith(join(root, 'native', 'test')) && !file.endsWith('.md'));
  for (const file of [join(root, 'CMakeLists.txt'), ...sources]) {
    note(file.slice(root.length));
    note(readFileSync(file, 'utf8'));
  }
  return hash.digest('hex').slice(0, 32);
}

/** Copies so that no reader sees half a file. */
function place(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, `${to}.part`);
  renameSync(`${to}.part`, to);
}

/** The exit status. */
function statusOf(program, words) {
  const { status, error } = spawnSync(program, words, { cwd: root, stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
}

function run(program, words) {
  const status = statusOf(program, words);
  if (status !== 0) process.exit(status);
}

/** Why the program cannot use the addon of an installed package; null where it can. */
function whyUnfit(directory, { version, lectern: { napi, glibc } = {} }) {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  if (version !== own) return `it has version ${version}, and this is ${own}`;
  if (!(Number(process.versions.napi) >= napi)) return `it needs Node-API ${napi}, and this Node has ${process.versions.napi}`;
  process.report.excludeNetwork = true;
  const system = process.report.getReport().header.glibcVersionRuntime;
  const [major, minor] = String(system ?? '0.0').split('.').map(Number);
  const [leastMajor, leastMinor] = String(glibc).split('.').map(Number);
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) return `it needs glibc ${glibc}, and this system has ${system ?? 'another C library'}`;
  // In a process of its own: what does not fit may end it.
  const trial = spawnSync(process.execPath, ['-p', 'require(process.argv[1]).buildInfo().version', join(directory, 'lectern.node')], { encoding: 'utf8' });
  if (trial.stdout?.trim() === version) return null;
  return `its addon does not load: ${/Error: (.*)/.exec(trial.stderr ?? '')?.[1] ?? `exit status ${trial.status ?? trial.signal}`}`;
}

/** The installed package whose addon the program will load, as src/platform/native-files.ts chooses; null where none fits. */
function fittingPackage() {
  for (const name of [`@lectern/${process.platform}-${process.arch}-cuda`, `@lectern/${process.platform}-${process.arch}`]) {
    let directory;
    try {
      directory = directoryOf(name);
    } catch {
      continue;
    }
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const why = whyUnfit(directory, manifest);
    if (why !== null) {
      process.stderr.write(`${name} is installed and does not fit: ${why}.\n`);
      // The program would choose it all the same, unless there is a compiled addon.
      if (manifest.version === JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version) return null;
    } else if (asksForCuda && !manifest.lectern.cuda) process.stderr.write(`${name} has no CUDA kernels, which LECTERN_CUDA asks for: they are compiled, or install ${name}-cuda.\n`);
    else return name;
  }
  return null;
}

/** A tree that is configured keeps its generator and what else its owner chose. */
function compile({ cuda, architecture }, target) {
  checkTools();
  const words = [`-DLECTERN_CUDA=${cuda}`, '-DLECTERN_ADDON=ON'];
  for (const name of headerPackages) words.push(`-DLECTERN_${name.toUpperCase().replaceAll('-', '_')}=${directoryOf(name)}`);
  if (architecture === 'all') words.push('-DLECTERN_CUDA_RELEASE=ON');
  else if (cuda === 'ON' && architecture !== null) words.push(`-DCMAKE_CUDA_ARCHITECTURES=${architecture}`);
  const isConfigured = existsSync(join(build, 'CMakeCache.txt'));
  if (!isConfigured && outputOf('ninja', ['--version']) !== null) words.push('-G', 'Ninja');
  run('cmake', ['-S', root, '-B', build, ...words]);
  const make = ['--build', build, '--parallel', String(availableParallelism()), ...(target === null ? [] : ['--target', target])];
  if (statusOf('cmake', make) === 0) return;
  // Precompiled headers are what other compilers are most likely to fail at.
  process.stderr.write('The build failed; trying once more without precompiled headers.\n');
  run('cmake', ['-S', root, '-B', build, '-DLECTERN_PRECOMPILED=OFF']);
  run('cmake', make);
}

const choice = cudaChoice();
if (process.argv.includes('--tests')) {
  compile(choice, null);
} else if (process.env.npm_command !== 'exec') {
  const fitting = process.env.npm_config_build_from_source ? null : fittingPackage();
  if (fitting === null) install();
  else process.stdout.write(`Lectern native: ${fitting} is used.\n`);
}

/** From the cache, or compiled. */
function install() {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'lectern', 'addon', digestOf(choice));
  const copy = (from, to) => built.forEach((name) => place(join(from, name), join(to, name)));
  if (built.every((name) => existsSync(join(cache, name)))) {
    copy(cache, build);
    process.stdout.write('Lectern native: taken from the cache.\n');
  } else {
    compile(choice, 'lectern_addon');
    try {
      copy(build, cache);
    } catch (err) {
      process.stderr.write(`The addon is not kept for the next install: ${err.message}\n`);
    }
  }
}
