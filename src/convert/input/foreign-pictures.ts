/** Pictures that the image library does not decode, made PNG by a program of the system: HEIC (its codec has patents, and libheif is not part of the library's build) and JPEG XL. */
import { LecternError } from '../../errors.js';
import { convertByProgram, findReader } from '../../formats/external.js';
import type { ReadOptions } from '../../formats/index.js';
import { imageType } from './input-format.js';

interface Decoder {
  kind: string;
  programs: string[];
  package: string;
  extension: string;
}

const decoders: Record<string, Decoder> = {
  'image/heic': { kind: 'HEIC', programs: ['heif-dec', 'heif-convert'], package: 'libheif-examples', extension: 'heic' },
  'image/jxl': { kind: 'JPEG XL', programs: ['djxl'], package: 'libjxl-tools', extension: 'jxl' },
};

/** The picture as the image library reads it: itself, or made by a program. Rejects with LecternError `unsupported_format` where that is not installed. */
export async function readablePicture(bytes: Uint8Array, options: Pick<ReadOptions, 'signal' | 'alive'>): Promise<Uint8Array> {
  const decoder = decoders[imageType(bytes) ?? ''];
  if (decoder === undefined) return bytes;
  const program = findReader(...decoder.programs);
  const [name = ''] = decoder.programs.slice(-1);
  if (program === null) throw new LecternError('unsupported_format', `${decoder.kind} pictures need ${name}, which is not installed on this machine (Debian: ${decoder.package}). Pictures are read as PNG, JPEG, TIFF, WebP, AVIF, GIF and BMP.`);
  const input = `picture.${decoder.extension}`;
  // Of several pictures in one file the first is the one that is shown.
  return convertByProgram(bytes, { name, program, kind: `a picture of the kind ${decoder.kind}`, input, outputs: ['picture.png', 'picture-1.png'], args: [input, 'picture.png'] }, options);
}
