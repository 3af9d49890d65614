/** Other programs that give the plain text of a PDF. mutool (AGPL) and pdftotext (GPL) are run as programs and are no part of Lectern. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init } from '@embedpdf/pdfium';

export type PlainText = (pdf: string) => Promise<string>;

function program(command: string, argumentsFor: (pdf: string) => string[]): PlainText | null {
  if (spawnSync(command, ['-v'], { stdio: 'ignore' }).error !== undefined) return null;
  return (pdf) => {
    const { stdout, status } = spawnSync(command, argumentsFor(pdf), { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
    return Promise.resolve(status === 0 ? stdout : '');
  };
}

type RawCalls = Record<string, (...args: number[]) => number>;

/** PDFium's own text of each page, as FPDFText_GetText returns it. */
async function pdfiumText(): Promise<PlainText> {
  const wasmBinary = readFileSync(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'));
  const silent = (): undefined => undefined;
  const { pdfium } = await init({ wasmBinary: new Uint8Array(wasmBinary).buffer, print: silent, printErr: silent });
  const call = pdfium.wasmExports as unknown as RawCalls;
  call['PDFiumExt_Init']!();
  const memory = (): Buffer => Buffer.from((pdfium.wasmExports as unknown as { memory: { buffer: ArrayBuffer } }).memory.buffer);
  return (pdf) => {
    const bytes = readFileSync(pdf);
    const data = call['malloc']!(bytes.length);
    memory().set(bytes, data);
    const document = call['FPDF_LoadMemDocument64']!(data, bytes.length, 0);
    const texts: string[] = [];
    for (let index = 0; index < call['FPDF_GetPageCount']!(document); index++) {
      const page = call['FPDF_LoadPage']!(document, index);
      const text = call['FPDFText_LoadPage']!(page);
      const count = call['FPDFText_CountChars']!(text);
      const buffer = call['malloc']!(2 * count + 2);
      const written = call['FPDFText_GetText']!(text, 0, count, buffer);
      texts.push(memory().toString('utf16le', buffer, buffer + 2 * Math.max(0, written - 1)).replaceAll('\u0002', '-\n'));
      call['free']!(buffer);
      call['FPDFText_ClosePage']!(text);
      call['FPDF_ClosePage']!(page);
    }
    call['FPDF_CloseDocument']!(document);
    call['free']!(data);
    return Promise.resolve(texts.join('\n'));
  };
}

/** Those that are installed, by name. */
export async function textPeers(): Promise<Map<string, PlainText>> {
  const peers = new Map<string, PlainText>([['PDFium', await pdfiumText()]]);
  const pdftotext = program('pdftotext', (pdf) => ['-q', '-enc', 'UTF-8', pdf, '-']);
  const mutool = program('mutool', (pdf) => ['draw', '-q', '-F', 'txt', '-o', '-', pdf]);
  if (pdftotext !== null) peers.set('pdftotext', pdftotext);
  if (mutool !== null) peers.set('mutool', mutool);
  return peers;
}
