/** `npm run bench -- soak [N]`: N conversions of twelve formats, a scan, one locked file and one of no known kind, and N chats with cancels on one service; do it and its conversion processes keep memory, files, threads? */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { drawSamplePage } from '../src/cli/sample-page.js';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { fixturesDirectory } from '../test/support/fixtures.js';
import { makeDocx, makeOdf, makePptx, makeXlsx } from '../test/support/office-files.js';
import { writeMadeModel } from '../test/support/made-model.js';
import { serveProgram } from '../test/support/serving-program.js';

export interface Sample {
  /** Of the serving process. */
  residentMiB: number;
  /** Of all processes below it. */
  workersMiB: number;
  files: number;
  threads: number;
}

export interface SoakReport {
  conversions: Record<string, number>;
  chats: { whole: number; cancelled: number };
  /** Means of the two halves of the run, each sample taken while nothing was under way. */
  first: Sample;
  last: Sample;
}

const samplesInAll = 40;
/** Resident memory of the second half over the first, of the service and of its conversion processes. */
const mostGrowth = 0.05;

/** Twelve formats, a scan, one that is locked and one that is none. */
async function documents(): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }[]> {
  const { page } = await drawSamplePage();
  const pdfs = ['invoice', 'slides-harbour', 'tables-booktabs', 'invoice-locked'].map((name) => ({ name: `${name}.pdf`, bytes: readFileSync(join(fixturesDirectory(), `${name}.pdf`)) }));
  const made = {
    'letter.docx': makeDocx({ body: '<w:p><w:r><w:t>A letter of one line</w:t></w:r></w:p>' }),
    'sheet.xlsx': makeXlsx({ sheets: [{ name: 'S', xml: '<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row></sheetData>' }] }),
    'slide.pptx': makePptx({ slides: [{ shapes: '<p:sp><p:nvSpPr><p:cNvPr id="2" name="t"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>A slide</a:t></a:r></a:p></p:txBody></p:sp>' }] }),
    'note.odt': makeOdf('text', { body: '<text:p>A note</text:p>' }),
    'page.html': Buffer.from('<h1>Title</h1><p>Text</p><table><tr><td>1</td></tr></table>'),
    'notes.md': Buffer.from('# Notes\n\n- one\n- two\n'),
    'table.csv': Buffer.from('a,b\n1,2\n'),
    'mail.eml': Buffer.from('From: a@example.org\r\nTo: b@example.org\r\nSubject: A mail\r\n\r\nIts text.\r\n'),
    'paper.tex': Buffer.from('\\documentclass{article}\\begin{document}\\section{One}Text.\\end{document}'),
    'manual.adoc': Buffer.from('= Manual\n\nText.\n'),
    'scan.png': await sharp(page.data, { raw: { width: page.width, height: page.height, channels: 4 } }).png().toBuffer(),
    'unknown.xyz': Buffer.from('what is this'),
  };
  return [...pdfs, ...Object.entries(made).map(([name, bytes]) => ({ name, bytes }))].map(({ name, bytes }) => ({ name, bytes: Uint8Array.from(bytes) }));
}

function statusOf(pid: number): (field: string) => number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN);
}

/** Resident memory of all that descends from the process, in MiB. */
function memoryBelow(pid: number): number {
  const all = new Map<number, { parent: number; kiB: number }>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const number = statusOf(Number(name));
      // One that is ending has no memory any more.
      all.set(Number(name), { parent: number('PPid'), kiB: number('VmRSS') || 0 });
    } catch {
      // It ended meanwhile.
    }
  }
  const descends = (one: number): boolean => one === pid || (all.has(one) && descends((all.get(one) as { parent: number }).parent));
  return [...all].filter(([one, { parent }]) => one !== pid && descends(parent)).reduce((sum, [, { kiB }]) => sum + kiB, 0) / 1024;
}

function sampleOf(pid: number): Sample {
  const number = statusOf(pid);
  return { residentMiB: number('VmRSS') / 1024, workersMiB: memoryBelow(pid), threads: number('Threads'), files: readdirSync(`/proc/${pid}/fd`).length };
}

function meanOf(samples: Sample[]): Sample {
  const mean = (key: keyof Sample): number => samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length;
  return { residentMiB: mean('residentMiB'), workersMiB: mean('workersMiB'), files: mean('files'), threads: mean('threads') };
}

