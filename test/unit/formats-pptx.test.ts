/** PPTX: order of slides and shapes, placeholders and what they inherit, lists, tables, groups, notes, places. */
import t from 'tap';
import { makePptx, relationship } from '../support/office-files.js';
import { readOffice } from '../support/read-office.js';

const p = (text: string, properties = ''): string => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;
const frame = (x: number, y: number, name = 'a'): string => `<${name}:xfrm><a:off x="${x * 12700}" y="${y * 12700}"/><a:ext cx="1270000" cy="635000"/></${name}:xfrm>`;
const shape = (body: string, { ph = '', at = '', list = '' } = {}): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${ph === '' ? '' : `<p:ph ${ph}/>`}</p:nvPr></p:nvSpPr><p:spPr>${at}</p:spPr><p:txBody><a:lstStyle>${list}</a:lstStyle>${body}</p:txBody></p:sp>`;
const slide = (...shapes: string[]): { shapes: string } => ({ shapes: shapes.join('') });

t.test('slides in their order, titles first, footers aside', async (t) => {
  const bytes = makePptx({ slides: [
    slide(shape(p('Body one')), shape(p('First'), { ph: 'type="title"' }), shape(p('7'), { ph: 'type="sldNum" idx="12"' })),
    slide(shape(p('Sec') + p('ond'), { ph: 'type="ctrTitle"' }), shape(p('By me'), { ph: 'type="subTitle" idx="1"' })),
  ] });
  const { markdown, document, pageCount } = await readOffice('pptx', bytes);
  t.equal(markdown, '# First\n\nBody one\n\n# Sec ond\n\nBy me');
  t.match({ pageCount, size: document.pages.get(2)?.size }, { pageCount: 2, size: { width: 720, height: 540 } });
  t.match(document.texts.map(({ content_layer }) => content_layer), ['body', 'body', 'furniture', 'body', 'body']);
  t.equal((await readOffice('pptx', bytes, { pageRange: [2, 2] }, { pageBreakPlaceholder: '<{page}>' })).markdown, '# Sec ond\n\nBy me');
  t.equal((await readOffice('pptx', bytes.slice(), {}, { pageBreakPlaceholder: 'page {page}' })).markdown, '# First\n\nBody one\n\n# Sec ond\n\nBy me', 'no page breaks without places');
});

t.test('bullets come from the paragraph, the shape, the layout, the master', async (t) => {
  const styles = '<p:bodyStyle><a:lvl1pPr><a:buChar char="\u2022"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="-"/></a:lvl2pPr></p:bodyStyle>';
  const layout = shape('', { ph: 'type="body" idx="4"', list: '<a:lvl1pPr><a:buNone/></a:lvl1pPr>', at: frame(100, 50) });
  const bytes = makePptx({ styles, layout, slides: [slide(
    shape(p('inherited') + p('deeper', '<a:pPr lvl="1"/>') + p('without', '<a:pPr><a:buNone/></a:pPr>') + p('again'), { ph: 'idx="1"' }),
    shape(p('the layout says no'), { ph: 'type="body" idx="4"' }),
    shape(p('no placeholder')), shape(p('own style'), { list: '<a:lvl1pPr><a:buChar char="*"/></a:lvl1pPr>' }),
  )] });
  const { markdown, document } = await readOffice('pptx', bytes);
  t.equal(markdown, '- inherited\n    - deeper\n\nwithout\n\n- again\n\nthe layout says no\n\nno placeholder\n\n- own style');
  t.match(document.texts.find(({ text }) => text === 'the layout says no')?.prov, [{ page_no: 1, bbox: { l: 100, t: 490, r: 200, b: 440 } }], 'and where it stands');
});

t.test('numbers, looks, links, breaks', async (t) => {
  const numbered = (text: string, scheme: string, rest = ''): string => p(text, `<a:pPr><a:buAutoNum type="${scheme}"${rest}/></a:pPr>`);
  const shapes = shape(numbered('one', 'arabicPeriod') + numbered('two', 'arabicPeriod') + numbered('c', 'alphaLcParenR', ' startAt="3"'))
    + shape('<a:p><a:r><a:rPr b="1"/><a:t>bold</a:t></a:r><a:br/><a:r><a:rPr baseline="30000"/><a:t>up</a:t></a:r><a:r><a:rPr u="sng"><a:hlinkClick r:id="out"/></a:rPr><a:t>link</a:t></a:r><a:fld><a:t> field</a:t></a:fld></a:p>');
  const { markdown } = await readOffice('pptx', makePptx({ slides: [{ shapes, relationships: relationship('out', 'hyperlink', 'https://a.example/', true) }] }));
  t.equal(markdown, '1. one\n2. two\n\n- c) c\n\n**bold** <sup>up</sup>[link](https://a.example/) field');
});

t.test('shapes are read from the top, from the left what is level, wherever they stand in the file', async (t) => {
  const layout = shape('', { ph: 'type="body" idx="1"', at: frame(0, 60) });
  const slides = [slide(shape(p('foot'), { at: frame(0, 300) }), shape(p('right'), { at: frame(300, 101) }), shape(p('left'), { at: frame(0, 100) }), shape(p('behind left')), shape(p('the body'), { ph: 'idx="1"' }), shape(p('Title'), { ph: 'type="title"', at: frame(0, 400) }))];
  t.equal((await readOffice('pptx', makePptx({ layout, slides }))).markdown, '# Title\n\nthe body\n\nleft\n\nbehind left\n\nright\n\nfoot');
});

t.test('tables with spans; groups by place, in their own units', async (t) => {
  const tc = (text: string, rest = ''): string => `<a:tc ${rest}><a:txBody>${p(text)}</a:txBody></a:tc>`;
  const table = `<p:graphicFrame>${frame(10, 20, 'p')}<a:graphic><a:graphicData><a:tbl><a:tr>${tc('wide', 'gridSpan="2"')}${tc('', 'hMerge="1"')}${tc('tall', 'rowSpan="2"')}</a:tr><a:tr>${tc('a')}${tc('b')}${tc('', 'vMerge="1"')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="1270000" y="0"/><a:ext cx="1270000" cy="1270000"/><a:chOff x="0" y="0"/><a:chExt cx="2540000" cy="2540000"/></a:xfrm></p:grpSpPr>`
    + `${shape(p('below'), { at: frame(0, 100) })}${shape(p('right'), { at: frame(100, 2) })}${shape(p('left'), { at: frame(0, 0) })}</p:grpSp>`;
  const { markdown, document } = await readOffice('pptx', makePptx({ slides: [slide(table, group)] }));
  t.equal(markdown, 'left\n\nright\n\nbelow\n\n| wide | wide | tall |\n| - | - | - |\n| a | b | tall |');
  t.match(document.texts.find(({ text }) => text === 'below')?.prov, [{ bbox: { l: 100, t: 490, r: 150 } }], 'half the size, moved by 100 points');
});

t.test("a speaker's notes are shown when they are asked for", async (t) => {
  const notes = shape(p('Say this.'), { ph: 'type="body" idx="1"' }) + shape(p('3'), { ph: 'type="sldNum" idx="2"' });
  const bytes = makePptx({ slides: [{ ...slide(shape(p('Shown'))), notes }] });
  const without = await readOffice('pptx', bytes);
  t.equal(without.markdown, 'Shown');
  t.match(without.document.texts[1], { text: 'Say this.', content_layer: 'notes' });
  t.equal((await readOffice('pptx', bytes, { keepNotes: true })).markdown, 'Shown\n\nSay this.');
});

t.test('a tall shape follows the column at its left', async (t) => {
  const at = (words: string, left: number, top: number, height: number): string => `<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="${left * 12_700}" y="${top * 12_700}"/><a:ext cx="${200 * 12_700}" cy="${height * 12_700}"/></a:xfrm></p:spPr><p:txBody>${p(words)}</p:txBody></p:sp>`;
  const read = async (...shapes: string[]): Promise<string[]> => (await readOffice('pptx', makePptx({ slides: [slide(...shapes)] }))).markdown.split('\n\n');
  t.same(await read(at('Below', 0, 400, 40), at('Second', 0, 150, 60), at('Tall', 250, 0, 300), at('First', 0, 0, 60)), ['First', 'Second', 'Tall', 'Below']);
  t.same(await read(at('a', 0, 0, 40), at('b', 250, 0, 40), at('c', 0, 100, 40), at('d', 250, 100, 40)), ['a', 'b', 'c', 'd'], 'rows of equal heights stay rows');
});

t.test('pictures in the file, and those that are not there', async (t) => {
  const picture = (id: string): string => `<p:pic><p:nvPicPr><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="${id}"/></p:blipFill><p:spPr>${frame(0, 0)}</p:spPr></p:pic>`;
  const bytes = makePptx({
    slides: [{ shapes: picture('in') + picture('gone') + picture('none') + '<p:pic><p:spPr/></p:pic>', relationships: relationship('in', 'image', '../media/a.png') + relationship('gone', 'image', '../media/b.png') }],
    parts: { 'ppt/media/a.png': Buffer.from('a') },
  });
  const { markdown, pictures } = await readOffice('pptx', bytes);
  t.equal(markdown, '<!-- image -->');
  t.equal(pictures.length, 1);
  const named = `<p:pic><p:nvPicPr><p:cNvPr id="2" name="p" descr="A green valve"/></p:nvPicPr><p:blipFill><a:blip r:embed="gone"/></p:blipFill><p:spPr>${frame(0, 0)}</p:spPr></p:pic>`;
  t.equal((await readOffice('pptx', makePptx({ slides: [{ shapes: named }] }))).markdown, '<!-- image -->\n\nA green valve', 'of a picture that is gone its words');
});

t.test('a slide that is missing is said', async (t) => {
  const bytes = makePptx({ slides: [slide(shape(p('Here'))), slide()], parts: { 'ppt/slides/slide2.xml': '' } });
  const { markdown, losses } = await readOffice('pptx', bytes);
  t.equal(markdown, 'Here');
  t.same(losses, ['Slide 2 is missing from the file.']);
});

t.test('scripts in titles', async (t) => {
  const run = (text: string, properties = ''): string => `<a:r><a:rPr ${properties}/><a:t>${text}</a:t></a:r>`;
  const title = `<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:p>${run('CO', 'b="1"')}${run('2', 'baseline="-25000"')}${run(' and 10')}${run('6', 'baseline="30000"')}</a:p><a:p>${run('in air')}</a:p></p:txBody></p:sp>`;
  t.equal((await readOffice('pptx', makePptx({ slides: [{ shapes: title }] }))).markdown, '# CO₂ and 10⁶ in air');
});
