/** Chunks: along the structure, within their number of tokens, nothing lost, nothing twice, in time by the size of the document. */
import t from 'tap';
import { chunkDocument, writeChunk } from '../../src/chunk/chunk.js';
import { splitText } from '../../src/chunk/split-text.js';
import { tableSentences } from '../../src/chunk/table-text.js';
import type { Chunk, ChunkOptions, CountTokens } from '../../src/chunk/chunk-types.js';
import { DocumentBuilder } from '../../src/document/builder.js';
import { randomFrom } from '../support/random.js';

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0;

const counting = (count: (text: string) => number): CountTokens => async (texts) => texts.map(count);

/** A tokenizer as those of models are: what stands beside a text changes how many tokens it has. Pairs of letters are one, white space goes with what follows. */
const pairs = (text: string): number => (text.match(/\s?(?:[a-z]{2}|[^\s]|\s)/gu) ?? []).length;

async function chunks(builder: DocumentBuilder, options: Partial<ChunkOptions> = {}, count = words): Promise<Chunk[]> {
  const all: ChunkOptions = {
    chunker: 'hybrid', markdownTables: false, markdownImages: false, imagePlaceholder: '![IMAGE]', includeRawText: false, tokenizer: null, maxTokens: 20, mergePeers: true, ...options,
  };
  const found: Chunk[] = [];
  for await (const chunk of chunkDocument(builder.document, all, { name: 'words', count: counting(count) })) found.push(chunk);
  return found;
}

/** A title, two sections, a list, a table, a picture, a page header, on two pages. */
function made(): DocumentBuilder {
  const builder = new DocumentBuilder({ name: 'made', origin: { mimetype: 'text/plain', filename: 'made.txt', sha256: 'f'.repeat(64) } });
  for (const page of [1, 2]) builder.addPage(page, { width: 100, height: 100 });
  const at = (pageNumber: number) => ({ at: [{ pageNumber, box: { left: 1, top: 1, right: 9, bottom: 9 } }] });
  builder.addFurniture('page_header', 'running head', at(1));
  builder.addTitle('Title', at(1));
  builder.addText('text', 'An intro_text & more.', at(1));
  builder.addHeading(1, 'First', at(1));
  builder.addHeading(2, 'Deep', at(1));
  const list = builder.addListGroup();
  const item = builder.addListItem(list, 'one', at(1));
  builder.addListItem(builder.addListGroup({ parent: item }), 'two', { ...at(2), marker: '1.', enumerated: true });
  builder.addHeading(1, 'Second', at(2));
  const cells = ['', 'Q1', 'Q2', 'North', '1', '2', 'South', '3', ''].map((text, index) => ({ row: Math.floor(index / 3), column: index % 3, text, columnHeader: index < 3 }));
  builder.addCaption(builder.addTable(3, 3, cells, at(2)), 'Sales', at(2));
  builder.addCaption(builder.addPicture(at(2)), 'A chart', at(2));
  return builder;
}

