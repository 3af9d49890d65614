/** The processes in which requests are prepared: this program again, by a word of its own. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { restrictedWithProgramsWord, restrictedWord } from '../chat/sandbox/restriction.js';
import { createSandbox, type Sandbox } from '../chat/sandbox/sandbox.js';
import { heapMebibytes } from '../chat/sandbox/verbs.js';
import type { Log } from '../logging/log.js';
import type { Settings } from '../settings/settings.js';
import { sameProgram, startWorker } from '../workers/command.js';
import type { WorkerCommand } from '../workers/worker-command.js';
import { confineSandbox } from './worker-confinement.js';

/** The command that serves as a sandbox process; `lectern help` does not list it. */
export const sandboxWord = 'sandbox';

function sandboxCommand(): WorkerCommand {
  const self = fileURLToPath(import.meta.url);
  // In the bundle the main script lies beside this one, in the tree of sources one level above.
  const places = [dirname(self), dirname(dirname(self))].map((directory) => join(directory, 'main' + extname(self)));
  return sameProgram(places.find((place) => existsSync(place)) ?? places[1]!, [sandboxWord]);
}

/**
 * Processes start with the first request that needs one. Templates and schemas are interpreted, they run no code of their own; what a defect of an
 * interpreter lets them do is bounded as in conversion workers: the process reads its own program, writes nothing and has no network.
 */
export function openSandbox({ slots, workerSandbox }: Pick<Settings, 'slots' | 'workerSandbox'>, log: Log, command = sandboxCommand()): Sandbox {
  const confinement = confineSandbox(workerSandbox, command);
  const systemCalls = confinement?.systemCalls ?? null;
  const restriction = systemCalls === null ? [] : [systemCalls.programs ? restrictedWithProgramsWord : restrictedWord];
  const whole = { ...command, args: [...command.args, ...restriction] };
  return createSandbox({
    start: () => startWorker(whole, heapMebibytes * 2 ** 20, null, confinement),
    size: slots,
    onLoss: (lastWords) => log.warn({ room: 'chat' }, `A process that prepares requests ended: ${firstLine(lastWords)}`),
  });
}

/** V8 prints pages when its heap is full. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => /FATAL|Error|lectern:/.test(line))?.slice(0, 300) ?? 'it was killed, or had no memory left.';
}
