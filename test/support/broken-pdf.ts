/** PDFs that lie: loops, bombs, wrong counts, damaged bytes. What they are is said where they are made; nothing here is random. */
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { seeded } from './long-pdf.js';

/** Objects by number from 1, each as its body; the first is the catalog. */
export function rawPdf(objects: (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  let at = parts[0]?.length ?? 0;
  const offsets = objects.map((object, i) => {
    const part = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.isBuffer(object) ? object : Buffer.from(object, 'latin1'), Buffer.from('\nendobj\n')]);
    parts.push(part);
    at += part.length;
    return at - part.length;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`));
  return Buffer.concat(parts);
}

export function stream(entries: string, data: Buffer | string): Buffer {
  const bytes = Buffer.from(data as string, 'latin1');
  return Buffer.concat([Buffer.from(`<< ${entries} /Length ${bytes.length} >>\nstream\n`), bytes, Buffer.from('\nendstream')]);
}

const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** One page: object 3 is the page, 4 its content, 5 a font; `more` begins at object 6. `entries` overrides the page's own. */
export function onePage(content: Buffer | string, more: (string | Buffer)[] = [], resources = '', entries = '/MediaBox [0 0 612 792]'): Buffer {
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${resources} >> ${entries} >>`,
    Buffer.isBuffer(content) ? content : stream('', content),
    helvetica,
    ...more,
  ]);
}

export const sentence = (text: string, y = 700): string => `BT /F1 12 Tf 72 ${y} Td (${text}) Tj ET\n`;

/** A zlib stream of a few bytes for each mebibyte of zeros that comes out of it. */
export function zerosBomb(mebibytes: number): Buffer {
  const chunkSize = 16;
  const chunk = deflateRawSync(Buffer.alloc(chunkSize * 2 ** 20), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const times = Math.ceil(mebibytes / chunkSize);
  const checksum = Buffer.alloc(4);
  // Adler-32 of n zeros: the first half stays 1, the second counts n.
  checksum.writeUInt32BE((((times * chunkSize * 2 ** 20) % 65521) * 65536 + 1) >>> 0);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: times }, () => chunk), Buffer.from([0x03, 0x00]), checksum]);
}

/** `depth` compressions over each other: each filter's output is the next one's input. */
export function nestedBomb(mebibytes: number, depth: number): { filters: string; data: Buffer } {
  let data = zerosBomb(mebibytes);
  for (let i = 1; i < depth; i++) data = deflateSync(data, { level: 9 });
  return { filters: `/Filter [${'/FlateDecode '.repeat(depth)}]`, data };
}

/** Files whose structure leads in circles. */
export const loops: Record<string, () => Buffer> = {
  'page tree that holds itself': () => rawPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 4 >>']),
  'page tree of two that hold each other': () => rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 9 >>', '<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 9 >>',
  ]),
  'form that paints itself': () => onePage(`${sentence('Before the form.')}/X Do`, [
    stream('/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X 6 0 R >> /Font << /F1 5 0 R >> >>', `${sentence('In it.', 600)}/X Do /X Do`),
  ], '/XObject << /X 6 0 R >>'),
  'forms that paint each other': () => onePage('/A Do', [
    stream('/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /B 7 0 R >> >>', '/B Do /B Do'),
    stream('/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 6 0 R >> >>', '/A Do /A Do'),
  ], '/XObject << /A 6 0 R >>'),
  'forms that double thirty times': () => onePage('/X0 Do', Array.from({ length: 30 }, (_, i) =>
    stream(`/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> /XObject << /X${i + 1} ${i + 7} 0 R >> >>`,
      i === 29 ? sentence('deep') : `/X${i + 1} Do /X${i + 1} Do`)), '/XObject << /X0 6 0 R >>'),
  'outline whose last entry is its first': () => rawPdf([
    '<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 7 0 R >> >> >>',
    stream('', sentence('A page with an outline.')), '<< /First 6 0 R /Last 6 0 R /Count 1 >>',
    '<< /Title (Again) /Parent 5 0 R /Next 6 0 R /First 6 0 R /Last 6 0 R /Count 1 /Dest [3 0 R /Fit] >>', helvetica,
  ]),
  'cross-reference table that follows itself': () => Buffer.from(onePage(sentence('Prev of its own.')).toString('latin1').replace(/startxref\n(\d+)/u, (all, at: string) => all.replace(at, at)).replace('/Root 1 0 R', `/Root 1 0 R /Prev ${onePage(sentence('Prev of its own.')).toString('latin1').indexOf('xref\n0 ')}`), 'latin1'),
  'length that is its own object': () => onePage(Buffer.from('<< /Length 4 0 R >>\nstream\nBT ET\nendstream')),
  'character map that uses itself': () => onePage('BT /F2 12 Tf 72 700 Td (map) Tj ET', [
    '<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding 7 0 R /ToUnicode 7 0 R /DescendantFonts [8 0 R] >>',
    stream('/Type /CMap /CMapName /Loop /UseCMap 7 0 R', '/Loop usecmap begincmap 1 begincodespacerange <00> <ff> endcodespacerange endcmap'),
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (a) /Ordering (b) /Supplement 0 >> >>',
  ], '/Font << /F1 5 0 R /F2 6 0 R >>'),
  'letter that draws itself': () => onePage('BT /F2 12 Tf 72 700 Td (aa) Tj ET', [
    '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [1] /Encoding << /Differences [97 /a] >> /CharProcs << /a 7 0 R >> /Resources << /Font << /F2 6 0 R >> >> >>',
    stream('', '1 0 d0 BT /F2 1 Tf (aa) Tj ET'),
  ], '/Font << /F2 6 0 R >>'),
  'structure tree in a circle': () => rawPdf([
    '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /StructParents 0 /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    stream('', `/P << /MCID 0 >> BDC ${sentence('Tagged.')} EMC`), helvetica,
    '<< /Type /StructTreeRoot /K 7 0 R /ParentTree << /Nums [0 [7 0 R]] >> >>', '<< /S /P /P 7 0 R /K [7 0 R 0 7 0 R] /Pg 3 0 R >>',
  ]),
};

/** Damage: bytes flipped, overwritten, cut out or doubled, at places drawn from the seed. */
export function damaged(bytes: Uint8Array, seed: number): Buffer {
  const next = seeded(seed * 7919 + 17);
  next(2);
  let out = Buffer.from(bytes);
  for (let wounds = 1 + next(12); wounds > 0; wounds--) {
    const at = next(out.length);
    const length = 1 + next(64);
    switch (next(5)) {
      case 0:
        out[at] = (out[at] ?? 0) ^ (1 << next(8));
        break;
      case 1:
        for (let i = at; i < Math.min(out.length, at + length); i++) out[i] = next(256);
        break;
      case 2:
        out = Buffer.concat([out.subarray(0, at), out.subarray(at + length)]);
        break;
      case 3:
        out = Buffer.concat([out.subarray(0, at), out.subarray(at, at + length), out.subarray(at)]);
        break;
      default: {
        // Numbers are what lengths, counts and references are made of.
        const digit = out.findIndex((byte, i) => i >= at && byte >= 48 && byte <= 57);
        if (digit >= 0) out[digit] = 48 + next(10);
      }
    }
  }
  return out;
}
