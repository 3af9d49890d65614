/** `npm run package -- --deb`: the Debian package around dist/lectern: program, unit, user, settings, manual. Needs dpkg-deb. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { commands } from '../../src/cli/commands.js';
import { completionScript } from '../../src/cli/completion.js';
import { manualPages } from '../../src/cli/manual.js';

/** Debian's own variables name the maintainer who builds the package. */
const maintainer = `${process.env['DEBFULLNAME'] ?? 'Lectern'} <${process.env['DEBEMAIL'] ?? 'root@localhost'}>`;

/** Debian's name of the machine that builds, whose Node and addon are in the package. */
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

export function debName(version: string): string {
  return `lectern_${version}_${architecture}.deb`;
}

/** Where the unit names the program when it is copied by hand. */
const byHand = '/usr/local/bin/lectern';

interface Made {
  root: string;
  put(path: string, contents: string | Uint8Array, mode?: number): void;
}

/** A file tree in which every directory is 0755. */
function tree(root: string): Made {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true, mode: 0o755 });
  const directory = (path: string): void => {
    if (path === '.') return;
    directory(dirname(path));
    mkdirSync(join(root, path), { recursive: true });
    chmodSync(join(root, path), 0o755);
  };
  return {
    root,
    put: (path, contents, mode = 0o644) => {
      directory(dirname(path));
      writeFileSync(join(root, path), contents);
      chmodSync(join(root, path), mode);
    },
  };
}

/** gzip without a time in it: the same contents are the same package. */
function packed(text: string): Buffer {
  return gzipSync(Buffer.from(text), { level: 9 });
}

function control(version: string, installedKiB: number): string {
  return [
    'Package: lectern', `Version: ${version}`, `Architecture: ${architecture}`, `Maintainer: ${maintainer}`, `Installed-Size: ${installedKiB}`,
    'Depends: libc6 (>= 2.34), libstdc++6, libgcc-s1, adduser', 'Recommends: libtesseract5, tesseract-ocr-eng', 'Suggests: libreoffice, nginx',
    'Section: net', 'Priority: optional',
    'Description: documents to markdown, language models over HTTP',
    ' One process on a GPU host that turns documents into markdown and serves',
    ' language models to a private network. Documents follow the contract of',
    ' docling-serve, language models those of OpenAI and Ollama.', '',
  ].join('\n');
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(directory, entry.name)) : [join(directory, entry.name)]));
}

/**
 * Returns the path of the package, beside the program. `time` is that of the sources, in seconds since 1970: nothing
 * in the package is younger.
 */
export function makeDeb(program: string, packaging: string, version: string, time: string): string {
  const made = tree(join(dirname(program), '..', 'build', 'deb'));
  const own = (name: string): string => readFileSync(join(packaging, name), 'utf8');
  made.put('usr/bin/lectern', '', 0o755);
  copyFileSync(program, join(made.root, 'usr/bin/lectern'));
  chmodSync(join(made.root, 'usr/bin/lectern'), 0o755);
  const unit = own('lectern.service');
  if (!unit.includes(byHand)) throw new Error(`lectern.service does not start ${byHand}.`);
  made.put('usr/lib/systemd/system/lectern.service', unit.replace(/^#.*\n/, '').replaceAll(byHand, '/usr/bin/lectern'));
  made.put('etc/lectern/settings', own('debian/settings'), 0o640);
  made.put('etc/lectern/access', own('access.example').replace(/^(?=[^#\n])/gm, '# '), 0o640);
  made.put('usr/share/doc/lectern/README.md', readFileSync(join(packaging, '../docs/deployment.md'), 'utf8'));
  for (const name of ['nginx.example.conf', 'settings.example', 'access.example']) made.put(`usr/share/doc/lectern/examples/${name}`, own(name));
  made.put('usr/share/doc/lectern/copyright', own('debian/copyright'));
  made.put('usr/share/doc/lectern/changelog.gz', packed(`lectern (${version}) unstable; urgency=medium\n\n  * Built from the sources of this version.\n\n -- ${maintainer}  Thu, 01 Jan 1970 00:00:00 +0000\n`));
  for (const [name, page] of manualPages(version, commands)) made.put(`usr/share/man/man1/${name}.gz`, packed(page));
  made.put('usr/share/bash-completion/completions/lectern', completionScript('bash', commands));
  made.put('usr/share/zsh/vendor-completions/_lectern', completionScript('zsh', commands));
  made.put('usr/share/fish/vendor_completions.d/lectern.fish', completionScript('fish', commands));
  made.put('usr/share/doc/lectern/cli.md', readFileSync(join(packaging, '../docs/cli.md'), 'utf8'));
  made.put('usr/share/lintian/overrides/lectern', own('debian/lintian-overrides'));
  const files = filesBelow(made.root);
  const installedKiB = Math.ceil(files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024);
  const sums = files.filter((file) => !relative(made.root, file).startsWith('etc/'))
    .map((file) => `${createHash('md5').update(readFileSync(file)).digest('hex')}  ${relative(made.root, file)}\n`).sort().join('');
  made.put('DEBIAN/control', control(version, installedKiB));
  made.put('DEBIAN/conffiles', '/etc/lectern/settings\n/etc/lectern/access\n');
  made.put('DEBIAN/md5sums', sums);
  for (const script of ['preinst', 'postinst', 'prerm', 'postrm']) made.put(`DEBIAN/${script}`, own(`debian/${script}`), 0o755);
  const target = join(dirname(program), debName(version));
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', made.root, target], { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, SOURCE_DATE_EPOCH: time } });
  rmSync(made.root, { recursive: true, force: true });
  return target;
}