export async function soak(count: number, tell: (line: string) => void = () => undefined): Promise<SoakReport> {
  const home = mkdtempSync(join(tmpdir(), 'lectern-soak-'));
  writeMadeModel(join(home, 'made.gguf'));
  const service = await serveProgram(home, ['--models', home, '--max-results', '20']);
  const pid = service.child.pid as number;
  const conversions: Record<string, number> = {};
  const chats = { whole: 0, cancelled: 0 };
  const samples: Sample[] = [];
  const kinds = await documents();
  try {
    const step = Math.max(1, Math.floor(count / samplesInAll));
    // Each kind makes its converter load what it needs, once: that is no growth.
    for (const kind of kinds) await convert(service.url, kind);
    for (let i = 0; i < count; i++) {
      const [ended, cancelled] = await Promise.all([convert(service.url, kinds[i % kinds.length] as (typeof kinds)[number]), chat(service.url, i)]);
      conversions[ended] = (conversions[ended] ?? 0) + 1;
      chats[cancelled ? 'cancelled' : 'whole']++;
      if (i % step === step - 1) {
        const sample = sampleOf(pid);
        samples.push(sample);
        tell(JSON.stringify({ done: i + 1, ...sample }));
      }
    }
  } finally {
    await service.end('SIGTERM');
    rmSync(home, { recursive: true, force: true });
  }
  const half = Math.floor(samples.length / 2);
  return { conversions, chats, first: meanOf(samples.slice(0, half)), last: meanOf(samples.slice(half)) };
}

async function convert(url: string, { name, bytes }: { name: string; bytes: Uint8Array<ArrayBuffer> }): Promise<string> {
  const form = new FormData();
  form.append('files', new Blob([bytes]), name);
  const answer = await fetch(`${url}/v1/convert/file`, { method: 'POST', body: form });
  const body = await answer.json() as { status?: string };
  return body.status ?? String(answer.status);
}

/** Every third is given up after its first piece. */
async function chat(url: string, index: number): Promise<boolean> {
  const gone = new AbortController();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST', signal: gone.signal, headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'made', messages: [{ role: 'user', content: `question ${index}` }], max_tokens: 32, stream: true }),
  });
  if (answer.status !== 200) throw new Error(`a chat was answered ${answer.status}: ${await answer.text()}`);
  if (index % 3 !== 0) {
    await answer.text();
    return false;
  }
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  gone.abort();
  await reader.cancel().catch(() => undefined);
  return true;
}

/** Of the second half over the first. */
export function growthOf({ first, last }: SoakReport, key: 'residentMiB' | 'workersMiB'): number {
  return last[key] / first[key] - 1;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export async function run(args: string[]): Promise<number | { code: number; measures: BenchmarkMeasure[] }> {
  const count = Number(args[0] ?? 1000);
  if (args.length > 1 || !Number.isInteger(count) || count < 2) {
    console.error('usage: npm run bench -- soak [N]   (N from 2 on; 1000 where it is left out)');
    return 2;
  }
  const report = await soak(count, (line) => console.log(line));
  const growths = { 'resident memory of the service': growthOf(report, 'residentMiB'), 'resident memory of its conversion processes': growthOf(report, 'workersMiB') };
  console.log(JSON.stringify(report));
  const wrong = [
    ...Object.entries(growths).filter(([, growth]) => growth > mostGrowth).map(([what, growth]) => `${what} grew by ${percent(growth)}`),
    ...(report.last.files > report.first.files + 4 ? ['open files grew'] : []),
    ...(report.last.threads > report.first.threads + 1 ? ['threads grew'] : []),
  ];
  console.log(wrong.length === 0 ? `${count} conversions and chats: ${Object.entries(growths).map(([what, growth]) => `${what} ${percent(growth)}`).join(', ')}, files and threads flat` : wrong.join('; '));
  const { residentMiB, workersMiB, files, threads } = report.last;
  const measures = Object.entries({ 'resident memory': residentMiB, 'resident memory of workers': workersMiB, 'open files': files, threads }).map(([name, value]): BenchmarkMeasure => ({ name, value, unit: name.startsWith('resident memory') ? 'MiB' : '', better: 'less' }));
  return { code: wrong.length === 0 ? 0 : 1, measures };
}
