"""Drawing by several processes at once."""

import multiprocessing


def side_by_side(worker, count, *arguments):
    """Calls worker(first, count, *arguments) in `count` processes, first 0 to count - 1, and waits for all."""
    running = [multiprocessing.Process(target=worker, args=(first, count, *arguments)) for first in range(count)]
    for process in running:
        process.start()
    for process in running:
        process.join()
