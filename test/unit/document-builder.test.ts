/** The builder: numbering, parents, page boxes, character spans, and text fit to be written. */
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import type { DocumentNode } from '../../src/document/model.js';

const box = { left: 72, top: 100.004, right: 300, bottom: 112.5 };

t.test('boxes turn to the bottom left for PDFs, stay for others; table cells stay', (t) => {
  const pdf = new DocumentBuilder({ name: 'a' });
  pdf.addPage(2, { width: 612, height: 792 });
  const text = pdf.addText('text', 'x', { at: [{ pageNumber: 2, box }] });
  t.strictSame(text.prov, [{ page_no: 2, bbox: { l: 72, t: 692, r: 300, b: 679.5, coord_origin: 'BOTTOMLEFT' }, charspan: [0, 1] }]);
  const table = pdf.addTable(1, 1, [{ row: 0, column: 0, text: 'c', box }]);
  t.strictSame(table.data.table_cells[0]?.bbox, { l: 72, t: 100, r: 300, b: 112.5, coord_origin: 'TOPLEFT' });
  const slides = new DocumentBuilder({ name: 'b', coordOrigin: 'TOPLEFT' });
  slides.addPage(1, { width: 612, height: 792 });
  t.strictSame(slides.addText('text', 'x', { at: [{ pageNumber: 1, box }] }).prov[0]?.bbox,
    { l: 72, t: 100, r: 300, b: 112.5, coord_origin: 'TOPLEFT' });
  t.throws(() => pdf.addText('text', 'x', { at: [{ pageNumber: 1, box }] }), /page 1 is not in the document/);
  const odd = pdf.addText('text', 'x', { at: [{ pageNumber: 2, box: { left: NaN, top: Infinity, right: 1, bottom: 2 } }] });
  t.strictSame(JSON.parse(JSON.stringify(odd.prov[0]?.bbox)), { l: 0, t: 0, r: 1, b: 790, coord_origin: 'BOTTOMLEFT' });
  t.end();
});

t.test('a paragraph over two pages has two places; spans count code points of orig', (t) => {
  const builder = new DocumentBuilder({ name: 'a' });
  builder.addPage(1, { width: 100, height: 100 });
  builder.addPage(2, { width: 100, height: 100 });
  const orig = 'one 😀 two- fold';
  const text = builder.addText('text', 'one 😀 twofold', { orig, at: [{ pageNumber: 1, box, from: 0, to: 11 }, { pageNumber: 2, box, from: 12 }] });
  t.strictSame(text.prov.map((place) => place.charspan), [[0, 10], [11, 15]]);
  t.equal(text.orig, orig);
  t.end();
});

t.test('parents, children, layers and references fit together', (t) => {
  const builder = new DocumentBuilder({ name: 'a', origin: { mimetype: 'application/pdf', filename: 'a.pdf', sha256: 'a07f5c34601ba2c234d898cbfaa9e29a7045996ccd82ccab3012516220a1f3a4' } });
  const header = builder.addFurniture('page_header', 'h');
  const list = builder.addListGroup();
  const item = builder.addListItem(list, 'i', { marker: '•', orig: '• i' });
  const picture = builder.addPicture();
  const caption = builder.addCaption(picture, 'c');
  const note = builder.addFootnote(picture, 'n');
  const code = builder.addCode('x', { language: 'Python' });
  t.equal(builder.document.origin?.binary_hash, 3463920545297462180n, 'the last 64 bits of the hash');
  t.equal(header.content_layer, 'furniture');
  t.strictSame(builder.document.body.children.map((ref) => ref.$ref), ['#/texts/0', '#/groups/0', '#/pictures/0', '#/texts/4']);
  t.strictSame([item.self_ref, item.parent, list.children], ['#/texts/1', { $ref: '#/groups/0' }, [{ $ref: '#/texts/1' }]]);
  t.strictSame([picture.captions, picture.footnotes], [[{ $ref: caption.self_ref }], [{ $ref: note.self_ref }]]);
  t.strictSame(picture.children.map((ref) => ref.$ref), [caption.self_ref, note.self_ref]);
  t.strictSame([item.orig, item.text, item.marker, code.code_language], ['• i', 'i', '•', 'Python']);
  t.equal(builder.addText('text', 'f', { parent: header }).content_layer, 'furniture', 'children are in the layer of their parent');
  t.end();
});

t.test('text that cannot be written is made writable', (t) => {
  const builder = new DocumentBuilder({ name: 'a' });
  t.equal(builder.addText('text', 'a\r\nb\rc\u0000d\u001be \ud800f \udc00g 😀').text, 'a\nb\nc d e \ufffdf \ufffdg 😀');
  t.equal(builder.addTable(1, 1, [{ row: 0, column: 0, text: 'x\u0007y\ud83d' }]).data.table_cells[0]?.text, 'x y\ufffd');
  t.end();
});

t.test('nesting without end is refused', (t) => {
  const builder = new DocumentBuilder({ name: 'a' });
  let parent: DocumentNode | undefined;
  t.throws(() => {
    for (let i = 0; i < 10_000; i++) parent = builder.addListItem(builder.addListGroup({ parent }), 'x');
  }, { code: 'invalid_document', message: 'The document is nested deeper than 256 levels.' });
  t.equal(builder.document.texts.length, 128);
  t.end();
});
