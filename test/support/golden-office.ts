/** One document of each office format with all that the reader of its format knows, made from XML: the sources of test/fixtures/formats. */
import { makeDocx, makeOdf, makePptx, makeXlsx, odfPart, relationship } from './office-files.js';

/** A picture of one pixel. */
export const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const relations = (entries: string): string => `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries}</Relationships>`;
const chart = (kind: string, title: string, series: [string, [string, string][]]): string => {
  const points = (place: 0 | 1): string => series[1].map((pair, index) => `<c:pt idx="${index}"><c:v>${pair[place]}</c:v></c:pt>`).join('');
  return '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>'
    + `<c:title><c:tx><c:rich><a:p><a:r><a:t>${title}</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:${kind}><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>${series[0]}</c:v></c:pt></c:strCache></c:strRef></c:tx>`
    + `<c:cat><c:strRef><c:strCache>${points(0)}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${points(1)}</c:numCache></c:numRef></c:val></c:ser></c:${kind}></c:plotArea></c:chart></c:chartSpace>`;
};

export function goldenDocx(): Uint8Array {
  const run = (text: string, properties = ''): string => `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
  const p = (contents: string, properties = ''): string => `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${contents.startsWith('<') || contents === '' ? contents : run(contents)}</w:p>`;
  const styled = (id: string, contents: string): string => p(contents, `<w:pStyle w:val="${id}"/>`);
  const listed = (list: number, level: number, text: string): string => p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`);
  const style = (id: string, name: string, inside = ''): string => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${inside}</w:style>`;
  const level = (number: number, format: string, text: string): string => `<w:lvl w:ilvl="${number}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const cell = (contents: string, properties = ''): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${/^<w:(?:p|tbl)>/.test(contents) ? contents : p(contents)}</w:tc>`;
  const table = (...rows: string[][]): string => `<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`;
  const tick = (ticked: number): string => `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${ticked}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('\u2612')}</w:sdtContent></w:sdt>`;
  const m = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
  const root = `<m:rad><m:deg>${m('3')}</m:deg><m:e><m:f><m:num>${m('a')}</m:num><m:den>${m('b')}</m:den></m:f></m:e></m:rad>`;
  const sum = `<m:nary><m:naryPr><m:chr m:val="\u2211"/></m:naryPr><m:sub>${m('i=1')}</m:sub><m:sup>${m('n')}</m:sup><m:e><m:sSub><m:e>${m('x')}</m:e><m:sub>${m('i')}</m:sub></m:sSub></m:e></m:nary>`;
  const drawing = (inside: string): string => `<w:r><w:drawing><wp:inline>${inside}</wp:inline></w:drawing></w:r>`;
  const picture = (attribute: string): string => drawing(`<wp:docPr id="1" name="p" descr="A pump"/><a:graphic><a:graphicData><a:blip ${attribute}/></a:graphicData></a:graphic>`);
  const textBox = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx><w:txbxContent>${p('Text in a box')}</w:txbxContent></wps:txbx></wps:wsp></w:drawing></mc:Choice>`
    + `<mc:Fallback><w:pict><v:textbox><w:txbxContent>${p('Text in a box')}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
  const styles = style('T', 'Title') + style('H1', 'heading 1', '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>') + style('H2', 'heading 2', '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>')
    + style('Code', 'Source Code') + style('Cap', 'caption');
  const numbering = `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%2)')}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '\u2022')}${level(1, 'bullet', 'o')}</w:abstractNum>`
    + '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num>';
  const body = styled('T', 'The pump') + styled('H1', 'Looks')
    + p(`${run('plain ')}${run('bold', '<w:b/>')}${run(' ')}${run('italic', '<w:i/>')} `.trim() + run(' ') + run('struck', '<w:strike/>') + run(' H') + run('2', '<w:vertAlign w:val="subscript"/>') + run('O') + run('secret', '<w:vanish/>'))
    + p(`${run('See ')}<w:hyperlink r:id="out">${run('the site', '<w:u w:val="single"/>')}</w:hyperlink>${run(', note')}<w:r><w:footnoteReference w:id="2"/></w:r>${run('.')}`)
    + p(`${run('Kept ')}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:ins>${run('inserted')}</w:ins><w:moveFrom>${run(' from')}</w:moveFrom><w:moveTo>${run(' to')}</w:moveTo>`)
    + styled('H1', 'Lists') + listed(1, 0, 'one') + listed(1, 1, 'under') + listed(1, 1, 'under too') + listed(1, 0, 'two') + p('Between the lists.') + listed(1, 0, 'resumed') + listed(3, 0, 'begun anew') + listed(2, 0, 'dot') + listed(2, 1, 'ring')
    + p(`${tick(1)}${run(' done')}`) + p(`${tick(0)}${run(' open')}`)
    + styled('H2', 'Tables') + styled('Cap', 'Table 1: pressures')
    + table([cell('wide', '<w:gridSpan w:val="2"/>'), cell('tall', '<w:vMerge w:val="restart"/>')], [cell('a'), cell('b'), cell('', '<w:vMerge/>')],
      [cell(listed(2, 0, 'one') + listed(2, 0, 'two')), cell(p(run('bold', '<w:b/>'))), cell(table([cell('x'), cell('y')]) + p('after'))])
    + styled('H2', 'Formulas') + p(`${run('In the line ')}<m:oMath>${root}</m:oMath>${run('.')}`) + `<w:p><m:oMathPara><m:oMath>${sum}</m:oMath></m:oMathPara></w:p>`
    + styled('H2', 'Drawings') + p(picture('r:embed="inside"')) + styled('Cap', 'Figure 1: a pump') + p(picture('r:link="outside"')) + p(textBox)
    + p(drawing('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="chart"/>')) + styled('Code', 'if (dry) {') + styled('Code', '  stop();') + styled('Code', '}')
    + '<w:sectPr><w:headerReference w:type="default" r:id="head"/></w:sectPr>';
  return makeDocx({
    body, styles, numbering, footnotes: `<w:footnote w:type="separator" w:id="0"/><w:footnote w:id="2">${p('A note at the foot.')}</w:footnote>`,
    relationships: relationship('inside', 'image', 'media/a.png') + relationship('outside', 'image', 'https://spy.example/b.png', true) + relationship('chart', 'chart', 'charts/chart1.xml')
      + relationship('out', 'hyperlink', 'https://a.example/', true) + relationship('head', 'header', 'header1.xml'),
    parts: {
      'word/media/a.png': pixel, 'word/charts/chart1.xml': chart('barChart', 'Flow', ['litres', [['May', '4.5'], ['June', '6']]]),
      'word/header1.xml': `<w:hdr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${p('A running head')}</w:hdr>`,
    },
  });
}

