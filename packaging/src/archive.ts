/** Files in one blob: an index as JSON behind its length, then their bytes. Read by boot.ts, which runs before anything is unpacked. */

export interface ArchiveEntry {
  /** Relative, with forward slashes. */
  path: string;
  offset: number;
  sizeBytes: number;
  isExecutable: boolean;
}

/** Of the index' length. */
const lengthBytes = 4;

export function writeArchive(files: { path: string; bytes: Uint8Array; isExecutable: boolean }[]): Buffer {
  let offset = 0;
  const entries = files.map(({ path, bytes, isExecutable }): ArchiveEntry => {
    const entry = { path, offset, sizeBytes: bytes.length, isExecutable };
    offset += bytes.length;
    return entry;
  });
  const index = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32LE(index.length);
  return Buffer.concat([length, index, ...files.map(({ bytes }) => bytes)]);
}

/** `bytesOf` views the archive; nothing is copied. */
export function readArchive(archive: Uint8Array): { entries: ArchiveEntry[]; bytesOf: (entry: ArchiveEntry) => Uint8Array } {
  const buffer = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const start = lengthBytes + buffer.readUInt32LE(0);
  const entries = JSON.parse(buffer.toString('utf8', lengthBytes, start)) as ArchiveEntry[];
  return { entries, bytesOf: ({ offset, sizeBytes }) => buffer.subarray(start + offset, start + offset + sizeBytes) };
}
