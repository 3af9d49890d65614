/** `lectern serve` as a process of its own, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { mainScript } from './program.js';

export interface ServingProgram {
  url: string;
  child: ChildProcess;
  /** The lines of its log so far. */
  said: readonly string[];
  /** Settles when the process is gone, and all that it said is in `said`. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGHUP'): Promise<void>;
}

/** Serves on a port of the system's choosing with everything below `home`. Rejects with its last words when it ends before it serves. */
export async function serveProgram(home: string, words: string[] = [], [command, ...args]: string[] = [process.execPath, mainScript]): Promise<ServingProgram> {
  const child = spawn(command as string, [...args, 'serve', '--listen', '127.0.0.1:0', '--state', `${home}/state`, ...words], {
    env: { HOME: home }, stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Its exit may be known before its last words are read.
  const gone = once(child, 'close');
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const address = /"addresses":\["([^"]+)"/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('error', reject);
    void gone.then(() => reject(new Error(`the service ended: ${said.slice(-5).join('\n')}`)));
  });
  return {
    url, child, said,
    end: async (signal) => {
      child.kill(signal);
      await gone;
    },
  };
}
