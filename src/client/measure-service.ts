/** How fast a running service is, as its clients meet it: small requests, documents, answers of a language model, embeddings. */
import { LecternError } from '../errors.js';
import { convertByService, type SentDocument } from './convert-document.js';
import { chat, chooseModel, embed } from './language-requests.js';
import type { BenchmarkMeasure } from './measures.js';
import type { Service } from './service.js';

export interface ServiceBench {
  /** Of chat; absent: the one that `lectern chat` would choose. */
  model?: string;
  /** Converted in turns, two at a time; empty: small ones made here. */
  documents: SentDocument[];
  /** Times that each thing is done. */
  rounds: number;
  /** Told what begins. */
  tell: (text: string) => void;
}

/** A round. */
const smallRequests = 160;
/** A service that has just started compiles during its first requests. */
const warmUpRequests = 40;
const atOnce = 16;
const answerTokens = 64;
/** Pieces of a shorter answer come in one packet: two tokens of lectern-demo were 53,000 a second. */
const fewestTokens = 16;
/** So do those of a longer one that was written before its first packet was taken: 64 tokens were 120,000 a second. */
const shortestDecodeMs = 5;
/** Long enough that reading it is work. */
const questionWords = 200;

/** Throws what the service refuses with. Without a model of a kind its measures are left out. */
export async function measureService(service: Service, bench: ServiceBench): Promise<BenchmarkMeasure[]> {
  return [...await measureRequests(service, bench), ...await measureDocuments(service, bench), ...await measureChat(service, bench), ...await measureEmbeddings(service, bench)];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Of values in any order; the lower one of two in the middle. */
function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

async function measureRequests(service: Service, { rounds, tell }: ServiceBench): Promise<BenchmarkMeasure[]> {
  tell('small requests');
  const ask = async (): Promise<unknown> => (await service.send('health')).arrayBuffer();
  for (let index = 0; index < warmUpRequests * rounds; index++) await ask();
  const alone: number[] = [];
  for (let index = 0; index < smallRequests * rounds; index++) alone.push(await timed(ask));
  const each = Math.ceil((smallRequests * rounds) / atOnce);
  const together = await timed(() => Promise.all(Array.from({ length: atOnce }, async () => {
    for (let index = 0; index < each; index++) await ask();
  })));
  return [
    { name: '/health, median', value: quantile(alone, 0.5), unit: 'ms', better: 'less' },
    { name: '/health, 99 %', value: quantile(alone, 0.99), unit: 'ms', better: 'less' },
    { name: `/health, ${atOnce} at once`, value: (each * atOnce) / (together / 1000), unit: 'requests/s', better: 'more' },
  ];
}

function madeDocuments(): SentDocument[] {
  const rows = Array.from({ length: 200 }, (_, row) => `<tr><td>${row}</td><td>${row * row}</td></tr>`).join('');
  const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text));
  return [
    { name: 'page.html', bytes: bytes(`<h1>A page</h1>${'<p>A line of text that stands for many.</p>'.repeat(200)}<table>${rows}</table>`) },
    { name: 'notes.md', bytes: bytes(`# Notes\n\n${'- a line of a list\n'.repeat(300)}`) },
  ];
}

async function measureDocuments(service: Service, { documents, rounds, tell }: ServiceBench): Promise<BenchmarkMeasure[]> {
  const given = documents.length > 0 ? documents : madeDocuments();
  const times: number[] = [];
  let pages = 0;
  const convert = async (document: SentDocument): Promise<void> => {
    let ofThis = 0;
    times.push(await timed(async () => {
      // The progress of the task has its number of pages: 0 for a document without pages.
      const { status, errors } = await convertByService(service, document, { onProgress: ({ pagesTotal }) => { ofThis = pagesTotal; } });
      if (status === 'failure' || status === 'skipped') throw new LecternError('invalid_document', `${document.name} does not convert: ${errors[0]?.error_message ?? status}`);
    }));
    pages += ofThis;
  };
  tell('documents');
  for (const document of given) await convert(document);
  times.length = 0;
  pages = 0;
  const queue = Array.from({ length: rounds }, () => given).flat();
  const whole = await timed(() => Promise.all([0, 1].map(async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await convert(next);
  })));
  return [
    { name: 'document, two at once, median', value: quantile(times, 0.5), unit: 'ms', better: 'less' },
    { name: 'documents', value: times.length / (whole / 1000), unit: 'documents/s', better: 'more' },
    ...(pages === 0 ? [] : [{ name: 'pages', value: pages / (whole / 1000), unit: 'pages/s', better: 'more' } as const]),
  ];
}

