/** What ends a program of a user: Ctrl-C, a supervisor, a terminal that is closed, an output that takes nothing more. */

/**
 * Whether `nohup` started this program. nohup ignores the signal of a terminal that is closed; Node has undone that before any script
 * runs; the shells bash and zsh write to `_` what they started.
 */
function isUnderNohup(): boolean {
  return /(^|\/)nohup$/.test(process.env['_'] ?? '');
}

/** Of every command, also those that end at once. */
export function keepNohup(): void {
  if (isUnderNohup()) process.on('SIGHUP', () => undefined);
}

let stopping = false;
let stopInOrder: ((signal: string) => void) | undefined;
let outputExit: number | undefined;

/** Calls at the first such signal; a second one ends the process on the spot. */
export function onStopSignal(stop: (signal: string) => void): void {
  stopInOrder = stop;
  const signals = ['SIGINT', 'SIGTERM', ...(isUnderNohup() ? [] : ['SIGHUP'] as const)] as const;
  for (const signal of signals) {
    process.on(signal, () => {
      if (!stopping) {
        stopping = true;
        stop(signal);
      // A terminal that is closed sends the signal twice, by the system and by its shell: that is not a second request of the user.
      } else if (signal !== 'SIGHUP') {
        process.exit(1);
      }
    });
  }
}

/** Ends what runs with `exitCode`, since nothing reads its output: in order where its command has said how. */
export function endOutput(exitCode: number): void {
  if (stopInOrder === undefined) process.exit(exitCode);
  outputExit = exitCode;
  process.exitCode = exitCode;
  if (stopping) return;
  stopping = true;
  stopInOrder('SIGPIPE');
}

/** The exit code of a program whose output has ended; undefined while it is taken. Failures that its end causes are not reported. */
export function exitOfOutput(): number | undefined {
  return outputExit;
}
