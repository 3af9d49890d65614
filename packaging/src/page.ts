/** Builds the page of src/ui, and the API reference, into a few files that the service sends from memory. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { packageRoot } from '../../src/platform/package-files.js';

/** Into `directory`, whose other files are removed. */
export async function buildPage(directory: string): Promise<void> {
  const root = join(packageRoot(), 'src/ui');
  await build({
    configFile: false,
    root,
    // Behind a proxy the service may lie below a path.
    base: './',
    logLevel: 'warn',
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
    build: {
      outDir: directory,
      emptyOutDir: true,
      assetsDir: '',
      assetsInlineLimit: 0,
      target: 'es2022',
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // Swagger UI comes as one file of that size.
      chunkSizeWarningLimit: 2000,
      rollupOptions: { input: { index: join(root, 'index.html'), reference: join(root, 'reference.html') } },
    },
  });
  // The reference is sent at /docs, beside the directory of the page.
  const reference = join(directory, 'reference.html');
  writeFileSync(reference, readFileSync(reference, 'utf8').replaceAll('"./', '"ui/'));
}