interface MeasuredAnswer {
  firstMs: number;
  tokens: number;
  /** Behind the first token. */
  decodeMs: number;
}

/** Tokens a second of one answer, the median; NaN where none was long enough to be measured. */
export function decodeRate(answers: MeasuredAnswer[]): number {
  return quantile(answers.filter(({ tokens, decodeMs }) => tokens >= fewestTokens && decodeMs >= shortestDecodeMs).map(({ tokens, decodeMs }) => (tokens - 1) / (decodeMs / 1000)), 0.5);
}

async function measureChat(service: Service, { model: wish, rounds, tell }: ServiceBench): Promise<BenchmarkMeasure[]> {
  const model = await chooseModel(service, wish, 'completion').catch((thrown: unknown) => {
    if (wish === undefined && thrown instanceof LecternError && thrown.code === 'model_not_found') return undefined;
    throw thrown;
  });
  if (model === undefined) return [];
  tell(`answers of ${model}`);
  // Begins as no other did: nothing of an earlier prompt can be taken over.
  let asked = Date.now() % 1_000_000;
  const answer = async (): Promise<MeasuredAnswer> => {
    const question = `${asked++}. ${Array.from({ length: questionWords }, (_, index) => `word ${(asked * 7 + index) % 97}`).join(', ')}. Write as much as you can of it.`;
    const began = performance.now();
    let firstMs = NaN;
    const { completionTokens } = await chat(service, {
      model, messages: [{ role: 'user', content: question }], temperature: 0, maxTokens: answerTokens, onText: () => { if (Number.isNaN(firstMs)) firstMs = performance.now() - began; },
    });
    return { firstMs, tokens: completionTokens, decodeMs: performance.now() - began - firstMs };
  };
  await answer();
  const alone: MeasuredAnswer[] = [];
  for (let round = 0; round < rounds; round++) alone.push(await answer());
  let tokens = 0;
  const together = await timed(() => Promise.all([0, 1].map(async () => {
    for (let round = 0; round < rounds; round++) tokens += (await answer()).tokens;
  })));
  return [
    { name: `${model}: first token, median`, value: quantile(alone.map(({ firstMs }) => firstMs), 0.5), unit: 'ms', better: 'less' },
    { name: `${model}: one answer, median`, value: decodeRate(alone), unit: 'tokens/s', better: 'more' },
    { name: `${model}: two answers, prompts read too`, value: tokens / (together / 1000), unit: 'tokens/s', better: 'more' },
  ].filter(({ value }) => Number.isFinite(value)) as BenchmarkMeasure[];
}

async function measureEmbeddings(service: Service, { rounds, tell }: ServiceBench): Promise<BenchmarkMeasure[]> {
  const model = await chooseModel(service, undefined, 'embedding').catch((thrown: unknown) => {
    if (thrown instanceof LecternError && thrown.code === 'model_not_found') return undefined;
    throw thrown;
  });
  if (model === undefined) return [];
  tell(`embeddings of ${model}`);
  const texts = Array.from({ length: 8 }, (_, index) => `${index} ${'a text of some words '.repeat(12)}`);
  await embed(service, model, texts);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timed(() => embed(service, model, texts)));
  return [{ name: `${model}: embeddings, eight texts at a time`, value: texts.length / (quantile(times, 0.5) / 1000), unit: 'texts/s', better: 'more' }];
}
