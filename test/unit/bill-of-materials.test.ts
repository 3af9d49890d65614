// The bill of materials of a release.
import t from 'tap';
import { billOfMaterials, unlicensed, type BillOfMaterials } from '../../packaging/src/bill-of-materials.js';

const part = (name: string, id: string) => ({ type: 'library', name, version: '1.0.0', licenses: [{ license: { id } }] });
const npm: BillOfMaterials = { bomFormat: 'CycloneDX', serialNumber: 'urn:uuid:1', metadata: { timestamp: 'now', component: { name: 'checkout', version: '9', type: 'library' } }, components: [part('b', 'MIT'), part('a', 'ISC')] };

t.test('it holds what npm installs and what is carried beside it, and is the same for the same sources', (t) => {
  const text = billOfMaterials(npm, { node: '20.0.0', cuda: true }, 'lectern', '1.2.3', '1700000000');
  const bill = JSON.parse(text) as BillOfMaterials;
  t.strictSame(bill.components.map(({ name }) => name), ['a', 'b', 'cudart_static', 'node', 'pdfium']);
  t.match(bill, { bomFormat: 'CycloneDX', serialNumber: /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/, metadata: { timestamp: '2023-11-14T22:13:20.000Z', component: { name: 'lectern', version: '1.2.3', type: 'application' } } });
  t.equal(billOfMaterials({ ...npm, serialNumber: 'urn:uuid:2', components: [...npm.components].reverse() }, { node: '20.0.0', cuda: true }, 'lectern', '1.2.3', '1700000000'), text);
  t.notMatch(billOfMaterials(npm, { node: '20.0.0', cuda: false }, 'lectern', '1.2.3', '0'), 'cudart');
  t.end();
});

t.test('packages without a licence are named', (t) => {
  t.strictSame(unlicensed(npm), []);
  t.strictSame(unlicensed({ components: [...npm.components, { ...part('c', ''), licenses: [] }] }), ['c 1.0.0']);
  t.end();
});
