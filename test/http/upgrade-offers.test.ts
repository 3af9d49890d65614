// A client that offers another protocol than HTTP/1.1, as Java's does with its first request, is answered; a WebSocket is one.
import t from 'tap';
import WebSocket from 'ws';
import { fakeLanguage } from '../support/language-service.js';
import { startTestService } from '../support/http-service.js';
import { openWith } from '../support/raw-http.js';
import { until } from '../support/until.js';

t.test('h2c is passed over, with a body and on a connection that goes on', async (t) => {
  const service = await startTestService({}, { language: fakeLanguage() });
  t.teardown(() => service.close());
  const url = await service.listen();
  const offer = 'host: 127.0.0.1\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n';
  const body = JSON.stringify({ model: 'talker', stream: false, messages: [{ role: 'user', content: 'one two' }] });
  const socket = await openWith(Number(new URL(url).port), '');
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (bytes: Buffer) => { text += bytes.toString('latin1'); });
  const answers = (): number => text.split('HTTP/1.1 200').length - 1;
  socket.write(`POST /api/chat HTTP/1.1\r\n${offer}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await until('the body was read', () => answers() === 1);
  socket.write(`GET /health HTTP/1.1\r\n${offer}\r\n`);
  await until('the next is answered', () => answers() === 2);
  t.match(text, /"status":"ok"/);
  const web = new WebSocket(`${url.replace('http', 'ws')}/v1/status/ws/none`);
  await t.resolves(new Promise((resolve, reject) => { web.once('open', resolve).once('error', reject); }), 'a WebSocket opens');
  web.close();
});
