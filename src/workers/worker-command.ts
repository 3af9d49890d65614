/** How a worker is started: the same program again, with other words. */
export interface WorkerCommand {
  execPath: string;
  args: string[];
}
