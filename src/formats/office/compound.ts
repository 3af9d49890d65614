/** Compound files (the container of the office formats before 2007, and of encrypted newer ones): which streams one holds. */

const signature = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/** Sectors of the directory that are looked at; a document has one or two. */
const maximumSectors = 256;
const endOfChain = 0xfffffffa;
const freeSector = 0xffffffff;

export function looksLikeCompound(bytes: Uint8Array): boolean {
  return bytes.length >= 512 && signature.every((byte, at) => bytes[at] === byte);
}

/** Names of the streams and storages, as far as the directory can be read; never fails. */
export function compoundNames(bytes: Uint8Array): string[] {
  if (!looksLikeCompound(bytes)) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shift = view.getUint16(30, true);
  if (shift < 7 || shift > 16) return [];
  const sectorBytes = 2 ** shift;
  const at = (sector: number): number => (sector + 1) * sectorBytes;
  const next = (sector: number): number => {
    const perSector = sectorBytes / 4;
    const index = Math.floor(sector / perSector);
    // The first 109 sectors of the allocation table are listed in the header: 6.8 MB at the least, and the directory stands early.
    const table = index < 109 ? at(view.getUint32(76 + 4 * index, true)) + 4 * (sector % perSector) : bytes.length;
    return table + 4 <= bytes.length ? view.getUint32(table, true) : endOfChain;
  };
  const names: string[] = [];
  let sector = view.getUint32(48, true);
  for (let read = 0; read < maximumSectors && sector < endOfChain && at(sector) + sectorBytes <= bytes.length; read++) {
    for (let entry = at(sector); entry < at(sector) + sectorBytes; entry += 128) {
      const length = Math.min(64, view.getUint16(entry + 64, true)) - 2;
      if (length > 0) names.push(Buffer.from(bytes.buffer, bytes.byteOffset + entry, length).toString('utf16le'));
    }
    sector = next(sector);
  }
  return names;
}

/** Whether the file ends before the last sector that its allocation table says is in use; as far as the header's part of the table tells. */
export function isCutShort(bytes: Uint8Array): boolean {
  if (!looksLikeCompound(bytes)) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shift = view.getUint16(30, true);
  if (shift < 7 || shift > 16) return true;
  const sectorBytes = 2 ** shift;
  // The last sector need not be whole.
  const isThere = (sector: number): boolean => (sector + 1) * sectorBytes < bytes.length;
  if (!isThere(view.getUint32(48, true))) return true;
  const tables = Math.min(109, view.getUint32(44, true));
  const perSector = sectorBytes / 4;
  for (let index = tables - 1; index >= 0; index--) {
    const sector = view.getUint32(76 + 4 * index, true);
    const table = (sector + 1) * sectorBytes;
    if (table + sectorBytes > bytes.length) return true;
    for (let entry = perSector - 1; entry >= 0; entry--) {
      if (view.getUint32(table + 4 * entry, true) !== freeSector) return !isThere(index * perSector + entry);
    }
  }
  return false;
}

const kinds: [stream: string, name: string][] = [
  ['WordDocument', 'doc'], ['Workbook', 'xls'], ['Book', 'xls'], ['PowerPoint Document', 'ppt'], ['__properties_version1.0', 'email'],
];

/** The contract's name of the format, or null. An encrypted file of a newer format does not say which. */
export function compoundKind(bytes: Uint8Array): string | null {
  const names = new Set(compoundNames(bytes));
  return kinds.find(([stream]) => names.has(stream))?.[1] ?? null;
}

/** Whether this is a DOCX, PPTX or XLSX behind a password. */
export function isEncryptedPackage(bytes: Uint8Array): boolean {
  return compoundNames(bytes).includes('EncryptedPackage');
}
