/** A certificate and its key from files, read again when they change: a renewed one needs no restart. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { LecternError } from '../errors.js';
import { watchFile, type LookingAgain } from '../platform/watched-file.js';

export interface CertificateAndKey {
  cert: string;
  key: string;
}

export interface TlsFiles {
  current: CertificateAndKey;
  /** Calls with each later pair; a pair that does not fit together is reported to `onFailure` and not used. Answers the way to stop. */
  watch(onChange: (pair: CertificateAndKey) => void, onFailure: (error: LecternError) => void): () => void;
  /** Whether the pair in use is what the files hold: false since they have changed into one that cannot be used. */
  isCurrent(): boolean;
}

/** Renewals happen every some weeks; a pair that is written file by file is whole at the next look. */
const lookMs = 10_000;

/** Throws `invalid_request` when a file cannot be read, or the key is not the certificate's. */
export function openTlsFiles(certificate: string, key: string, everyMs = lookMs): TlsFiles {
  let current = read(certificate, key);
  let looking: LookingAgain | undefined;
  return {
    current,
    watch: (onChange, onFailure) => {
      looking = watchFile(() => {
        const next = read(certificate, key);
        if (next.cert === current.cert && next.key === current.key) return;
        current = next;
        onChange(next);
      }, onFailure, everyMs);
      return looking.stop;
    },
    isCurrent: () => looking?.isCurrent() ?? true,
  };
}

function read(certificate: string, keyFile: string): CertificateAndKey {
  let file = certificate;
  try {
    const cert = readFileSync(certificate, 'utf8');
    file = keyFile;
    const key = readFileSync(keyFile, 'utf8');
    file = `${certificate} with ${keyFile}`;
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (cause) {
    throw new LecternError('invalid_request', `The certificate cannot be used: ${file}: ${(cause as Error).message}.`, { cause });
  }
}