export function goldenPptx(): Uint8Array {
  const p = (text: string, properties = ''): string => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;
  const frame = (x: number, y: number, name = 'a'): string => `<${name}:xfrm><a:off x="${x * 12700}" y="${y * 12700}"/><a:ext cx="1270000" cy="635000"/></${name}:xfrm>`;
  const shape = (body: string, at: string, ph = ''): string => `<p:sp><p:nvSpPr><p:nvPr>${ph === '' ? '' : `<p:ph ${ph}/>`}</p:nvPr></p:nvSpPr><p:spPr>${at}</p:spPr><p:txBody>${body}</p:txBody></p:sp>`;
  const tc = (text: string, rest = ''): string => `<a:tc ${rest}><a:txBody>${p(text)}</a:txBody></a:tc>`;
  const table = `<p:graphicFrame>${frame(10, 300, 'p')}<a:graphic><a:graphicData><a:tbl><a:tr>${tc('wide', 'gridSpan="2"')}${tc('', 'hMerge="1"')}${tc('tall', 'rowSpan="2"')}</a:tr><a:tr>${tc('a')}${tc('b')}${tc('', 'vMerge="1"')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="2540000"/><a:ext cx="2540000" cy="635000"/><a:chOff x="0" y="0"/><a:chExt cx="2540000" cy="635000"/></a:xfrm></p:grpSpPr>${shape(p('grouped right'), frame(100, 0))}${shape(p('grouped left'), frame(0, 0))}</p:grpSp>`;
  const picture = `<p:pic><p:nvPicPr><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="img"/></p:blipFill><p:spPr>${frame(300, 100)}</p:spPr></p:pic>`;
  const bullets = shape(p('first point', '<a:pPr><a:buChar char="\u2022"/></a:pPr>') + p('under it', '<a:pPr lvl="1"><a:buChar char="-"/></a:pPr>') + p('counted', '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>') + p('counted too', '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'), frame(0, 100), 'idx="1"');
  const looks = '<a:p><a:r><a:rPr b="1"/><a:t>bold</a:t></a:r><a:r><a:t> and </a:t></a:r><a:r><a:rPr i="1"><a:hlinkClick r:id="out"/></a:rPr><a:t>a link</a:t></a:r></a:p>';
  return makePptx({
    slides: [
      { shapes: shape(p('By Ann'), frame(0, 200), 'type="subTitle" idx="1"') + shape(p('Pumps'), frame(0, 100), 'type="ctrTitle"') + shape(p('1'), frame(0, 500), 'type="sldNum" idx="12"') },
      { shapes: group + bullets + shape(p('Parts'), frame(0, 10), 'type="title"') + picture + table, notes: shape(p('Say this aloud.'), '', 'type="body" idx="1"'), relationships: relationship('img', 'image', '../media/a.png') },
      { shapes: shape(looks, frame(0, 50)), relationships: relationship('out', 'hyperlink', 'https://a.example/', true) },
    ],
    parts: { 'ppt/media/a.png': pixel },
  });
}

