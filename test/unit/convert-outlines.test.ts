/** Pages whose letters are drawn as paths are recognised from their picture; drawings and charts are not. */
import t from 'tap';
import { recognitionReason } from '../../src/convert/decide/recognition-reason.js';
import { openPdf } from '../../src/pdf/index.js';
import type { PageContent } from '../../src/pdf/index.js';
import { text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

/** A filled oval, as the outline of an `o`. */
function oval(x: number, y: number, width: number, height: number): string {
  const [right, top, middle] = [x + width, y + height, y + height / 2];
  return `${x} ${middle} m ${x} ${top} ${right} ${top} ${right} ${middle} c ${right} ${y} ${x} ${y} ${x} ${middle} c f\n`;
}

/** Lines of shapes as wide and as high as letters. */
function outlines(lines: number, letters: number): string {
  let drawn = '';
  for (let row = 0; row < lines; row++) {
    let x = 72;
    for (let at = 0; at < letters; at++) {
      const [width, height] = [3 + (at * 7 + row) % 5, (at + row) % 4 === 0 ? 8 : 5.5];
      drawn += oval(x, 700 - 14 * row, width, height);
      x += width + (at % 6 === 5 ? 4 : 1);
    }
  }
  return drawn;
}

async function read(content: string): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ pages: [{ width: 612, height: 792, content }] }));
  try {
    return await pdf.readPage(0);
  } finally {
    pdf.close();
  }
}

const reasonOf = async (content: string): Promise<string | null> => recognitionReason(await read(content), { doOcr: true, forceOcr: false });

t.test('lines of outlines are letters, with a page number in a font, too', async (t) => {
  t.equal(await reasonOf(outlines(10, 50)), 'outlines');
  t.equal(await reasonOf(outlines(10, 50) + text(300, 40, 10, 'Page 12 of 30')), 'outlines');
});

t.test('drawings, charts and pages of text are none', async (t) => {
  const scattered = Array.from({ length: 300 }, (_, at) => oval(72 + (at * 37) % 430, 90 + (at * 7919) % 6113 / 10, 5, 5)).join('');
  t.equal(await reasonOf(scattered), null, 'points of a chart');
  t.equal(await reasonOf(Array.from({ length: 15 }, (_, at) => oval(72 + 30 * at, 400, 12, 12)).join('')), null, 'a row of dots');
  const sentences = Array.from({ length: 20 }, (_, at) => text(72, 500 - 14 * at, 11, `The harbour keeps its lights through winter, and boat ${at} returns with the tide.`)).join('');
  t.equal(await reasonOf(outlines(3, 40) + sentences), null, 'a title as outlines over text');
});
