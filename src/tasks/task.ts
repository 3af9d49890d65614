/** One task in memory: its state, its waiters and its listeners. table.ts keeps its files and its place in the queue. */
import type { ErrorCode } from '../errors.js';
import type { OutputFile, TaskRecord } from './record-format.js';
import type { TaskFolder } from './task-folder.js';
import type { Clock, TaskStatus, TaskView } from './types.js';
import { wokenWithin } from './woken.js';

/** Least time in ms between two reports of progress to listeners: a page takes 40 ms, and no client needs one faster. */
const metaIntervalMs = 200;

export class Task<Meta, Summary> {
  status: TaskStatus;
  attempts: number;
  meta: Meta | null;
  summary: Summary | null;
  failure: { code: ErrorCode; message: string } | null;
  startedAt: number | null;
  endedAt: number | null;
  outputBytes: number;
  /** Absent in records of older versions. */
  outputs: TaskRecord['outputs'];
  /** To be called when the task's uploads are deleted; further calls do nothing. */
  releaseInputs: () => void = () => undefined;
  /** The task is being cancelled: its end is decided, but not on disk yet. */
  ending = false;
  readonly abort = new AbortController();
  /** Resolves when the work has stopped and its end is on disk, whether the task succeeded or failed. */
  readonly settled: Promise<void>;
  settle!: () => void;

  private readonly listeners = new Set<(task: TaskView<Meta, Summary>) => void>();
  private readonly wakers = new Set<() => void>();
  private stopMetaTimer: (() => void) | null = null;
  private lastMetaAt = 0;

  constructor(
    private readonly record: TaskRecord,
    readonly folder: TaskFolder,
    private readonly rules: { clock: Clock; keepMs: number; position: (task: Task<Meta, Summary>) => number | null; onListenerError: (thrown: unknown) => void },
  ) {
    this.status = record.status;
    this.attempts = record.attempts;
    this.meta = record.meta as Meta | null;
    this.summary = record.summary as Summary | null;
    this.failure = record.failure;
    this.startedAt = record.startedAt;
    this.endedAt = record.endedAt;
    this.outputBytes = record.outputBytes;
    this.outputs = record.outputs;
    this.settled = new Promise((resolve) => { this.settle = resolve; });
  }

  get id(): string { return this.record.id; }
  get kind(): string { return this.record.kind; }
  get tenant(): string { return this.record.tenant; }
  get owner(): string { return this.record.owner ?? ''; }
  get createdAt(): number { return this.record.createdAt; }
  /** The caller whose tasks take turns with those of other callers: the owner, else the tenant. */
  get caller(): string { return this.owner === '' ? this.tenant : this.owner; }
  get place(): number { return this.record.sequence; }
  get isFollowed(): boolean { return this.listeners.size > 0; }
  get ended(): boolean { return this.status === 'success' || this.status === 'failure'; }
  get expiresAt(): number | null { return this.endedAt === null ? null : this.endedAt + this.rules.keepMs; }

  view(): TaskView<Meta, Summary> {
    return {
      id: this.id, kind: this.kind, tenant: this.tenant, owner: this.owner, status: this.status,
      position: this.status === 'pending' ? this.rules.position(this) : null,
      meta: this.meta, summary: this.summary, failure: this.failure,
      createdAt: this.createdAt, startedAt: this.startedAt, endedAt: this.endedAt, expiresAt: this.expiresAt,
    };
  }

  toRecord(): TaskRecord {
    const { status, attempts, meta, summary, failure, startedAt, endedAt, outputBytes, outputs } = this;
    return { ...this.record, status, attempts, meta, summary, failure, startedAt, endedAt, outputBytes, ...(outputs === undefined ? {} : { outputs }) };
  }

  setOutputs(outputs: Record<string, OutputFile>): void {
    this.outputs = outputs;
    this.outputBytes = Object.values(outputs).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  setMeta(meta: Meta): void {
    if (this.ended) return;
    this.meta = structuredClone(meta);
    if (this.listeners.size === 0 || this.stopMetaTimer) return;
    const waitMs = this.lastMetaAt + metaIntervalMs - this.rules.clock.now();
    // A longer wait means that the clock was set back.
    if (waitMs <= 0 || waitMs > metaIntervalMs) this.notify();
    else this.stopMetaTimer = this.rules.clock.after(waitMs, () => this.notify());
  }

  listen(listener: (task: TaskView<Meta, Summary>) => void): () => void {
    // Each call has a wrapper of its own, so that one function may be added twice.
    const entry = (view: TaskView<Meta, Summary>): void => listener(view);
    this.listeners.add(entry);
    return () => this.listeners.delete(entry);
  }

  /** Resolves at the end, when the table closes, after `timeoutMs`, or when the signal aborts. */
  wokenWithin(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const onWake = (waker: () => void): (() => void) => {
      this.wakers.add(waker);
      return () => this.wakers.delete(waker);
    };
    return wokenWithin(onWake, this.rules.clock, timeoutMs, signal);
  }

  notify(): void {
    this.stopMetaTimer?.();
    this.stopMetaTimer = null;
    this.lastMetaAt = this.rules.clock.now();
    if (this.listeners.size === 0) return;
    const view = this.view();
    for (const listener of [...this.listeners]) {
      try {
        listener(view);
      } catch (thrown) {
        this.rules.onListenerError(thrown);
      }
    }
  }

  /** Resolves all waits and removes all listeners. */
  release(): void {
    this.stopMetaTimer?.();
    this.stopMetaTimer = null;
    for (const waker of [...this.wakers]) waker();
    this.wakers.clear();
    this.listeners.clear();
  }
}
