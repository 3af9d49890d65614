/** The files of uploads: counted against the spool's quota as their bytes come, and on the disk before the task is. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { asUnkept, DiskFull } from '../platform/disk-full.js';
import type { TaskFolder } from './task-folder.js';
import type { InputFile, OpenFile } from './types.js';

const openNew: OpenFile = (path) => open(path, 'wx', 0o600);

/** Bytes of uploads beside those of everything else in the spool: results, and what running tasks have written. */
export class SpoolQuota {
  private uploadBytes = 0;

  /** `reservedBytes` are no upload's: accepted tasks need them for what they write. */
  constructor(private readonly maxBytes: number, private readonly reservedBytes: number, private readonly otherBytes: () => number) {}

  get uploads(): number {
    return this.uploadBytes;
  }

  /** Throws DiskFull where they do not fit beside what is there. */
  take(bytes: number): void {
    if (this.uploadBytes + Math.max(this.reservedBytes, this.otherBytes()) + bytes > this.maxBytes) {
      throw new DiskFull('The service has no space left for uploads; it frees some as its tasks end and results expire.');
    }
    this.uploadBytes += bytes;
  }

  /** Those of an earlier process are there, whether they fit or not. The answer gives them back, once. */
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

  /** The files are gone, or about to be. */
  release(): void {
    this.quota.give(this.bytes);
    this.bytes = 0;
  }
}
