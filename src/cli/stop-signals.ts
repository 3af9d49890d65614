/** What ends a program that somebody started: Ctrl-C, a supervisor, a terminal that is closed. */

/** Calls at the first such signal; a second one ends the process on the spot. */
export function onStopSignal(stop: (signal: string) => void): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!stopping) {
        stopping = true;
        stop(signal);
      // A terminal that is closed says so twice, by the system and by its shell: nobody is impatient.
      } else if (signal !== 'SIGHUP') {
        process.exit(1);
      }
    });
  }
}
