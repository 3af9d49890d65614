/** The files of uploads: their bytes are counted against the spool's quota as they arrive, and they are on the disk before the task is submitted. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { asUnkept, DiskFull } from '../platform/disk-full.js';
import type { TaskFolder } from './task-folder.js';
import type { InputFile, OpenFile } from './types.js';

const openNew: OpenFile = (path) => open(path, 'wx', 0o600);

/** Counts the bytes of uploads, which share the spool's quota with results and with the files that running tasks write. */
export class SpoolQuota {
  private uploadBytes = 0;

  /** `reservedBytes` are kept free of uploads, for the files that accepted tasks write. */
  constructor(private readonly maxBytes: number, private readonly reservedBytes: number, private readonly otherBytes: () => number) {}

  get uploads(): number {
    return this.uploadBytes;
  }

  /** Counts bytes of an upload. Throws DiskFull where they exceed the quota. */
  take(bytes: number): void {
    if (this.uploadBytes + Math.max(this.reservedBytes, this.otherBytes()) + bytes > this.maxBytes) {
      throw new DiskFull('The service has no space left for uploads; it frees some as its tasks end and results expire.');
    }
    this.uploadBytes += bytes;
  }

  /** Counts the uploads of an earlier process, which exist whether they fit or not. The returned function takes them off the count; further calls do nothing. */
  count(bytes: number): () => void {
    this.uploadBytes += bytes;
    let counted = bytes;
    return () => {
      this.give(counted);
      counted = 0;
    };
  }

  give(bytes: number): void {
    this.uploadBytes -= bytes;
  }
}

/** The uploads of one slot. */
export class SlotFiles {
  bytes = 0;

  constructor(private readonly folder: TaskFolder, private readonly quota: SpoolQuota, private readonly openFile: OpenFile = openNew) {}

  async create(name: string): Promise<InputFile> {
    const file = await this.openFile(join(this.folder.inputs, name)).catch((thrown: unknown) => { throw asUnkept(thrown); });
    let isOpen = true;
    const close = async (): Promise<void> => {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
    };
    return {
      write: async (bytes) => {
        this.quota.take(bytes.length);
        this.bytes += bytes.length;
        await file.writeFile(bytes).catch((thrown: unknown) => { throw asUnkept(thrown); });
      },
      finish: async () => {
        await file.sync().catch((thrown: unknown) => { throw asUnkept(thrown); });
        await close();
      },
      close,
    };
  }

  /** Takes the files off the quota, when they are deleted or about to be. */
  release(): void {
    this.quota.give(this.bytes);
    this.bytes = 0;
  }
}
