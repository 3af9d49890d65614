/** Writes a zip file as a stream: it holds one chunk of one file in memory, whatever the sizes of the files. Runs in a worker. */
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

/** The format holds 4 GiB without its 64-bit extension (ZIP64); one MiB is left for headers. */
const maxZipBytes = 2 ** 32 - 2 ** 20;
/** "version made by" of an entry: its external attributes are those of UNIX (APPNOTE.TXT 4.4.2). */
const hostUnix = 3;
/** External attributes on UNIX: st_mode in the upper half, here of a regular file that its owner may write and all may read. */
const regularFile = 0o100644 << 16;
/** Mode of the zip file itself: its owner may read and write it. */
const ownerOnly = 0o600;
/** zlib's own default: levels above it take much longer for a few percent. */
const deflateLevel = 6;
/** Bytes that are read and compressed at a time. */
const chunkBytes = 256 * 1024;
/** Files that are compressed already: deflate would take time and save nothing. */
const packed = /\.(png|jpe?g|webp|gif)$/i;
/** A fixed time of change, so that the same results always give the same bytes. It is the first day that the format can express. */
const stamp = new Date(1980, 0, 1);

/** Rejects with `too_large` above 4 GiB, and with the signal's reason when it aborts. The caller then deletes the unfinished file. */
export async function writeZip(request: ZipRequest, ports: { signal: AbortSignal; progress: (bytesDone: number) => void }): Promise<null> {
  let total = 0;
  for (const { path } of request.entries) total += (await stat(path)).size;
  if (total > maxZipBytes) throw new LecternError('too_large', 'The results are too large for one zip file.');
  const output = await open(request.outputPath, 'wx', ownerOnly);
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
      const entry = packed.test(name) ? new ZipPassThrough(name) : new ZipDeflate(name, { level: deflateLevel });
      entry.mtime = stamp;
      entry.os = hostUnix;
      entry.attrs = regularFile;
      zip.add(entry);
      for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
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
