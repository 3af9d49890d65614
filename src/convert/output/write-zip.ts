/** Writes a zip file in a stream: memory for one piece, whatever the files' sizes. Runs in a worker. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { LecternError } from '../../errors.js';
import type { ZipEntry } from './zip-entries.js';

export interface ZipRequest {
  entries: ZipEntry[];
  /** Must not exist. */
  outputPath: string;
}

/** The format's own bound without its 64-bit extension. */
const maxZipBytes = 2 ** 32 - 2 ** 20;
/** Compressed already: deflate would cost time and win nothing. */
const packed = /\.(png|jpe?g|webp|gif)$/i;
/** The same results give the same bytes, whenever they are made. */
const stamp = new Date(1980, 0, 1);

/** Rejects with `too_large` past 4 GB and with the signal's reason; what was written is then the caller's to delete. */
export async function writeZip(request: ZipRequest, ports: { signal: AbortSignal; progress: (bytesDone: number) => void }): Promise<null> {
  let total = 0;
  for (const { path } of request.entries) total += (await stat(path)).size;
  if (total > maxZipBytes) throw new LecternError('too_large', 'The results are too large for one zip file.');
  const output = await open(request.outputPath, 'wx', 0o600);
  try {
    let pieces: Uint8Array[] = [];
    let done = 0;
    const zip = new Zip((error, piece) => {
      if (error) throw error;
      pieces.push(piece);
    });
    const flush = async (): Promise<void> => {
      ports.signal.throwIfAborted();
      for (const piece of pieces) await output.writeFile(piece);
      pieces = [];
    };
    for (const { name, path } of request.entries) {
      const entry = packed.test(name) ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
      entry.mtime = stamp;
      entry.os = 3;
      entry.attrs = 0o100644 << 16;
      zip.add(entry);
      for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
        entry.push(chunk as Uint8Array, false);
        await flush();
        done += (chunk as Uint8Array).length;
        ports.progress(done);
      }
      entry.push(new Uint8Array(0), true);
      await flush();
    }
    zip.end();
    await flush();
  } finally {
    await output.close();
  }
  return null;
}
