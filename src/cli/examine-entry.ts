/** What `lectern doctor` checks of who may enter: addresses and their access list, the certificate. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { checkEntry } from '../program/entry.js';
import type { Settings } from '../settings/settings.js';
import { LecternError } from '../errors.js';
import type { Finding } from './examine-directories.js';

const dayMs = 24 * 3_600_000;
/** Renewals that work happen weeks before. */
const soonMs = 14 * dayMs;

export function examineEntry(settings: Settings, now = Date.now()): Finding[] {
  const { accessList, allowAll, allowedRoles, tlsCertificate } = settings;
  try {
    checkEntry(settings);
  } catch (thrown) {
    if (!(thrown instanceof LecternError)) throw thrown;
    const running = accessList === null && tlsCertificate === null ? '' : '; one that runs goes on with what its files said before';
    return [{ state: 'bad', what: `access: the service would not start${running}`, advice: thrown.message }];
  }
  const access: Finding = accessList !== null ? { state: 'good', what: `access: ${accessList}, for ${allowedRoles.join(', ')}` }
    : allowAll ? { state: 'note', what: 'access: any client that reaches the port may use it', advice: 'leave out --allow-all and name networks and keys with --access-list' }
      : { state: 'good', what: 'access: only from this machine' };
  return tlsCertificate === null ? [access] : [access, examineCertificate(tlsCertificate, now)];
}

function examineCertificate(file: string, now: number): Finding {
  const { validTo, subject } = new X509Certificate(readFileSync(file));
  const leftMs = Date.parse(validTo) - now;
  const what = `certificate: ${subject.replaceAll('\n', ', ')}, valid to ${validTo}`;
  if (leftMs <= 0) return { state: 'bad', what, advice: 'it has expired: put a new one in its place; the running service takes it up' };
  if (leftMs < soonMs) return { state: 'note', what, advice: `${Math.floor(leftMs / dayMs)} days are left: renew it; the running service takes the new one up` };
  return { state: 'good', what };
}
