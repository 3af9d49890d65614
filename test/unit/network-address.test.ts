// IP addresses and networks: notations, mapped addresses, prefixes.
import t from 'tap';
import { contains, isLoopback, type Network, type NetworkAddress, parseNetwork, parseNetworkAddress } from '../../src/network/address.js';

const address = (text: string): NetworkAddress => parseNetworkAddress(text) as NetworkAddress;
const network = (text: string): Network => parseNetwork(text) as Network;
const hex = (text: string): string => Buffer.from(address(text).bytes).toString('hex');

t.test('addresses', async (t) => {
  t.equal(hex('10.0.200.1'), '0a00c801');
  t.equal(hex('2001:db8::1'), '20010db8000000000000000000000001');
  t.equal(hex('::'), '0'.repeat(32));
  t.equal(hex('1:2:3:4:5:6:7:8'), '00010002000300040005000600070008');
  t.equal(hex('1::8'), '0001000000000000000000000000' + '0008');
  t.equal(hex('fe80::1%eth0'), 'fe80000000000000000000000000' + '0001', 'without the zone');
  t.strictSame(address('::ffff:10.0.0.1'), address('10.0.0.1'), 'IPv4 inside IPv6');
  t.strictSame(address('::ffff:a00:1'), address('10.0.0.1'), 'however it is written');
  t.equal(hex('64:ff9b::10.0.0.1'), '0064ff9b00000000000000000a000001', 'other prefixes are IPv6');
  for (const bad of ['', 'x', '10.0.0', '10.0.0.256', '1:2', ':::', 'localhost', '10.0.0.1/8']) t.equal(parseNetworkAddress(bad), undefined, bad);
});

t.test('networks', async (t) => {
  const holds = (net: string, one: string): boolean => contains(network(net), address(one));
  t.ok(holds('10.0.0.0/8', '10.255.0.1'));
  t.notOk(holds('10.0.0.0/8', '11.0.0.0'));
  t.ok(holds('10.1.2.128/25', '10.1.2.200'));
  t.notOk(holds('10.1.2.128/25', '10.1.2.127'));
  t.ok(holds('0.0.0.0/0', '1.2.3.4'));
  t.ok(holds('10.0.0.7', '10.0.0.7'));
  t.notOk(holds('10.0.0.7', '10.0.0.6'));
  t.ok(holds('2001:db8::/33', '2001:db8:7fff::1'));
  t.notOk(holds('2001:db8::/33', '2001:db8:8000::1'));
  t.ok(holds('10.0.0.0/8', '::ffff:10.9.9.9'), 'mapped');
  t.ok(holds('::ffff:10.0.0.0/104', '10.9.9.9'), 'a mapped network');
  t.notOk(holds('::/0', '10.0.0.1'), 'all of IPv6 is none of IPv4');
  t.notOk(holds('0.0.0.0/0', '::1'));
  for (const bad of ['10.0.0.1/8', '10.0.0.0/33', '2001:db8::1/32', '::/129', '10.0.0.0/', 'x/8', '::ffff:10.0.0.0/90', 'fe80::1%eth0', 'fe80::%eth0/64']) t.equal(parseNetwork(bad), undefined, bad);
});

t.test('loopback', async (t) => {
  for (const one of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) t.ok(isLoopback(address(one)), one);
  for (const one of ['128.0.0.1', '::', '::2', '1::1', '10.0.0.1']) t.notOk(isLoopback(address(one)), one);
});
