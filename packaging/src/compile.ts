/** What `npm run compile` does after tsc: puts the bundled program in the place of the main script, for users and tests alike. tsc alone leaves one that loads file by file. */
import { join } from 'node:path';
import { packageRoot } from '../../src/package-files.js';
import { bundleProgram, removeOldParts } from './bundle.js';

const directory = join(packageRoot(), 'dist/src');
removeOldParts(directory, await bundleProgram(directory));
