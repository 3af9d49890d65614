/** A self-signed certificate for localhost, made by code: DER as X.690 has it, signed with P-256. */
import { generateKeyPairSync, sign } from 'node:crypto';

const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const utcTime = (time: Date): Buffer => tlv(0x17, Buffer.from(`${time.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

/** PEM texts. Each call has a key of its own; `serial` tells certificates apart. */
export function makeCertificate(serial: number): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from('localhost')))));
  // subjectAltName: DNS localhost and IP 127.0.0.1.
  const names = sequence(tlv(0x82, Buffer.from('localhost')), tlv(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = tlv(0xa3, sequence(sequence(oid('551d11'), tlv(0x04, names))));
  const day = 86_400_000;
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))), tlv(0x02, Buffer.from([serial])), ecdsaWithSha256, name,
    sequence(utcTime(new Date(Date.now() - day)), utcTime(new Date(Date.now() + day))), name,
    publicKey.export({ type: 'spki', format: 'der' }), extensions,
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, ecdsaWithSha256, tlv(0x03, Buffer.from([0]), signature));
  const cert = `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}
