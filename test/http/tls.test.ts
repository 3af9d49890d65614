// TLS by files: https on the listening address, a renewed certificate without a restart, a broken one not used.
import t from 'tap';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { listenOn } from '../../src/network/listen.js';
import { openTlsFiles } from '../../src/network/tls-files.js';
import { makeCertificate } from '../support/certificate.js';
import { until } from '../support/until.js';

/** The serial number of the certificate that is shown, and what is answered. */
function ask(port: number, ca: string): Promise<{ serial: string; answer: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => {
      const serial = socket.getPeerCertificate().serialNumber;
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => { answer += text; }).on('end', () => resolve({ serial, answer }));
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    });
    socket.on('error', reject);
  });
}

t.test('serves, renews, and keeps what works', async (t) => {
  const directory = t.testdir();
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const put = (pair: { cert: string; key: string }): void => {
    writeFileSync(certificate, pair.cert);
    writeFileSync(key, pair.key);
  };
  const first = makeCertificate(1);
  put(first);
  const server: Server = createServer((_request, response) => response.end('over TLS'));
  const failures: string[] = [];
  let failed = (): void => undefined;
  const tls = openTlsFiles(certificate, key, 20);
  const { addresses, close } = await listenOn(server, [{ host: '127.0.0.1', port: 0 }], { tls, onTlsFailure: ({ message }) => { failures.push(message); failed(); } });
  t.teardown(close);
  const { port, protocol } = new URL(addresses[0] as string);
  t.equal(protocol, 'https:');
  t.match(await ask(Number(port), first.cert), { serial: '01', answer: /^HTTP\/1\.1 200 [^]*over TLS/ });
  await t.rejects(fetch(`http://127.0.0.1:${port}`), 'nothing in the clear');

  const broken = new Promise<void>((resolve) => { failed = resolve; });
  writeFileSync(certificate, 'no certificate');
  await broken;
  t.match(failures, [/cannot be used/]);
  t.match(await ask(Number(port), first.cert), { serial: '01' }, 'the old one goes on');
  t.equal(tls.isCurrent(), false);

  const second = makeCertificate(2);
  put(second);
  await until('the new one without a restart', async () => await ask(Number(port), second.cert).then(({ serial }) => serial, () => '') === '02', 20);
  t.ok(tls.isCurrent());
});

t.test('files that do not fit together start nothing', async (t) => {
  const directory = t.testdir({ 'cert.pem': makeCertificate(1).cert, 'key.pem': makeCertificate(2).key });
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  t.throws(() => openTlsFiles(certificate, key), { code: 'invalid_request', message: /key values mismatch/ });
  t.throws(() => openTlsFiles(certificate, join(directory, 'none.pem')), { message: /none\.pem: ENOENT/ });
});
