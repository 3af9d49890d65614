/** The program as few files instead of hundreds: every start of it, and every worker is one, opens and resolves each file that it loads. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../../src/package-files.js';

/** Packages that find files of their own beside themselves: they stay as they are. */
export const wholePackages = ['sharp', '@embedpdf/pdfium'];

const part = 'part-';

/** Writes `main.js`, and the parts that it loads when they are needed, into `directory`. */
export async function bundleProgram(directory: string): Promise<void> {
  await build({
    entryPoints: [join(packageRoot(), 'src/main.ts')],
    outdir: directory,
    chunkNames: `${part}[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: wholePackages,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    // CommonJS packages in the bundle ask for Node's own modules with require.
    banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
  });
}

/** Parts of earlier bundles. */
export function removeParts(directory: string): void {
  for (const name of readdirSync(directory)) if (name.startsWith(part)) rmSync(join(directory, name));
}
