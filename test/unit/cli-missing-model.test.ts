// A model that a service does not have: what it has is reported to every user, pulling only to users of its machine.
import t from 'tap';
import { explainMissing } from '../../src/cli/missing-model.js';
import { Service, ServiceRefusal } from '../../src/client/service.js';

const names = Array.from({ length: 9 }, (_, index) => `m${index}:latest`);

function serviceAt(address: string, models = names): Service {
  const service = new Service(address);
  service.send = async () => Response.json({ models: models.map((name) => ({ name, size: 1, capabilities: ['completion'] })) });
  return service;
}

const missing = new ServiceRefusal(404, 'There is no model "x".', { error: { code: 'model_not_found' } });

t.test('by where the service is', async (t) => {
  const said = async (address: string): Promise<string> => ((await explainMissing(missing, serviceAt(address), 'x')) as Error).message;
  for (const address of ['http://localhost:1', '127.0.0.1:1', 'http://[::1]:1/path']) t.match(await said(address), /`lectern models pull x`/, address);
  t.equal(await said('https://gpu.example.org'), 'The service at https://gpu.example.org has no model "x", only m0:latest, m1:latest, m2:latest, m3:latest, m4:latest, m5:latest, m6:latest, m7:latest and others.');
});

t.test('anything else stays as it is', async (t) => {
  const refused = new ServiceRefusal(404, 'The model "x" is there and cannot be used; the log says why.', { error: { code: 'model_not_found' } });
  const other = new ServiceRefusal(404, 'Not Found', { detail: 'Not Found' });
  const service = serviceAt('127.0.0.1:1');
  for (const thrown of [refused, other, new Error('x'), null]) t.equal(await explainMissing(thrown, service, 'x'), thrown);
  t.equal(await explainMissing(missing, serviceAt('127.0.0.1:1', []), 'x'), missing);
});
