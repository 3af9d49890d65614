/** The task table: accepts tasks, queues and runs them, reports their state, keeps their results and forgets them. Its state is in memory, its files are in the spool directory. */
import PQueue from 'p-queue';
import { v4 as uuid } from 'uuid';
import { asDiskFull, asUnkept, DiskFull } from '../platform/disk-full.js';
import { LecternError, asLecternError } from '../errors.js';
import { systemClock } from './clock.js';
import { KeptTasks } from './kept.js';
import { Recovered } from './recovered.js';
import { newRecord, type TaskRecord } from './record-format.js';
import { Removals } from './removals.js';
import { Room } from './room.js';
import { SlotFiles, SpoolQuota } from './slot-files.js';
import { claimSpool, folderIn, readSpool } from './spool.js';
import { Task } from './task.js';
import { GuestPlaces, guestWaitMs, Turns } from './turns.js';
import { UnreadableTasks } from './unreadable-tasks.js';
import { WorkBytes } from './work-bytes.js';
import type { Clock, TaskCounts, TaskOutput, TaskSlot, TaskTable, TaskTableOptions, TaskView } from './types.js';

/** Attempts after which a task is not run again: a task that was running when two processes died is taken for the cause. */
const maxAttempts = 2;

class Table<Payload, Meta, Summary> implements TaskTable<Payload, Meta, Summary> {
  private readonly tasks = new Map<string, Task<Meta, Summary>>();
  private readonly turns = new Turns<Task<Meta, Summary>>();
  private readonly running = new Set<Task<Meta, Summary>>();
  private readonly kept: KeptTasks<Meta, Summary>;
  private readonly quota: SpoolQuota;
  private readonly room: Room;
  private readonly work: WorkBytes<Task<Meta, Summary>>;
  private readonly queue: PQueue;
  private readonly clock: Clock;
  /** The time from which this process counts how long tasks wait. */
  private readonly openedAt: number;
  /** Disk operations under way, for which `close` waits. */
  private readonly chores = new Set<Promise<unknown>>();
  private readonly removals = new Removals((work) => this.quietly(work));
  private readonly since = { begun: 0, waitMs: 0, succeeded: 0, failed: 0, cancelled: 0 };
  private sequence = 0;
  private readonly found = new Recovered<Payload, Meta, Summary>();
  private readonly unreadable: UnreadableTasks;
  private readonly guests: GuestPlaces;
  closed = false;
  /** The table is closed and its directory unlocked. */
  private gone = false;

  constructor(private readonly options: TaskTableOptions<Payload, Meta, Summary>, private readonly unlock: () => Promise<void>) {
    this.clock = options.clock ?? systemClock;
    this.openedAt = this.clock.now();
    this.unreadable = new UnreadableTasks(options.directory, (message, cause) => this.log('error', message, cause));
    this.room = new Room(options, this.clock, () => ({ waiting: this.turns.size, running: this.running.size, uploadBytes: this.quota.uploads }));
    this.queue = new PQueue({ concurrency: options.concurrency, autoStart: false });
    const { maxEnded, maxEndedBytes = Infinity, maxBytes = Infinity } = options;
    const limit = maxEndedBytes === Infinity ? Infinity : maxBytes / 2;
    this.guests = new GuestPlaces(options.guests ?? 0, this.clock, () => this.beginGuest());
    this.work = new WorkBytes(this.clock, limit, () => this.kept.trim());
    this.kept = new KeptTasks({ maxEnded, maxEndedBytes: () => maxEndedBytes - this.work.bytes }, this.clock, (task) => this.removals.add(this.forget(task)));
    this.quota = new SpoolQuota(maxBytes, limit === Infinity ? 0 : limit, () => this.kept.bytes + this.work.bytes);
  }

