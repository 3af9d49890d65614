/** Office files made in the tests: packages from their parts, and large ones of a given size. */
import { strToU8, zipSync, type Zippable } from 'fflate';
import { randomFrom } from './random.js';

const schemas = 'http://schemas.openxmlformats.org';
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const relationshipsOf = (entries: string): string => `${head}<Relationships xmlns="${schemas}/package/2006/relationships">${entries}</Relationships>`;

export type Parts = Record<string, string | Uint8Array>;

/** A zip archive of these files. */
export function makeArchive(parts: Parts, level: 0 | 6 = 6): Uint8Array {
  const files: Zippable = {};
  for (const [name, contents] of Object.entries(parts)) files[name] = [typeof contents === 'string' ? strToU8(contents) : contents, { level, mtime: new Date(1980, 0, 1) }];
  return zipSync(files);
}

/** One `<Relationship>`; `type` is the last word of its address. */
export function relationship(id: string, type: string, target: string, external = false): string {
  return `<Relationship Id="${id}" Type="${schemas}/officeDocument/2006/relationships/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`;
}

/** A package whose main part is `main`, with `relationships` of it. */
export function makePackage(main: string, parts: Parts, relationships = ''): Uint8Array {
  const slash = main.lastIndexOf('/') + 1;
  return makeArchive({
    '[Content_Types].xml': `${head}<Types xmlns="${schemas}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': relationshipsOf(relationship('rId1', 'officeDocument', main)),
    [`${main.slice(0, slash)}_rels/${main.slice(slash)}.rels`]: relationshipsOf(relationships),
    ...parts,
  });
}

export const wordNamespaces = `xmlns:w="${schemas}/wordprocessingml/2006/main" xmlns:r="${schemas}/officeDocument/2006/relationships" xmlns:m="${schemas}/officeDocument/2006/math" `
  + `xmlns:a="${schemas}/drawingml/2006/main" xmlns:wp="${schemas}/drawingml/2006/wordprocessingDrawing" xmlns:mc="${schemas}/markup-compatibility/2006" `
  + 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"';

export interface DocxParts {
  body: string;
  styles?: string;
  numbering?: string;
  footnotes?: string;
  relationships?: string;
  parts?: Parts;
}

/** Each text is what stands inside its part's root. */
export function makeDocx({ body, styles, numbering, footnotes, relationships = '', parts = {} }: DocxParts): Uint8Array {
  const part = (root: string, inside: string): string => `${head}<w:${root} ${wordNamespaces}>${inside}</w:${root}>`;
  const own: [string, string, string | undefined][] = [['styles', 'styles', styles], ['numbering', 'numbering', numbering], ['footnotes', 'footnotes', footnotes]];
  const made = own.filter(([, , inside]) => inside !== undefined);
  return makePackage('word/document.xml', {
    'word/document.xml': `${head}<w:document ${wordNamespaces}><w:body>${body}</w:body></w:document>`,
    ...Object.fromEntries(made.map(([name, root, inside]) => [`word/${name}.xml`, part(root, inside as string)])),
    ...parts,
  }, made.map(([name], index) => relationship(`rIdOwn${index}`, name, `${name}.xml`)).join('') + relationships);
}

export interface XlsxSheet {
  name: string;
  /** Inside `<worksheet>`. */
  xml: string;
  state?: string;
}

export interface XlsxParts {
  sheets: XlsxSheet[];
  /** Inside `<sst>`. */
  strings?: string;
  /** Inside `<styleSheet>`. */
  styles?: string;
  /** Inside `<workbook>`, before the sheets. */
  workbook?: string;
  parts?: Parts;
}

export function makeXlsx({ sheets, strings, styles, workbook = '', parts = {} }: XlsxParts): Uint8Array {
  const namespaces = `xmlns="${schemas}/spreadsheetml/2006/main" xmlns:r="${schemas}/officeDocument/2006/relationships"`;
  const list = sheets.map(({ name, state }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"${state === undefined ? '' : ` state="${state}"`}/>`);
  const extra: Parts = {};
  let relationships = sheets.map((_, index) => relationship(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`)).join('');
  for (const [name, root, inside] of [['sharedStrings', 'sst', strings], ['styles', 'styleSheet', styles]] as const) {
    if (inside === undefined) continue;
    extra[`xl/${name}.xml`] = `${head}<${root} ${namespaces}>${inside}</${root}>`;
    relationships += relationship(`rId${name}`, name, `${name}.xml`);
  }
  return makePackage('xl/workbook.xml', {
    'xl/workbook.xml': `${head}<workbook ${namespaces}>${workbook}<sheets>${list.join('')}</sheets></workbook>`,
    ...Object.fromEntries(sheets.map(({ xml }, index) => [`xl/worksheets/sheet${index + 1}.xml`, `${head}<worksheet ${namespaces}>${xml}</worksheet>`])),
    ...extra, ...parts,
  }, relationships);
}

const pptNamespaces = `xmlns:p="${schemas}/presentationml/2006/main" xmlns:a="${schemas}/drawingml/2006/main" xmlns:r="${schemas}/officeDocument/2006/relationships"`;

export interface PptxSlide {
  /** Inside the slide's tree of shapes. */
  shapes: string;
  /** Inside the tree of its notes. */
  notes?: string;
  relationships?: string;
}

/** Slides of one layout; `layout`, `master` are inside their trees of shapes, `styles` inside `p:txStyles`. */
export function makePptx({ slides, layout = '', master = '', styles = '', parts = {} }: { slides: PptxSlide[]; layout?: string; master?: string; styles?: string; parts?: Parts }): Uint8Array {
  const tree = (root: string, shapes: string, rest = ''): string => `${head}<p:${root} ${pptNamespaces}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>${rest}</p:${root}>`;
  const made: Parts = {
    'ppt/presentation.xml': `${head}<p:presentation ${pptNamespaces}><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('')}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`,
    'ppt/slideLayouts/slideLayout1.xml': tree('sldLayout', layout), 'ppt/slideMasters/slideMaster1.xml': tree('sldMaster', master, `<p:txStyles>${styles}</p:txStyles>`),
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationshipsOf(relationship('m', 'slideMaster', '../slideMasters/slideMaster1.xml')),
  };
  for (const [index, { shapes, notes, relationships = '' }] of slides.entries()) {
    const name = `slide${index + 1}.xml`;
    made[`ppt/slides/${name}`] = tree('sld', shapes);
    made[`ppt/slides/_rels/${name}.rels`] = relationshipsOf(relationship('layout', 'slideLayout', '../slideLayouts/slideLayout1.xml') + relationships
      + (notes === undefined ? '' : relationship('notes', 'notesSlide', `../notesSlides/${name}`)));
    if (notes !== undefined) made[`ppt/notesSlides/${name}`] = tree('notes', notes);
  }
  return makePackage('ppt/presentation.xml', { ...made, ...parts }, slides.map((_, index) => relationship(`rId${index + 1}`, 'slide', `slides/slide${index + 1}.xml`)).join(''));
}

const odfNamespaces = ['office', 'style', 'text', 'table', 'presentation', 'chart'].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(' ')
  + ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
  + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:math="http://www.w3.org/1998/Math/MathML"';

/** `body` is inside `office:text` and its sisters; `automatic` and `styles` inside the two kinds of styles, `master` inside the page styles. */
export function makeOdf(kind: 'text' | 'spreadsheet' | 'presentation', { body, automatic = '', styles = '', master = '', parts = {} }: { body: string; automatic?: string; styles?: string; master?: string; parts?: Parts }): Uint8Array {
  return makeArchive({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `${head}<office:document-content ${odfNamespaces}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    'styles.xml': `${head}<office:document-styles ${odfNamespaces}><office:styles>${styles}</office:styles><office:master-styles>${master}</office:master-styles></office:document-styles>`,
    ...parts,
  });
}

