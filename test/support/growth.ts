/** How work grows with its size, in time of the processor: what else the machine does meanwhile is not counted. */

/** The least of three runs, in microseconds of this process. */
function leastTime(work: () => unknown): number {
  let least = Infinity;
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** How many times as long four times as much takes: 4 where it is linear, 16 where it is quadratic. */
export function growthOf(work: (size: number) => unknown, size: number): number {
  // The first runs pay for the compiler.
  work(size);
  return leastTime(() => work(4 * size)) / Math.max(1, leastTime(() => work(size)));
}