  async recover(): Promise<void> {
    const { records, orphans, failures } = await readSpool(this.options.directory, this.unreadable);
    for (const thrown of failures) this.log('error', 'a task cannot be read, or rid of what a crash left; its files stay for the next start', thrown);
    for (const orphan of orphans) this.removals.add(orphan);
    let queued = 0;
    for (const record of records) {
      this.sequence = Math.max(this.sequence, record.sequence);
      const task = this.track(record);
      if (!task.ended) await this.found.add(task);
      if (task.ended) this.kept.add(task);
      else if (task.attempts >= maxAttempts) {
        const message = `The service ended ${task.attempts} times while it worked on this task.`;
        await this.end(task, null, new LecternError('worker_crashed', message));
      } else {
        Object.assign(task, { status: 'pending', startedAt: null, meta: null });
        const bytes = await task.folder.inputBytes().catch(() => 0);
        await task.folder.clearRun();
        task.releaseInputs = this.quota.count(bytes);
        this.enqueue(task);
        queued++;
      }
    }
    const over = records.length - this.tasks.size;
    if (queued + orphans.length + over > 0) this.log('info', `tasks queued again after a restart: ${queued}, deleted: orphans ${orphans.length}, over ${over}`);
    this.queue.start();
  }

  async admit(kind: string, tenant: string, owner = ''): Promise<TaskSlot<Payload, Meta, Summary>> {
    this.refuseWhenClosed();
    const { concurrency, maxQueued } = this.options;
    if (!this.room.isThere()) throw new DiskFull();
    const place = this.turns.reserve(owner === '' ? tenant : owner, concurrency + maxQueued, this.running.size);
    const id = uuid();
    const folder = folderIn(this.options.directory, id);
    try {
      await this.chore(folder.create());
    } catch (thrown) {
      place.giveBack();
      throw asUnkept(thrown);
    }
    const files = new SlotFiles(folder, this.quota, this.options.openFile);
    return {
      id,
      inputsDirectory: folder.inputs,
      createInput: (name) => files.create(name),
      submit: async (payload) => {
        if (!place.isOpen) throw new LecternError('invalid_state', 'The slot was used already.');
        const record = newRecord({ id, sequence: ++this.sequence, kind, tenant, owner, createdAt: this.clock.now() });
        try {
          this.refuseWhenClosed();
          await this.chore(folder.writePayload(payload).then(() => folder.writeRecord(record)).then(() => folder.settleEntries()));
        } catch (thrown) {
          if (place.giveBack()) await this.chore(folder.abandon());
          files.release();
          throw asUnkept(thrown);
        }
        place.giveBack();
        const task = this.track(record);
        task.releaseInputs = () => files.release();
        return this.enqueue(task);
      },
      discard: async () => {
        if (!place.giveBack()) return;
        await this.chore(folder.abandon());
        files.release();
      },
    };
  }

  get(id: string, tenant: string): TaskView<Meta, Summary> {
    return this.find(id, tenant).view();
  }

  async wait(id: string, tenant: string, timeoutMs: number, signal?: AbortSignal): Promise<TaskView<Meta, Summary>> {
    const task = this.find(id, tenant);
    if (!task.ended && !this.closed && timeoutMs > 0 && !signal?.aborted) await task.wokenWithin(timeoutMs, signal);
    return task.view();
  }

  recovered(): { task: TaskView<Meta, Summary>; payload: Payload }[] {
    return this.found.take((task) => this.isVisible(task));
  }

  subscribe(id: string, tenant: string, listener: (task: TaskView<Meta, Summary>) => void): () => void {
    const task = this.find(id, tenant);
    return task.ended ? () => undefined : task.listen(listener);
  }

  async cancel(id: string, tenant: string): Promise<TaskView<Meta, Summary>> {
    const task = this.find(id, tenant);
    if (!task.ended) await this.stop(task);
    return task.view();
  }

  async remove(id: string, tenant: string): Promise<void> {
    const task = this.find(id, tenant);
    if (!task.ended) await this.stop(task);
    if (this.kept.drop(id)) await this.erase(task);
  }

  async openOutput(id: string, tenant: string, name: string): Promise<TaskOutput> {
    const task = this.find(id, tenant);
    const output = task.status === 'success' ? await task.folder.openOutput(name, task.toRecord()).catch((thrown: unknown) => this.unreadable.logDamage(id, thrown)) : null;
    if (!output) throw new LecternError('not_found', 'The task has no such result.');
    return output;
  }

  async clear(tenant: string, olderThanSeconds: number, owner?: string): Promise<number> {
    const before = this.clock.now() - olderThanSeconds * 1000;
    const old = [...this.kept].filter((task) => task.tenant === tenant && (owner === undefined || task.owner === owner) && (task.endedAt ?? Infinity) <= before);
    await Promise.all(old.map((task) => this.kept.drop(task.id) && this.erase(task)));
    return old.length;
  }

