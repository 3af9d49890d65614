/**
 * `npm run watch`: esbuild writes a saved file to `dist` at once, and tsc reports errors of types when it has checked the program. esbuild compiles file by
 * file; `isolatedModules` makes that equal to what tsc writes.
 */
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What tsconfig.json includes, without test/fixtures. */
const directories = ['src', 'bench', 'packaging/src', 'test/golden', 'test/http', 'test/seam', 'test/support', 'test/unit'];
/** Milliseconds in which several events of one saved file arrive. */
const settling = 20;

async function write(entryPoints: string[]): Promise<void> {
  const start = performance.now();
  try {
    await build({ entryPoints, outdir: 'dist', outbase: '.', format: 'esm', platform: 'node', sourcemap: true, logLevel: 'warning' });
    process.stdout.write(`dist is up to date (${Math.round(performance.now() - start)} ms).\n`);
  } catch {
    // esbuild has reported the errors; the next save tries again.
  }
}

const saved = new Set<string>();
let timer: NodeJS.Timeout | undefined;
for (const directory of directories) {
  watch(directory, { recursive: true }, (_, name) => {
    if (!name?.endsWith('.ts')) return;
    saved.add(join(directory, name));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = [...saved].filter((file) => existsSync(file));
      saved.clear();
      if (files.length > 0) void write(files);
    }, settling);
  });
}
await write(directories.map((directory) => `${directory}/**/*.ts`));

// Without `incremental` tsc leaves the record of `npm run compile` alone, which therefore still knows what changed.
const types = spawn(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', 'tsconfig.json', '--noEmit', '--incremental', 'false', '--watch', '--preserveWatchOutput'], { stdio: 'inherit' });
types.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => types.kill(signal));
