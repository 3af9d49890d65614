/** What a page made of text operators becomes, through the whole conversion and without networks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { noRecognisers } from '../../src/convert/ocr/recogniser.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import { text } from './pdf-content.js';
import { makePdf } from './pdf-writer.js';

/** The markdown of one page of 612 by 792 points. */
export async function markdownOf(t: Test, content: string[]): Promise<string> {
  const root = t.testdir({ out: {} });
  writeFileSync(join(root, 'input'), makePdf({ pages: [{ width: 612, height: 792, content }] }));
  const request = { inputPath: join(root, 'input'), filename: 'made.pdf', outputDirectory: join(root, 'out'), failedPages: [], options: { ...defaultConvertOptions } };
  const outcome = await convertDocument(request, {
    engine: { deskewAngle: async () => 0 }, recognisers: noRecognisers, progress: () => undefined, signal: new AbortController().signal,
  });
  return readFileSync(join(root, 'out', outcome.files.md!), 'utf8');
}

const sayings = ['The mill stood by the river until the flood of that spring carried it away,', 'and nobody in the village will tell you who it was that built it there in', 'the first place, or why; illness and ill will kept William out of it all.', 'My mother and my grandmother swam from its weir to the meadow of the mayor.'];
/** Eight lines of running text from the height `top` down, for a page whose other text must be distinguished from it. */
export const prose = (top: number): string[] => [0, 1, 2, 3, 4, 5, 6, 7].map((index) => text(72, top - 14 * index, 10, sayings[index % 4]!));