  counts(): TaskCounts {
    return {
      reserved: this.turns.reserved, waiting: this.turns.size, running: this.running.size,
      ended: this.kept.size, endedBytes: this.kept.bytes, ...this.since,
    };
  }

  list(tenant: string, most: number, owner?: string): TaskView<Meta, Summary>[] {
    const seen = [...this.tasks.values()].filter((task) => task.tenant === tenant && (owner === undefined || task.owner === owner) && this.isVisible(task));
    return seen.sort((a, b) => b.place - a.place).slice(0, most).map((task) => task.view());
  }

  async close(options: { waitMs?: number } = {}): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.queue.pause();
    this.kept.close();
    const running = [...this.running];
    const settled = Promise.all(running.map((task) => task.settled));
    if (running.length > 0 && (options.waitMs ?? 0) > 0) {
      await new Promise<void>((resolve) => {
        const stopTimer = this.clock.after(options.waitMs ?? 0, resolve);
        void settled.then(stopTimer).then(resolve);
      });
    }
    for (const task of running) task.abort.abort(new LecternError('cancelled', 'The service is stopping.'));
    await settled;
    for (const task of this.tasks.values()) task.release();
    while (this.chores.size > 0) await Promise.allSettled(this.chores);
    await this.removals.close();
    this.gone = true;
    await this.unlock();
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new LecternError('invalid_state', 'The service is stopping.');
  }

  private find(id: string, tenant: string): Task<Meta, Summary> {
    const task = this.tasks.get(id);
    if (!task) this.unreadable.refuse(id);
    if (!task || task.tenant !== tenant || !this.isVisible(task)) throw new LecternError('not_found', 'Task not found.');
    return task;
  }

  private isVisible(task: Task<Meta, Summary>): boolean {
    return this.tasks.get(task.id) === task && (task.expiresAt ?? Infinity) > this.clock.now();
  }

  private track(record: TaskRecord): Task<Meta, Summary> {
    const task = new Task<Meta, Summary>(record, folderIn(this.options.directory, record.id), {
      clock: this.clock,
      keepMs: this.options.keepMs,
      position: (waiting) => this.turns.positionOf(waiting),
      onListenerError: (thrown) => this.log('error', 'a listener of a task threw', thrown),
    });
    this.tasks.set(task.id, task);
    return task;
  }

  /** Returns the task as it stands in the queue, even where its work begins at once. */
  private enqueue(task: Task<Meta, Summary>): TaskView<Meta, Summary> {
    this.turns.add(task);
    const view = task.view();
    // A turn takes the task that is next when it comes. There is one for each waiting task at least: one that was cancelled, or began as a guest,
    // leaves its turn to the next, and a turn that finds none ends.
    if (this.queue.size < this.turns.size) void this.queue.add(() => this.takeTurn());
    this.guests.arrived();
    return view;
  }

  private async takeTurn(): Promise<void> {
    while (!this.closed && this.turns.size > 0 && !this.room.mayBegin()) await this.room.sleep();
    const task = this.closed ? undefined : this.turns.begin();
    if (task === undefined) return;
    // Without a pause after begin(), so that the next call of mayBegin() finds this task running.
    await this.execute(task).finally(() => this.turns.end(task));
  }

  private beginGuest(): Promise<void> | null {
    if (this.closed || this.queue.isPaused || !this.room.mayBegin()) return null;
    const latest = this.clock.now() - guestWaitMs;
    const task = this.turns.beginGuest(({ createdAt }) => createdAt <= latest);
    if (task === undefined) return null;
    return this.execute(task).finally(() => this.turns.end(task));
  }

  private async execute(task: Task<Meta, Summary>): Promise<void> {
    task.status = 'started';
    task.startedAt = this.clock.now();
    task.attempts++;
    this.since.begun++;
    this.since.waitMs += Math.max(0, task.startedAt - Math.max(task.createdAt, this.openedAt));
    this.running.add(task);
    task.notify();
    const { folder, id, kind, tenant, attempts: attempt } = task;
    try {
      await folder.writeRecord(task.toRecord());
      await folder.prepareRun();
      this.work.begin(task);
      const payload = await folder.readPayload() as Payload;
      task.abort.signal.throwIfAborted();
      const summary = await this.options.run({ id, kind, tenant, payload, attempt }, {
        signal: task.abort.signal,
        inputsDirectory: folder.inputs, outputsDirectory: folder.outputs, scratchDirectory: folder.scratch,
        countBelow: (directory) => folder.countBelow(directory),
        setMeta: (meta) => task.setMeta(meta),
      });
      task.setOutputs(await folder.settleOutputs());
      this.work.end(task, task.outputBytes);
      await this.end(task, summary, null);
    } catch (thrown) {
      await this.fail(task, thrown);
    } finally {
      this.running.delete(task);
      this.room.wake();
      task.settle();
    }
  }

  private async fail(task: Task<Meta, Summary>, thrown: unknown): Promise<void> {
    this.work.end(task);
    if (this.closed && task.abort.signal.aborted && !task.ending) {
      // `close` stopped the task: the next process runs it again, and this attempt does not count.
      Object.assign(task, { status: 'pending', startedAt: null, meta: null, attempts: task.attempts - 1 });
      await this.quietly(task.folder.writeRecord(task.toRecord()));
      return;
    }
    const { reason } = task.abort.signal as { reason: unknown };
    const known = asLecternError(asDiskFull(reason instanceof DiskFull ? reason : thrown));
    if (known.code === 'internal') this.log('error', `task ${task.id} failed by a defect`, thrown);
    await this.end(task, null, task.ending ? new LecternError('cancelled') : known);
  }

  private async stop(task: Task<Meta, Summary>): Promise<void> {
    if (this.gone) throw new LecternError('invalid_state', 'The service is stopping.');
    const waits = task.status === 'pending' && !task.ending;
    task.ending = true;
    task.abort.abort(new LecternError('cancelled'));
    if (waits) {
      this.turns.leave(task);
      await this.end(task, null, new LecternError('cancelled'));
      task.settle();
    }
    await task.settled;
  }

  private async end(task: Task<Meta, Summary>, summary: Summary | null, failure: LecternError | null): Promise<void> {
    const ended = { ...task.toRecord(), endedAt: this.clock.now(), summary };
    const verdict = failure
      ? { status: 'failure' as const, failure: { code: failure.code, message: failure.message }, outputBytes: 0 }
      : { status: 'success' as const, failure: null };
    await this.quietly(task.folder.end({ ...ended, ...verdict }, () => task.releaseInputs()));
    this.since[failure === null ? 'succeeded' : failure.code === 'cancelled' ? 'cancelled' : 'failed']++;
    Object.assign(task, { endedAt: ended.endedAt, summary, ...verdict });
    task.notify();
    task.release();
    this.kept.add(task);
  }

  /** Removes the task from the table; its files stay on the disk until the returned folder is removed. */
  private forget(task: Task<Meta, Summary>): Task<Meta, Summary>['folder'] {
    this.tasks.delete(task.id);
    task.releaseInputs();
    return task.folder;
  }

  /** Forgets a task and deletes its files before it resolves, for callers that wait for that. */
  private async erase(task: Task<Meta, Summary>): Promise<void> {
    const folder = this.forget(task);
    if (!this.gone) await this.chore(this.quietly(folder.remove()));
  }

  private chore<T>(work: Promise<T>): Promise<T> {
    this.chores.add(work);
    const done = (): void => { this.chores.delete(work); };
    work.then(done, done);
    return work;
  }

  private async quietly(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (thrown) {
      this.log('error', 'the spool directory could not be written', thrown);
    }
  }

  private log(level: 'info' | 'warn' | 'error', message: string, cause?: unknown): void {
    this.options.log?.(level, message, cause);
  }
}

/**
 * Opens the table on its directory. Ended tasks are readable again, unfinished ones are queued in their old order (their work may
 * begin before this resolves), and leftover files are deleted. Throws `invalid_state` when another process owns the directory.
 */
export async function createTaskTable<Payload, Meta, Summary>(
  options: TaskTableOptions<Payload, Meta, Summary>,
): Promise<TaskTable<Payload, Meta, Summary>> {
  const unlock = await claimSpool(options.directory);
  const table = new Table(options, unlock);
  try {
    await table.recover();
  } catch (thrown) {
    await unlock();
    throw thrown;
  }
  return table;
}
