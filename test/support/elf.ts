/** What a shared object of 64-bit ELF needs from others: libraries by name, and versions of their symbols. */
import { readFileSync } from 'node:fs';

interface Section {
  type: number;
  offset: number;
  size: number;
  link: number;
  info: number;
}

const dynamicSection = 6;
const versionNeedSection = 0x6ffffffe;
const neededTag = 1n;

export function needsOf(path: string): { libraries: string[]; versions: string[] } {
  const file = readFileSync(path);
  if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) throw new Error(`${path} is no little-endian ELF of 64 bits.`);
  const start = Number(file.readBigUInt64LE(0x28));
  const size = file.readUInt16LE(0x3a);
  const sections = Array.from({ length: file.readUInt16LE(0x3c) }, (_, index): Section => {
    const at = start + index * size;
    return {
      type: file.readUInt32LE(at + 4), offset: Number(file.readBigUInt64LE(at + 0x18)), size: Number(file.readBigUInt64LE(at + 0x20)),
      link: file.readUInt32LE(at + 0x28), info: file.readUInt32LE(at + 0x2c),
    };
  });
  const text = (strings: Section, offset: number): string => {
    const at = strings.offset + offset;
    return file.toString('latin1', at, file.indexOf(0, at));
  };
  const libraries: string[] = [];
  const versions: string[] = [];
  for (const section of sections) {
    const strings = sections[section.link] as Section;
    if (section.type === dynamicSection) {
      for (let at = section.offset; at < section.offset + section.size; at += 16) {
        if (file.readBigInt64LE(at) === neededTag) libraries.push(text(strings, Number(file.readBigUInt64LE(at + 8))));
      }
    }
    if (section.type !== versionNeedSection) continue;
    // Verneed records, each with its chain of Vernaux.
    let at = section.offset;
    for (let record = 0; record < section.info; record++) {
      let auxiliary = at + file.readUInt32LE(at + 8);
      for (let left = file.readUInt16LE(at + 2); left > 0; left--) {
        versions.push(text(strings, file.readUInt32LE(auxiliary + 8)));
        auxiliary += file.readUInt32LE(auxiliary + 12);
      }
      at += file.readUInt32LE(at + 12);
    }
  }
  return { libraries, versions };
}
