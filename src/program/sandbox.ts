/** The processes in which requests are prepared: this program again, by a word of its own. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSandbox, type Sandbox } from '../chat/sandbox/sandbox.js';
import { heapMebibytes } from '../chat/sandbox/verbs.js';
import type { Log } from '../logging/log.js';
import type { Settings } from '../settings/settings.js';
import { sameProgram, startWorker } from '../workers/command.js';

/** The command that serves as a sandbox process; `lectern help` does not list it. */
export const sandboxWord = 'sandbox';

/** Processes start with the first request that needs one. */
export function openSandbox({ slots }: Pick<Settings, 'slots'>, log: Log): Sandbox {
  const self = fileURLToPath(import.meta.url);
  // In the bundle the main script lies beside this one, in the tree of sources one level above.
  const places = [dirname(self), dirname(dirname(self))].map((directory) => join(directory, 'main' + extname(self)));
  const command = sameProgram(places.find((place) => existsSync(place)) ?? places[1]!, [sandboxWord]);
  return createSandbox({
    // Templates and schemas are interpreted, they run no code of their own: the process opens nothing for them.
    start: () => startWorker(command, heapMebibytes * 2 ** 20, { shared: '/', inputs: '/', outputs: '/', temporary: '/' }, null),
    size: slots,
    onLoss: (lastWords) => log.warn({ room: 'chat' }, `A process that prepares requests ended: ${firstLine(lastWords)}`),
  });
}

/** V8 prints pages when its heap is full. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => /FATAL|Error|lectern:/.test(line))?.slice(0, 300) ?? 'it was killed, or had no memory left.';
}