export const odfPart = (root: string, inside: string): string => `${head}<${root} ${odfNamespaces}>${inside}</${root}>`;

const syllables = 'ba ce di fo gu la me ni po ru sa te vi xo zu kra ble stri plo mun'.split(' ');

function wordsFrom(random: () => number): () => string {
  return () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => syllables[Math.floor(random() * syllables.length)]).join('');
}

/** As many units as make a file of about that many bytes: one of a sample says how much each weighs. */
function grownTo(bytes: number, sample: number, make: (units: number) => Uint8Array): Uint8Array {
  // What every file has beside its units counts, too: two samples tell the price of one.
  const [one, two] = [make(sample).length, make(2 * sample).length];
  const units = Math.round(sample * (1 + (bytes - one) / (two - one)));
  const made = make(units).length;
  return make(Math.ceil(units * (bytes - one) / (made - one)));
}

/** Paragraphs of invented words, a heading for every twenty of them. */
export function makeLargeDocx(bytes: number): Uint8Array {
  return grownTo(bytes, 500, (paragraphs) => {
    const word = wordsFrom(randomFrom(7));
    const body = Array.from({ length: paragraphs }, (_, index) => {
      const style = index % 20 === 0 ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : '';
      const words = Array.from({ length: index % 20 === 0 ? 5 : 60 }, word);
      return `<w:p w:rsidR="00${(index * 7919 % 0xffffff).toString(16).padStart(6, '0')}">${style}<w:r><w:t xml:space="preserve">${words.slice(0, 3).join(' ')} </w:t></w:r>`
        + `<w:r><w:rPr><w:b/></w:rPr><w:t>${words[3]}</w:t></w:r><w:r><w:t xml:space="preserve"> ${words.slice(4).join(' ')}</w:t></w:r></w:p>`;
    });
    return makeDocx({ body: body.join(''), styles: '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>' });
  });
}

/** Ten columns: shared strings, dates, numbers of three places as they are typed, of as many as programs calculate with, text of its own, formulas. */
export function makeLargeXlsx(bytes: number): Uint8Array {
  return grownTo(bytes, 1000, (rows) => {
    const random = randomFrom(11);
    const word = wordsFrom(random);
    const strings = Array.from({ length: 5000 }, () => `<si><t>${word()} ${word()}</t></si>`).join('');
    const lines: string[] = [];
    for (let row = 1; row <= rows; row++) {
      const cells = [`<c r="A${row}" t="s"><v>${Math.floor(random() * 5000)}</v></c>`, `<c r="B${row}" s="1"><v>${40_000 + Math.floor(random() * 5000)}</v></c>`];
      for (const column of 'CDEFG') cells.push(`<c r="${column}${row}"><v>${(random() * 10_000).toFixed(3)}</v></c>`);
      cells.push(`<c r="H${row}"><v>${random() * 10_000}</v></c>`, `<c r="I${row}" t="inlineStr"><is><t>${word()} ${word()}</t></is></c>`, `<c r="J${row}"><f>C${row}*D${row}</f><v>${random() * 100}</v></c>`);
      lines.push(`<row r="${row}">${cells.join('')}</row>`);
    }
    return makeXlsx({
      sheets: [{ name: 'Numbers', xml: `<sheetData>${lines.join('')}</sheetData>` }], strings,
      styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
    });
  });
}
