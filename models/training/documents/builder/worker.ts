/** A worker process of make.ts: makes the shards whose numbers it receives, one at a time. */
import { Batch } from './make-shard.js';
import type { BatchOptions } from './make-shard.js';
import { rendererOf } from './renderers/index.js';

const options = JSON.parse(process.argv[2] ?? '{}') as BatchOptions;
const batch = new Batch(options, await rendererOf(options.renderer));

process.on('message', (index: number) => {
  if (index < 0) void batch.close().finally(() => process.disconnect());
  else batch.make(index).then((report) => process.send?.({ index, report }), (thrown: unknown) => process.send?.({ index, error: thrown instanceof Error ? thrown.stack : String(thrown) }));
});
process.on('disconnect', () => void batch.close().finally(() => process.exit()));
process.send?.({ ready: true });
