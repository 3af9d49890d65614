// What the doctor says of who may enter: nothing that would not start is called good, and certificates run out.
import t from 'tap';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { examineEntry } from '../../src/cli/examine-entry.js';
import { resolveSettings, type Settings } from '../../src/settings/settings.js';
import { makeCertificate } from '../support/certificate.js';

t.test('access', async (t) => {
  const directory = t.testdir({ list: '10.0.0.0/8 researcher\n', wrong: '10.0.0.0/8 profesor\n' });
  const look = (...words: string[]) => examineEntry(resolveSettings(words, { HOME: directory }).values);
  t.match(look(), [{ state: 'good', what: 'access: only from this machine' }]);
  const open = ['--listen', '0.0.0.0:1'];
  t.match(look(...open), [{ state: 'bad', what: /would not start$/, advice: /can be reached from the network: .*--access-list/ }]);
  t.match(look(...open, '--allow-all'), [{ state: 'note', advice: /--access-list/ }]);
  t.match(look(...open, '--access-list', join(directory, 'list')), [{ state: 'good', what: /list, for administrator, researcher$/ }]);
  t.match(look(...open, '--access-list', join(directory, 'wrong')), [{ state: 'bad', what: /would not start; one that runs goes on with what its files said before$/, advice: /Line 1 .*"profesor"/ }]);
  t.match(look(...open, '--access-list', join(directory, 'none')), [{ state: 'bad', advice: /cannot be read/ }]);
});

t.test('certificates', async (t) => {
  const directory = t.testdir();
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const pair = makeCertificate(1);
  writeFileSync(certificate, pair.cert);
  writeFileSync(key, pair.key);
  const settings: Settings = resolveSettings(['--tls-certificate', certificate, '--tls-key', key], { HOME: directory }).values;
  const end = Date.parse(new X509Certificate(pair.cert).validTo);
  const day = 24 * 3_600_000;
  t.match(examineEntry(settings, end - 30 * day)[1], { state: 'good', what: /^certificate: .*valid to/ });
  t.match(examineEntry(settings, end - 3.5 * day)[1], { state: 'note', advice: /^3 days are left/ });
  t.match(examineEntry(settings, end + 1)[1], { state: 'bad', advice: /expired/ });
  t.match(examineEntry({ ...settings, tlsKey: null }), [{ state: 'bad', advice: /go together/ }]);
});
