/** A worker whose verbs use the text models of the main process. */
import { readdirSync } from 'node:fs';
import type { Bitmap } from '../../src/bitmap.js';
import { endWithParent } from '../../src/engine/end-with-parent.js';
import { createRemoteEngine } from '../../src/engine/remote.js';
import { serveJobs } from '../../src/workers/serve.js';

function gradient(width: number, height: number, stride: number): Bitmap {
  return { data: Uint8Array.from({ length: stride * height }, (_, i) => i % 251), width, height, stride };
}

await serveJobs({
  twice: async (_request, { call, scratchDirectory }) => {
    const readers = createRemoteEngine(call, scratchDirectory);
    const bitmap = gradient(100, 50, 416);
    const pages = await Promise.all([
      readers.readLines(bitmap, { model: 'bars', dpi: 300 }),
      readers.readLines(bitmap, { model: 'bars', dpi: 200, oneLine: true }),
    ]);
    return { lines: pages.map((page) => page.lines.length), left: readdirSync(scratchDirectory) };
  },
  withdrawn: async (_request, { call, scratchDirectory }) => {
    const abort = new AbortController();
    const asked = createRemoteEngine(call, scratchDirectory).readLines(gradient(1, 1, 4), { model: 'bars', dpi: 300, signal: abort.signal });
    setImmediate(() => abort.abort());
    const code = await asked.then(() => 'answered', (error: { code: string }) => error.code);
    return { code, left: readdirSync(scratchDirectory) };
  },
}, { endWithParent });