export function goldenXlsx(): Uint8Array {
  const inline = (at: string, text: string): string => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const number = (at: string, value: number, style = 0): string => `<c r="${at}" s="${style}"><v>${value}</v></c>`;
  const rows = `<row r="1">${inline('A1', 'Pumps of the north')}</row>`
    + `<row r="3">${inline('A3', 'Pump')}${inline('B3', 'Bought')}${inline('C3', 'Share')}${inline('D3', 'Price')}<c r="E3" t="s"><v>0</v></c></row>`
    + `<row r="4">${inline('A4', 'A | 1')}${number('B4', 45_292, 1)}${number('C4', 0.256, 2)}${number('D4', 1234.5, 3)}<c r="E4" t="b"><v>1</v></c></row>`
    + `<row r="5">${inline('A5', 'B')}${number('B5', 45_293.75, 4)}${number('C5', 1, 2)}<c r="D5" s="3"><f>D4*2</f><v>2469</v></c><c r="E5" t="e"><v>#DIV/0!</v></c></row>`
    + `<row r="7">${inline('C7', 'merged')}</row><row r="9">${inline('E9', 'below')}</row>`;
  const styles = '<numFmts><numFmt numFmtId="164" formatCode="#,##0.00&quot; \u20ac&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="22"/></cellXfs>';
  const comments = '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author></authors><commentList><comment ref="A3" authorId="0"><text><r><t>Which pump?</t></r></text></comment></commentList></comments>';
  return makeXlsx({
    sheets: [
      { name: 'Stock', xml: `<sheetData>${rows}</sheetData><mergeCells><mergeCell ref="C7:E8"/></mergeCells>` },
      { name: 'Hidden', xml: `<sheetData><row r="1">${inline('A1', 'not shown')}</row></sheetData>`, state: 'hidden' },
      { name: 'Flow', xml: `<sheetData><row r="1">${inline('A1', 'May')}${number('B1', 4.5)}</row></sheetData>` },
    ],
    strings: '<si><r><t>rich </t></r><r><t>text</t></r></si>', styles,
    parts: { 'xl/comments1.xml': comments, 'xl/worksheets/_rels/sheet1.xml.rels': relations(relationship('c', 'comments', '../comments1.xml')) },
  });
}

const text = (contents: string, style = ''): string => `<text:p${style === '' ? '' : ` text:style-name="${style}"`}>${contents}</text:p>`;
const item = (...contents: string[]): string => `<text:list-item>${contents.join('')}</text:list-item>`;
const list = (style: string, ...items: string[]): string => `<text:list${style === '' ? '' : ` text:style-name="${style}"`}>${items.join('')}</text:list>`;
const odfCell = (contents: string, rest = ''): string => `<table:table-cell ${rest}>${text(contents)}</table:table-cell>`;
const listStyles = '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>'
  + '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="\u2022"/></text:list-style>';
