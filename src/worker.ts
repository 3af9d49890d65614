/** A worker's main script: the program starts it for itself. The bundle has one in its place that brings its code compiled (packaging/src/worker.ts). */
import { compileLater } from './workers/compile-later.js';

compileLater();
const { worker } = await import('./cli/worker.js');
process.exitCode = await worker();
