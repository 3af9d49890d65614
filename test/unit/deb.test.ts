// The Debian package: what is in it, whose it is, and scripts that a shell understands.
import t from 'tap';
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDeb } from '../../packaging/src/deb.js';
import { packageRoot } from '../../src/platform/package-files.js';

const skip = spawnSync('dpkg-deb', ['--version']).status === 0 ? false : 'there is no dpkg-deb on this machine';

t.test('the package', { skip }, async (t) => {
  const directory = t.testdir({ dist: {} });
  const program = join(directory, 'dist', 'lectern');
  writeFileSync(program, '#!/bin/sh\necho a program\n', { mode: 0o755 });
  const make = (): string => makeDeb(program, join(packageRoot(), 'packaging'), '1.2.3', '1700000000');
  const deb = make();
  const bytes = readFileSync(deb);
  const ask = (...words: string[]): string => execFileSync('dpkg-deb', [...words], { encoding: 'utf8' });
  t.match(ask('--field', deb), /^Package: lectern\nVersion: 1\.2\.3\n[^]*^Depends: libc6 \(>= 2\.34\)/m);
  const listed = new Map(ask('--contents', deb).trim().split('\n').map((line) => {
    const [mode = '', owner = '', , , , path = ''] = line.split(/\s+/);
    return [path.replace(/^\./, ''), `${mode} ${owner}`];
  }));
  t.match(Object.fromEntries(listed), {
    '/usr/bin/lectern': '-rwxr-xr-x root/root', '/usr/lib/systemd/system/lectern.service': '-rw-r--r-- root/root',
    '/etc/lectern/settings': '-rw-r----- root/root', '/etc/lectern/access': '-rw-r----- root/root', '/usr/share/man/man1/lectern.1.gz': '-rw-r--r-- root/root', '/usr/share/man/man1/lectern-convert.1.gz': '-rw-r--r-- root/root',
    '/usr/share/bash-completion/completions/lectern': '-rw-r--r-- root/root', '/usr/share/zsh/vendor-completions/_lectern': '-rw-r--r-- root/root', '/usr/share/fish/vendor_completions.d/lectern.fish': '-rw-r--r-- root/root',
  });
  const unpacked = join(directory, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('dpkg-deb', ['--raw-extract', deb, unpacked]);
  const unit = readFileSync(join(unpacked, 'usr/lib/systemd/system/lectern.service'), 'utf8');
  t.match(unit, /^ExecStart=\/usr\/bin\/lectern serve$/m);
  t.notMatch(unit, '/usr/local');
  t.match(unit, /^ExecStartPre=-\+\/usr\/bin\/nvidia-modprobe -u -c 0\n(?:#.*\n)*ExecStart=/m, 'the GPU\'s device files are made first, where that program is');
  t.match(unit, /^StartLimitIntervalSec=0$/m, 'it never stays down');
  for (const guard of ['ProtectKernelModules=yes', 'ProtectProc=invisible', 'RemoveIPC=yes', 'PrivateMounts=yes']) t.match(unit, new RegExp(`^${guard}$`, 'm'));
  t.equal(readFileSync(join(unpacked, 'DEBIAN/conffiles'), 'utf8'), '/etc/lectern/settings\n/etc/lectern/access\n', 'what an operator writes stays');
  for (const script of ['preinst', 'postinst', 'prerm', 'postrm']) t.equal(spawnSync('sh', ['-n', join(unpacked, 'DEBIAN', script)]).status, 0, script);
  for (const [word, file] of [['settings', 'settings'], ['access', 'access']] as const) {
    t.notMatch(readFileSync(join(unpacked, 'etc/lectern', file), 'utf8'), /^(?!#)(?!LECTERN_(LISTEN=127\.0\.0\.1:11434|STATE=\/var\/lib\/lectern|MODELS=\/var\/lib\/lectern\/models)$).+/m, `${word}: no client enters from the network before an operator says so`);
  }
  t.ok(readFileSync(make()).equals(bytes), 'the same sources are the same package');
});

t.test('its scripts, called as dpkg calls them', async (t) => {
  const unit = 'etc/systemd/system/multi-user.target.wants/lectern.service';
  const root = t.testdir({ run: { systemd: { system: {} } }, etc: { systemd: { system: { 'multi-user.target.wants': {} } } }, var: { lib: { lectern: {} }, cache: {} }, bin: {} });
  const heard = join(root, 'heard');
  const asked = (words: string): string => `#!/bin/sh\n${words}\n`;
  writeFileSync(join(root, 'bin/systemctl'), asked(`echo "$*" >> ${heard}\ncase $1 in enable) touch ${root}/${unit};; disable) rm -f ${root}/${unit};; is-enabled) test -e ${root}/${unit};; start) test ! -e ${root}/fails;; esac`), { mode: 0o755 });
  for (const name of ['getent', 'adduser', 'chown', 'install']) writeFileSync(join(root, 'bin', name), asked('exit 0'), { mode: 0o755 });
  /** By a script whose absolute paths lie below `root`. */
  const run = (call: string): SpawnSyncReturns<string> => {
    const [script = '', ...words] = call.split(' ');
    const text = readFileSync(join(packageRoot(), 'packaging/debian', script), 'utf8').replace(/(?<=[ \n])\/(?=run|etc|var)/g, `${root}/`);
    return spawnSync('sh', ['-c', text, script, ...words.map((word) => (word === '-' ? '' : word))], { encoding: 'utf8', env: { PATH: `${root}/bin:/usr/bin:/bin` } });
  };
  /** The arguments of systemctl. */
  const told = (...calls: string[]): string[] => {
    writeFileSync(heard, '');
    for (const call of calls) {
      const { status, stderr } = run(call);
      t.strictSame([status, stderr], [0, ''], call);
    }
    return readFileSync(heard, 'utf8').split('\n').filter((line) => line !== '' && line !== 'daemon-reload');
  };
  const install = ['preinst install', 'postinst configure -'];
  const comeBack = ['preinst install 1.0', 'postinst configure 1.0'];
  t.strictSame(told(...install), ['enable --now lectern.service'], 'a new installation begins');
  t.strictSame(told('prerm upgrade 1.1', 'preinst upgrade 1.0', 'postrm upgrade 1.1', 'postinst configure 1.0'), ['try-restart lectern.service'], 'an upgrade restarts what runs');
  t.strictSame(told('prerm remove', 'postrm remove'), ['stop lectern.service']);
  t.strictSame(told(...comeBack).at(-1), 'start lectern.service', 'removed and installed again it begins');
  told('prerm remove', 'postrm remove', 'preinst install 1.0');
  writeFileSync(join(root, 'fails'), '');
  t.match(run('postinst configure 1.0'), { status: 0, stderr: /did not start: .*journalctl/ }, 'a service that does not start does not fail the installation');
  rmSync(join(root, 'fails'));
  told('prerm remove', 'postrm remove');
  writeFileSync(heard, '');
  spawnSync(join(root, 'bin/systemctl'), ['disable', 'lectern.service']);
  t.notOk(told(...comeBack).includes('start lectern.service'), 'unless it had been disabled');
  t.strictSame(told('prerm upgrade 1.1', 'preinst upgrade 1.0', 'postrm upgrade 1.1', 'postinst configure 1.0'), ['try-restart lectern.service'], 'the next upgrade is one again');
  told('postinst configure -', 'prerm remove', 'postrm remove', 'postrm purge');
  t.strictSame([unit, 'var/lib/lectern', 'var/cache/lectern'].filter((path) => existsSync(join(root, path))), [], 'purged');
  t.strictSame(told(...install), ['enable --now lectern.service']);
});
