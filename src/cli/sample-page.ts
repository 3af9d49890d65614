/** A page made for looking whether readers of pages see anything: a headline, a paragraph and a ruled table. */
import type { Bitmap } from '../bitmap.js';
import type { ReadPage } from '../engine/port.js';

const sampleLines = ['Quarterly report', 'The harbour moved more goods this year', 'than in any year before it.'];
const table = [['Port', 'Ships', 'Tonnes'], ['Hamburg', '7200', '126'], ['Bremen', '4100', '68']];

export interface SamplePage {
  page: Bitmap;
  dpi: number;
  /** The table alone. */
  table: Bitmap;
}

/** Points from the left and from the top; an A5 page. */
const width = 420;
const height = 595;
const cell = { left: 40, top: 220, width: 110, height: 28 };
const dpi = 150;

function drawing(): string {
  const text = (x: number, y: number, size: number, line: string): string => `BT /F ${size} Tf ${x} ${height - y} Td (${line}) Tj ET`;
  const rule = (x: number, y: number, across: number, down: number): string => `${x} ${height - y} m ${x + across} ${height - y - down} l S`;
  const [headline, ...paragraph] = sampleLines;
  return [
    '0.7 w', text(40, 80, 24, headline as string), ...paragraph.map((line, row) => text(40, 130 + 20 * row, 13, line)),
    ...Array.from({ length: table.length + 1 }, (_, row) => rule(cell.left, cell.top + row * cell.height, 3 * cell.width, 0)),
    ...Array.from({ length: 4 }, (_, column) => rule(cell.left + column * cell.width, cell.top, 0, table.length * cell.height)),
    ...table.flatMap((row, y) => row.map((entry, x) => text(cell.left + 8 + x * cell.width, cell.top + 19 + y * cell.height, 12, entry))),
  ].join('\n');
}

function pdfOf(stream: string): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>`,
    `<</Length ${stream.length}>>\nstream\n${stream}\nendstream`,
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const end = file.length;
  return Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${end}\n%%EOF\n`, 'latin1');
}

export async function drawSamplePage(): Promise<SamplePage> {
  const { openPdf } = await import('../pdf/index.js');
  const document = await openPdf(pdfOf(drawing()));
  try {
    const around = { left: cell.left - 4, top: cell.top - 4, right: cell.left + 3 * cell.width + 4, bottom: cell.top + table.length * cell.height + 4 };
    return { page: document.renderPage(0, dpi), dpi, table: document.renderRegion(0, around, dpi) };
  } finally {
    document.close();
  }
}

/** Half a sentence: the made page's text is known, and so many of its words are there. */
export function describeReading({ lines }: ReadPage): string {
  const words = lines.flatMap((line) => line.words.map(({ text }) => text));
  const written = sampleLines.join(' ').split(' ');
  const right = written.filter((word) => words.includes(word)).length;
  return `it reads ${lines.length} lines, ${right} of the ${written.length} words of its text as they are written`;
}