t.test('hierarchical: one chunk for each part of the document', async (t) => {
  const found = await chunks(made(), { chunker: 'hierarchical', includeRawText: true });
  t.same(found.map(({ text }) => text), [
    'Title\nAn intro_text & more.', 'Title\nFirst\nDeep\n- one\n    1. two', 'Title\nSecond\nSales\n\nNorth, Q1 = 1. North, Q2 = 2. South, Q1 = 3', 'Title\nSecond\nA chart\n![IMAGE]',
  ]);
  t.match(found[1], {
    chunk_index: 1, raw_text: '- one\n    1. two', num_tokens: null, headings: ['Title', 'First', 'Deep'], captions: null, doc_items: ['#/texts/5', '#/texts/6'], page_numbers: [1, 2],
    metadata: { has_image: false, origin: { filename: 'made.txt' } },
  });
  t.match(found[2], { captions: ['Sales'], doc_items: ['#/tables/0'], page_numbers: [2] });
  t.match(found[3], { captions: ['A chart'], metadata: { has_image: true } });
  t.match((await chunks(made(), { chunker: 'hierarchical', markdownTables: true }))[2]?.text, 'Title\nSecond\nSales\n\n|  | Q1 | Q2 |\n| - | - | - |\n| North | 1 | 2 |\n| South | 3 |  |');
  t.match(writeChunk(found[0] as Chunk, 'a "b".txt'), /^\{"filename":"a \\"b\\"\.txt","chunk_index":0,.*"binary_hash":18446744073709551615,/);
  t.same(await chunks(new DocumentBuilder({ name: 'empty' })), []);
});

t.test('hybrid: neighbours under one heading are joined, no chunk is past its number', async (t) => {
  const builder = new DocumentBuilder({ name: 'made' });
  builder.addHeading(1, 'H');
  for (const text of ['a b c', 'd e f', 'g h i. j k l m n o p.', 'q']) builder.addText('text', text);
  builder.addHeading(1, 'I');
  builder.addText('text', 'r');
  t.same((await chunks(builder, { maxTokens: 8 })).map(({ text, num_tokens, doc_items }) => [text, num_tokens, doc_items.length]), [
    ['H\na b c\nd e f', 7, 2], ['H\ng h i. j k l m', 8, 1], ['H\nn o p.\nq', 5, 2], ['I\nr', 2, 1],
  ]);
  t.same((await chunks(builder, { maxTokens: 8, mergePeers: false })).map(({ text }) => text), ['H\na b c', 'H\nd e f', 'H\ng h i. j k l m', 'H\nn o p.', 'H\nq', 'I\nr']);
  t.equal((await chunks(builder))[0]?.metadata['tokenizer'], 'words');
});

t.test('hybrid: what has a caption is never joined with its neighbours, and its caption is said once', async (t) => {
  const found = await chunks(made(), { maxTokens: 1000, includeRawText: true });
  t.same(found.map(({ captions, doc_items: items }) => [captions, items]), [
    [null, ['#/texts/2']], [null, ['#/texts/5', '#/texts/6']], [['Sales'], ['#/tables/0']], [['A chart'], ['#/pictures/0']],
  ]);
  t.equal(found[3]?.raw_text, 'A chart\n![IMAGE]');
  for (const caption of ['Sales', 'A chart']) t.equal(found.filter(({ text }) => text.includes(caption)).length, 1, caption);
  const pieces = (await chunks(made(), { maxTokens: 10 })).filter(({ doc_items: items }) => items.includes('#/tables/0'));
  t.ok(pieces.length > 1 && pieces.every(({ captions }) => captions?.[0] === 'Sales'), 'each piece of a table knows its caption');
});

t.test('rows of a large table keep the names of their columns', async (t) => {
  const builder = new DocumentBuilder({ name: 'made' });
  const cells = Array.from({ length: 40 }, (_, index) => ({ row: Math.floor(index / 2), column: index % 2, text: `c${index}`, columnHeader: index < 2 }));
  builder.addTable(20, 2, cells);
  const found = await chunks(builder, { markdownTables: true, maxTokens: 40 });
  t.ok(found.length > 2);
  for (const { text, num_tokens: tokens } of found) {
    t.match(text, /^\| c0 \| c1 \|\n\| - \| - \|\n\| c\d+/);
    t.ok((tokens ?? 99) <= 40);
  }
});

t.test('headings longer than a chunk lose their outermost, words longer than a chunk are cut', async (t) => {
  const builder = new DocumentBuilder({ name: 'made' });
  builder.addTitle('a long title of many words that fills the chunk');
  builder.addHeading(1, 'short');
  builder.addText('text', `${'x'.repeat(300)} end`);
  const letters = (text: string): number => text.replace(/\s/g, '').length;
  const found = await chunks(builder, { maxTokens: 40 }, letters);
  t.ok(found.every(({ num_tokens: tokens }) => (tokens ?? 99) <= 40));
  t.same(found[0]?.headings, ['short']);
  t.equal(found.map(({ text }) => text.replace(/^short\n/, '')).join('').replace(/\s/g, ''), `${'x'.repeat(300)}end`);
});

t.test('no word is lost, whatever the number is', async (t) => {
  const random = randomFrom(7);
  const integer = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  for (let round = 0; round < 60; round++) {
    const text = Array.from({ length: integer(1, 200) }, () => `${'abc\u{1f600}äé'.slice(0, integer(1, 5))}${integer(0, 9) === 0 ? '.' : ''}${integer(0, 12) === 0 ? '\n' : ' '}`).join('');
    const limit = integer(1, 30);
    const pieces = await splitText(text, limit, counting(pairs));
    t.equal(pieces.join('').replace(/\s/g, ''), text.replace(/\s/g, ''));
    if (pieces.some((piece) => pairs(piece) > limit && [...piece].length > 1)) t.fail(`a piece of more than ${limit}`);
  }
});

t.test('the work grows with the text, not with its square or with the number of tokens', async (t) => {
  const counted = async (paragraphs: number, maxTokens: number): Promise<number> => {
    const builder = new DocumentBuilder({ name: 'made' });
    for (let i = 0; i < paragraphs; i++) builder.addText('text', 'some words of a paragraph. '.repeat(20));
    let characters = 0;
    await chunks(builder, { maxTokens }, (text) => {
      characters += text.length;
      return words(text);
    });
    return characters;
  };
  const small = await counted(50, 1e9);
  t.ok(await counted(200, 1e9) < 5 * small);
  t.ok(await counted(50, 10) < 8 * small);
});

t.test('tables as sentences', async (t) => {
  const table = (rows: string[][], headers = 1) => {
    const builder = new DocumentBuilder({ name: 'made' });
    const cells = rows.flatMap((row, y) => row.map((text, x) => ({ row: y, column: x, text, columnHeader: y < headers })));
    return tableSentences(builder.addTable(rows.length, rows[0]?.length ?? 0, cells).data, (cell) => cell.text);
  };
  t.equal(table([['k', 'v'], ['a', '1'], ['b', '2']]), 'a, v = 1. b, v = 2');
  t.equal(table([['', '2024', '2024'], ['', 'Q1', 'Q2'], ['x', '1', '2']], 2), 'x, 2024.Q1 = 1. x, 2024.Q2 = 2');
  t.equal(table([['a', 'b'], ['c', 'd']], 0), 'c, b = d', 'the first row gives the names where none is marked');
  t.equal(table([['only'], ['one'], ['column']]), 'only. one. column');
  t.equal(table([['', '']]), '');
});
