/** What of the documents a question is answered from: all of it where it fits the context, else the chunks that are nearest to the question. */
import { askJson } from '../lib/api.js';
import { textOf, type Block, type Page } from '../documents/model.js';
import type { Opened } from '../documents/opened.js';
import type { Entry } from '../documents/queue.js';

export interface Passage {
  entry: Entry;
  page: number;
  /** Blocks of the viewer. */
  refs: string[];
  text: string;
  /** Nearness to the question; null where all was given. */
  score: number | null;
}

export interface Source { entry: Entry; opened: Opened }

/** Of English; other languages have fewer characters a token, and what is too long is then refused with a sentence by the service. */
const charactersPerToken = 3;
/** Characters of a passage of a whole document. */
const passageLength = 800;
const chunkTokens = 256;
const embeddedAtATime = 16;
/** Tokens that are left for the answer, the question and the instruction. */
const reserve = 1200;
const mostPassages = 8;

export const tokensIn = (text: string): number => Math.ceil(text.length / charactersPerToken);

function passagesOf({ entry, opened }: Source): Passage[] {
  return opened.pages.flatMap(({ number, blocks }: Page) => {
    const made: Passage[] = [];
    for (const block of blocks.filter(({ kind }) => kind !== 'furniture')) {
      const text = textOf(block);
      const last = made.at(-1);
      if (text.trim() === '') continue;
      if (last !== undefined && last.text.length + text.length < passageLength) {
        last.text += `\n${text}`;
        last.refs.push(block.ref);
      } else made.push({ entry, page: number, refs: [block.ref], text, score: null });
    }
    return made;
  });
}

/** The passages for a question, best first, or all in their order. `whole` says which. Throws ServiceError. */
export async function findPassages(sources: Source[], question: string, context: number, embedder: string | null): Promise<{ whole: boolean; passages: Passage[] }> {
  const room = Math.max(300, context - reserve);
  const all = sources.flatMap(passagesOf);
  if (all.reduce((sum, { text }) => sum + tokensIn(text) + 8, 0) <= room) return { whole: true, passages: all };
  const chunks = (await Promise.all(sources.map(chunksOf))).flat();
  const scores = embedder === null ? byWords(chunks.map(({ text }) => text), question) : await byMeaning(chunks.map(({ text }) => text), question, embedder);
  const ranked = chunks.map((chunk, index) => ({ ...chunk, score: scores[index] ?? 0 })).sort((a, b) => b.score - a.score).slice(0, mostPassages);
  const passages: Passage[] = [];
  let used = 0;
  for (const passage of ranked) {
    const cost = tokensIn(passage.text) + 8;
    if (used + cost > room && passages.length > 0) break;
    // One alone that is too long is cut: something is better than nothing.
    passages.push(used + cost > room ? { ...passage, text: passage.text.slice(0, room * charactersPerToken) } : passage);
    used += cost;
  }
  return { whole: false, passages };
}

interface ChunkAnswer { chunks: { text: string; doc_items: string[]; page_numbers: number[] | null }[] }

/** By task: a document is cut once for all questions of this page. */
const cut = new Map<string, Promise<Passage[]>>();

function chunksOf(source: Source): Promise<Passage[]> {
  const { entry } = source;
  const name = `${entry.taskId}`;
  const known = cut.get(name);
  if (known !== undefined) return known;
  const made = cutDocument(source);
  cut.set(name, made);
  made.catch(() => cut.delete(name));
  return made;
}

/** The service cuts the document that it made: it reads its own JSON again. */
async function cutDocument({ entry, opened }: Source): Promise<Passage[]> {
  const body = new FormData();
  body.append('files', new File([JSON.stringify(opened.result.document.json_content)], 'document.json', { type: 'application/json' }));
  body.append('chunking_max_tokens', String(chunkTokens));
  const { chunks } = await askJson<ChunkAnswer>('v1/chunk/hybrid/file', { body });
  const blocks = new Map<string, Block>(opened.pages.flatMap((page) => page.blocks.map((block) => [block.ref, block] as const)));
  return chunks.map(({ text, doc_items: items, page_numbers: pages }) => {
    const refs = items.filter((ref) => blocks.has(ref));
    return { entry, page: blocks.get(refs[0] ?? '')?.page ?? pages?.[0] ?? 1, refs, text, score: null };
  });
}

const vectors = new Map<string, number[]>();
/** Vectors that are held: of 1,024 numbers each they take some 80 MB. */
const mostVectors = 10_000;

/** Cosines of the texts' embeddings with the question's. */
async function byMeaning(texts: string[], question: string, model: string): Promise<number[]> {
  const nameOf = (text: string): string => `${model}\n${text}`;
  const unknown = [...new Set([question, ...texts])].filter((text) => !vectors.has(nameOf(text)));
  if (vectors.size + unknown.length > mostVectors) vectors.clear();
  const missing = [...new Set([question, ...texts])].filter((text) => !vectors.has(nameOf(text)));
  for (let at = 0; at < missing.length; at += embeddedAtATime) {
    const input = missing.slice(at, at + embeddedAtATime);
    // This route cuts a text that is longer than the model's context, where OpenAI's would refuse it.
    const { embeddings } = await askJson<{ embeddings: number[][] }>('api/embed', { json: { model, input, truncate: true } });
    embeddings.forEach((embedding, index) => vectors.set(nameOf(input[index] as string), embedding));
  }
  const asked = vectors.get(nameOf(question)) as number[];
  return texts.map((text) => cosine(asked, vectors.get(nameOf(text)) as number[]));
}

function cosine(a: number[], b: number[]): number {
  let [dot, first, second] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] as number, b[at] as number];
    dot += x * y;
    first += x * x;
    second += y * y;
  }
  return dot / (Math.sqrt(first * second) || 1);
}

/** BM25 with its usual constants (Robertson and Zaragoza 2009), where no model makes embeddings. Shares of the best. */
export function byWords(texts: string[], question: string): number[] {
  const [k, b] = [1.2, 0.75];
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const documents = texts.map(wordsOf);
  const mean = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(1, documents.length);
  const scores = documents.map(() => 0);
  for (const word of new Set(wordsOf(question))) {
    const counts = documents.map((words) => words.filter((one) => one === word).length);
    const holders = counts.filter((count) => count > 0).length;
    const weight = Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5));
    counts.forEach((count, at) => { scores[at] = (scores[at] ?? 0) + weight * count * (k + 1) / (count + k * (1 - b + b * (documents[at]?.length ?? 0) / mean)); });
  }
  const best = Math.max(...scores, 1e-9);
  return scores.map((score) => score / best);
}
