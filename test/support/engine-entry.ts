/** A worker whose verbs use the engine of the main process. */
import { readdirSync } from 'node:fs';
import type { Bitmap } from '../../src/bitmap.js';
import { endWithParent } from '../../src/engine/end-with-parent.js';
import { createRemoteEngine } from '../../src/engine/remote.js';
import { serveJobs } from '../../src/workers/serve.js';

function gradient(width: number, height: number, stride: number): Bitmap {
  return { data: Uint8Array.from({ length: stride * height }, (_, i) => i % 251), width, height, stride };
}

await serveJobs({
  both: async (_request, { call, scratchDirectory }) => {
    const engine = createRemoteEngine(call, scratchDirectory);
    const bitmap = gradient(100, 50, 416);
    const [angle, floats] = await Promise.all([
      engine.deskewAngle(bitmap),
      engine.resizeImage(bitmap, { width: 4, height: 2, mean: [0, 0.5, 1], std: [1, 1, 2] }),
    ]);
    return { angle, floats: [...floats], left: readdirSync(scratchDirectory) };
  },
  withdrawn: async (_request, { call, scratchDirectory }) => {
    const abort = new AbortController();
    const asked = createRemoteEngine(call, scratchDirectory).deskewAngle(gradient(1, 1, 4), { signal: abort.signal });
    setImmediate(() => abort.abort());
    const code = await asked.then(() => 'answered', (error: { code: string }) => error.code);
    return { code, left: readdirSync(scratchDirectory) };
  },
}, { endWithParent });
