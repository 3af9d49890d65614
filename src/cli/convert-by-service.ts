/** Documents converted by a running service. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { convertByService } from '../client/convert-document.js';
import type { Service } from '../client/service.js';
import { LecternError } from '../errors.js';
import type { ConversionWay, WrittenOutcome } from './conversion-way.js';
import { resultEndings } from './result-endings.js';
import type { ConvertArguments } from './convert-arguments.js';
import { bar } from './progress-line.js';

export function serviceConversion(service: Service, files: string[], wanted: ConvertArguments, signal: AbortSignal): ConversionWay {
  const { pageRange, imageExportMode, keepFurniture, keepNotes, keepHtml, password, ocrLanguages, ocrPreset } = wanted.options;
  const fields = {
    to_formats: wanted.formats, page_range: pageRange.map(String), image_export_mode: imageExportMode, keep_furniture: String(keepFurniture), keep_notes: String(keepNotes),
    ...(keepHtml ? { keep_html: 'true' } : {}),
    ocr_preset: ocrPreset, ...(ocrLanguages.length === 0 ? {} : { ocr_lang: ocrLanguages }),
    ...(password === null ? {} : { pdf_password: password }),
  };
  return {
    close: async () => undefined,
    // A service has other callers.
    atOnce: 1,
    order: [...files.keys()],
    convert: async (file, scratch, show) => {
      const bytes = await readFile(file).catch((cause: unknown) => {
        throw new LecternError('forbidden', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
      });
      show('sending');
      const { status, errors, document } = await convertByService(service, { name: basename(file), bytes: Uint8Array.from(bytes) }, {
        fields, signal,
        onProgress: ({ stage, position, pagesDone, pagesTotal }) => show(position === null ? `${stage} ${bar(pagesDone, pagesTotal)}` : `waits, place ${position}`),
      });
      await mkdir(scratch);
      const written: WrittenOutcome['files'] = {};
      for (const format of wanted.formats) {
        const content = document[`${format}_content`];
        if (content === null || content === undefined) continue;
        const name = `document${resultEndings[format]}`;
        written[format] = name;
        await writeFile(join(scratch, name), typeof content === 'string' ? content : JSON.stringify(content));
      }
      return { status, errors: errors as WrittenOutcome['errors'], files: written, artifacts: [] };
    },
  };
}