const merged = `<table:table><table:table-header-rows><table:table-row>${odfCell('wide', 'table:number-columns-spanned="2"')}<table:covered-table-cell/>${odfCell('tall', 'table:number-rows-spanned="2"')}</table:table-row></table:table-header-rows>`
  + `<table:table-row>${odfCell('a')}${odfCell('b')}<table:covered-table-cell/></table:table-row></table:table>`;

export function goldenOdt(): Uint8Array {
  const bold = '<style:style style:name="Bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>';
  const body = `<text:tracked-changes><text:changed-region><text:deletion>${text('was deleted')}</text:deletion></text:changed-region></text:tracked-changes>` + text('The pump', 'Title')
    + '<text:h text:outline-level="1">Looks</text:h>' + text('plain <text:span text:style-name="Bold">bold</text:span>, <text:a xlink:href="https://a.example/">a link</text:a><text:s text:c="2"/>x<text:line-break/>a new line')
    + text('A note<text:note><text:note-citation>1</text:note-citation><text:note-body>' + text('At the foot.') + '</text:note-body></text:note> here.<office:annotation>' + text('a remark') + '</office:annotation>')
    + '<text:h text:outline-level="2">Lists</text:h>' + list('N', item(text('one'), list('', item(text('under')))), item(text('two'))) + text('Between.') + `<text:list text:style-name="N" text:continue-numbering="true">${item(text('resumed'))}</text:list>` + list('B', item(text('dot')))
    + '<text:h text:outline-level="2">Tables and frames</text:h>' + merged + text('<draw:frame><draw:text-box>' + text('In a box') + '</draw:text-box></draw:frame>') + text('<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame>')
    + text('Half: <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>') + text('<draw:frame><draw:image xlink:href="https://spy.example/b.png"/></draw:frame>');
  return makeOdf('text', { body, automatic: listStyles + bold, styles: '<style:style style:name="Title" style:family="paragraph"/>', master: `<style:master-page><style:header>${text('A running head')}</style:header></style:master-page>`, parts: {
    'Pictures/a.png': pixel, 'Object 1/content.xml': odfPart('math:math', '<math:mfrac><math:mn>1</math:mn><math:mn>2</math:mn></math:mfrac>'),
  } });
}

export function goldenOdp(): Uint8Array {
  const frame = (kind: string, inside: string, y: number): string => `<draw:frame svg:x="1in" svg:y="${y}in" svg:width="4in" svg:height="1in" presentation:class="${kind}"><draw:text-box>${inside}</draw:text-box></draw:frame>`;
  const body = `<draw:page draw:name="page1">${frame('outline', list('B', item(text('a point'), list('', item(text('under it'))))), 2)}${frame('title', text('Pumps'), 0.5)}<draw:g><draw:custom-shape>${text('in a group')}</draw:custom-shape></draw:g>`
    + `<draw:frame>${merged}</draw:frame><presentation:notes><draw:frame presentation:class="notes"><draw:text-box>${text('Say this aloud.')}</draw:text-box></draw:frame></presentation:notes></draw:page>`
    + `<draw:page draw:name="page2">${frame('title', text('Parts'), 0.5)}${frame('outline', list('N', item(text('lid')), item(text('rotor'))), 2)}<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame>${frame('footer', text('The foot'), 7)}</draw:page>`;
  return makeOdf('presentation', { body, automatic: listStyles, parts: { 'Pictures/a.png': pixel } });
}

export function goldenOds(): Uint8Array {
  const row = (cells: string, rest = ''): string => `<table:table-row ${rest}>${cells}</table:table-row>`;
  const sheet = (name: string, rows: string, rest = ''): string => `<table:table table:name="${name}" ${rest}>${rows}</table:table>`;
  const hidden = '<style:style style:name="H" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const body = sheet('Stock', row(odfCell('Pump') + odfCell('Price')) + row(odfCell('A') + odfCell('1,234.50 \u20ac', 'office:value-type="currency" office:value="1234.5"')) + row(odfCell('twice', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"')
    + row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1000000"') + row(odfCell('far below', 'table:number-columns-spanned="2"') + '<table:covered-table-cell/>'))
    + sheet('Secret', row(odfCell('not shown')), 'table:style-name="H"') + sheet('Flow', row(odfCell('May') + odfCell('4.5')));
  return makeOdf('spreadsheet', { body, automatic: hidden });
}
