/** Makes small PDFs for tests, valid or deliberately broken, from a plain description. Nothing here is a PDF library. */
import { createHash } from 'node:crypto';

export interface PdfSpec {
  pages: PageSpec[];
  title?: string;
  author?: string;
  language?: string;
  outline?: OutlineSpec[];
  /** Optional-content layers by resource name; false: switched off. */
  layers?: Record<string, boolean>;
  /** The structure tree; mcids belong to page 0 unless `page` says otherwise. */
  structure?: TagSpec[];
  /** Both passwords of the 40-bit standard handler. */
  password?: string;
  /** Fonts beside the standard ones: resource name -> dictionary. */
  fonts?: Record<string, string | FontSpec>;
  /** Further entries of the catalog. */
  catalog?: string;
}

export interface PageSpec {
  width?: number;
  height?: number;
  /** Lower left corner of the media box. */
  origin?: [number, number];
  rotate?: number;
  cropBox?: [number, number, number, number];
  content: string | string[];
  forms?: Record<string, FormSpec>;
  images?: Record<string, ImageSpec>;
  /** Graphics states: name -> entries, such as `/ca 0`. */
  states?: Record<string, string>;
  /** Shadings: name -> entries. The page's forms have them, too. */
  shadings?: Record<string, string>;
  links?: LinkSpec[];
  fields?: FieldSpec[];
  /** Further entries of the page dictionary. */
  entries?: string;
}

export interface FormSpec {
  content: string;
  matrix?: number[];
  box?: number[];
  /** Names of other forms of the page that this one paints. */
  uses?: string[];
  layer?: string;
}

export interface ImageSpec {
  width: number;
  height: number;
  /** One grey level for the whole image, 0..255. */
  grey: number;
  /** Instead: a level for each of its pixels, rows from the top. */
  pixels?: Uint8Array;
  /** Opacity of a soft mask, 0..255. */
  alpha?: number;
}

export interface LinkSpec {
  rect: [number, number, number, number];
  uri?: string;
  page?: number;
}

/** A text field of the document's form. */
export interface FieldSpec {
  rect: [number, number, number, number];
  value: string;
  /** Annotation flags; 4 (print) unless said. */
  flags?: number;
  /** Field flags: 1 << 12 many lines, 1 << 13 password. */
  fieldFlags?: number;
  size?: number;
}

export interface OutlineSpec {
  title: string;
  page: number;
  y?: number;
  children?: OutlineSpec[];
}

export interface TagSpec {
  role: string;
  mcids?: number[];
  page?: number;
  alt?: string;
  actualText?: string;
  /** Attribute entries, such as `/O /Table /ColSpan 2`. */
  attributes?: string;
  children?: TagSpec[];
}

/** A simple font whose codes mean what `unicode` says; all glyphs are 600/1000 wide unless said. */
export interface FontSpec {
  base?: string;
  /** Code -> text; `null` entries stay unmapped. */
  unicode?: Record<number, string>;
  widths?: Record<number, number>;
  flags?: number;
  /** Type 3: code -> glyph content, in 1/1000 units unless `matrix` says otherwise. */
  type3?: Record<number, string>;
  matrix?: number[];
}

export const standardFonts = [
  'Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique', 'Times-Roman', 'Times-Bold', 'Times-Italic', 'Courier', 'Courier-Bold', 'Symbol', 'ZapfDingbats',
];

/** The bytes of a PDF 1.7 file with a classic cross-reference table. */
export function makePdf(spec: PdfSpec): Uint8Array {
  return new Assembly(spec).bytes();
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Text strings outside Latin-1 go out as UTF-16 with its mark. */
function textString(text: string): string {
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return `<${utf16.toString('hex')}>`;
}

class Assembly {
  #spec: PdfSpec;
  #objects: (Buffer | undefined)[] = [undefined];
  #pageNumbers: number[] = [];
  #fieldNumbers: number[] = [];
  #layerNumbers = new Map<string, number>();
  #key: Buffer | undefined;
  #fileId = createHash('md5').update('lectern').digest();
  #encrypt = '';

  constructor(spec: PdfSpec) {
    this.#spec = spec;
    if (spec.password !== undefined) this.#startEncryption(spec.password);
  }

  bytes(): Uint8Array {
    const { pages, title, author } = this.#spec;
    const catalog = this.#reserve();
    const tree = this.#reserve();
    for (const [name] of Object.entries(this.#spec.layers ?? {})) this.#layerNumbers.set(name, this.#add(`<</Type /OCG /Name ${this.#text(name)}>>`));
    this.#pageNumbers = pages.map(() => this.#reserve());
    const fonts = this.#fontResources();
    pages.forEach((page, index) => this.#writePage(page, index, tree, fonts));
    this.#set(tree, `<</Type /Pages /Count ${pages.length} /Kids [${this.#pageNumbers.map((number) => `${number} 0 R`).join(' ')}]>>`);
    this.#set(catalog, `<</Type /Catalog /Pages ${tree} 0 R ${this.#catalogEntries()}>>`);
    const info = this.#add(`<<${title === undefined ? '' : `/Title ${this.#text(title)}`} ${author === undefined ? '' : `/Author ${this.#text(author)}`} /Producer ${this.#text('lectern tests')}>>`);
    return this.#file(catalog, info);
  }

  #text(text: string): string {
    // Encrypted files would need every string enciphered; tests of those read pages, not strings.
    return textString(text);
  }

  #reserve(): number {
    this.#objects.push(undefined);
    return this.#objects.length - 1;
  }

  #set(number: number, body: string): number {
    this.#objects[number] = latin1(body);
    return number;
  }

  #add(body: string): number {
    return this.#set(this.#reserve(), body);
  }

  #stream(entries: string, content: string | Buffer): number {
    const number = this.#reserve();
    const plain = typeof content === 'string' ? latin1(content) : content;
    const data = this.#key === undefined ? plain : rc4(objectKey(this.#key, number), plain);
    this.#objects[number] = Buffer.concat([latin1(`<<${entries} /Length ${data.length}>>\nstream\n`), data, latin1('\nendstream')]);
    return number;
  }

  #catalogEntries(): string {
    const { language, layers, structure, outline, catalog } = this.#spec;
    const entries = [catalog ?? ''];
    if (this.#fieldNumbers.length > 0) {
      const fields = this.#fieldNumbers.map((number) => `${number} 0 R`).join(' ');
      entries.push(`/AcroForm <</Fields [${fields}] /DR <</Font <</Helv <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>>`);
    }
    if (language !== undefined) entries.push(`/Lang (${language})`);
    if (structure !== undefined) entries.push(`/MarkInfo <</Marked true>> /StructTreeRoot ${this.#structureRoot(structure)} 0 R`);
    if (outline !== undefined) entries.push(`/Outlines ${this.#outlineLevel(outline, 0)} 0 R`);
    if (layers !== undefined) {
      const reference = (name: string) => `${this.#layerNumbers.get(name) ?? 0} 0 R`;
      const off = Object.entries(layers).filter(([, visible]) => !visible).map(([name]) => reference(name));
      entries.push(`/OCProperties <</OCGs [${Object.keys(layers).map(reference).join(' ')}] /D <</OFF [${off.join(' ')}]>>>>`);
    }
    return entries.join(' ');
  }

  #writePage(page: PageSpec, index: number, tree: number, fonts: string): void {
    const [x, y] = page.origin ?? [0, 0];
    const content = this.#stream('', typeof page.content === 'string' ? page.content : page.content.join('\n'));
    const forms = Object.fromEntries(Object.keys(page.forms ?? {}).map((name) => [name, this.#reserve()]));
    const layers = [...this.#layerNumbers].map(([name, number]) => `/${name} ${number} 0 R`).join(' ');
    const shadings = Object.entries(page.shadings ?? {}).map(([name, entries]) => `/${name} <<${entries}>>`).join(' ');
    const shared = `/Font <<${fonts}>> /Properties <<${layers}>> /Shading <<${shadings}>>`;
    for (const [name, form] of Object.entries(page.forms ?? {})) this.#writeForm(form, forms[name] ?? 0, forms, shared);
    const xobjects = Object.entries(forms).map(([name, number]) => `/${name} ${number} 0 R`);
    for (const [name, image] of Object.entries(page.images ?? {})) xobjects.push(`/${name} ${this.#image(image)} 0 R`);
    const states = Object.entries(page.states ?? {}).map(([name, entries]) => `/${name} <<${entries}>>`).join(' ');
    const fields = (page.fields ?? []).map((field) => this.#field(field));
    this.#fieldNumbers.push(...fields);
    const annotations = [...(page.links ?? []).map((link) => this.#link(link)), ...fields].map((number) => `${number} 0 R`).join(' ');
    this.#set(
      this.#pageNumbers[index] ?? 0,
      `<</Type /Page /Parent ${tree} 0 R /MediaBox [${x} ${y} ${x + (page.width ?? 612)} ${y + (page.height ?? 792)}] ` +
        `${page.cropBox === undefined ? '' : `/CropBox [${page.cropBox.join(' ')}]`} ${page.rotate === undefined ? '' : `/Rotate ${page.rotate}`} ` +
        `/Contents ${content} 0 R /StructParents ${index} /Annots [${annotations}] ` +
        `/Resources <<${shared} /XObject <<${xobjects.join(' ')}>> /ExtGState <<${states}>>>> ${page.entries ?? ''}>>`,
    );
  }

  #writeForm(form: FormSpec, number: number, forms: Record<string, number>, shared: string): void {
    const uses = (form.uses ?? []).map((name) => `/${name} ${forms[name] ?? 0} 0 R`).join(' ');
    const layer = form.layer === undefined ? '' : `/OC ${this.#layerNumbers.get(form.layer) ?? 0} 0 R`;
    const stream = this.#stream(
      `/Type /XObject /Subtype /Form /BBox [${(form.box ?? [-10000, -10000, 10000, 10000]).join(' ')}] /Matrix [${(form.matrix ?? [1, 0, 0, 1, 0, 0]).join(' ')}] ` +
        `${layer} /Resources <<${shared} /XObject <<${uses}>>>>`,
      form.content,
    );
    // The number was promised to the page's resources before the stream was written.
    this.#objects[number] = this.#objects[stream];
    this.#objects[stream] = latin1('null');
  }

  #image(image: ImageSpec): number {
    const size = image.width * image.height;
    const mask = image.alpha === undefined ? '' : `/SMask ${this.#stream(imageEntries(image), Buffer.alloc(size, image.alpha))} 0 R`;
    return this.#stream(`${imageEntries(image)} ${mask}`, image.pixels === undefined ? Buffer.alloc(size, image.grey) : Buffer.from(image.pixels));
  }

  #link(link: LinkSpec): number {
    const action = link.uri === undefined ? `/Dest [${this.#pageNumbers[link.page ?? 0] ?? 0} 0 R /XYZ 0 700 0]` : `/A <</S /URI /URI (${link.uri})>>`;
    return this.#add(`<</Type /Annot /Subtype /Link /Rect [${link.rect.join(' ')}] /Border [0 0 0] ${action}>>`);
  }

  #field(field: FieldSpec): number {
    return this.#add(
      `<</Type /Annot /Subtype /Widget /FT /Tx /T (field${this.#objects.length}) /V ${this.#text(field.value)} /F ${field.flags ?? 4} /Ff ${field.fieldFlags ?? 0} ` +
        `/DA (/Helv ${field.size ?? 0} Tf 0 g) /Rect [${field.rect.join(' ')}]>>`,
    );
  }

  #fontResources(): string {
    const standard = standardFonts.map((name) => {
      const encoding = name === 'Symbol' || name === 'ZapfDingbats' ? '' : '/Encoding /WinAnsiEncoding';
      return `/${name} ${this.#add(`<</Type /Font /Subtype /Type1 /BaseFont /${name} ${encoding}>>`)} 0 R`;
    });
    const own = Object.entries(this.#spec.fonts ?? {}).map(([name, font]) => `/${name} ${typeof font === 'string' ? this.#add(font) : this.#font(font)} 0 R`);
    return [...standard, ...own].join(' ');
  }

  #font(font: FontSpec): number {
    const unicode = font.unicode === undefined ? '' : `/ToUnicode ${this.#stream('', toUnicodeMap(font.unicode))} 0 R`;
    const widths = Array.from({ length: 256 }, (_, code) => font.widths?.[code] ?? 600).join(' ');
    if (font.type3 !== undefined) {
      const glyphs = Object.entries(font.type3).map(([code, content]) => `/g${code} ${this.#stream('', content)} 0 R`);
      const names = Object.keys(font.type3).map((code) => `${code} /g${code}`).join(' ');
      return this.#add(
        `<</Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [${(font.matrix ?? [0.001, 0, 0, 0.001, 0, 0]).join(' ')}] /CharProcs <<${glyphs.join(' ')}>> ` +
          `/Encoding <</Type /Encoding /Differences [${names}]>> /FirstChar 0 /LastChar 255 /Widths [${widths}] /Resources <<>> ${unicode}>>`,
      );
    }
    const base = font.base ?? 'Helvetica';
    const descriptor = this.#add(
      `<</Type /FontDescriptor /FontName /${base} /Flags ${font.flags ?? 32} /ItalicAngle 0 /Ascent 750 /Descent -250 /CapHeight 700 /StemV 80 /FontBBox [0 -250 1000 750]>>`,
    );
    return this.#add(
      `<</Type /Font /Subtype /TrueType /BaseFont /${base} /FirstChar 0 /LastChar 255 /Widths [${widths}] /FontDescriptor ${descriptor} 0 R /Encoding /WinAnsiEncoding ${unicode}>>`,
    );
  }

  #outlineLevel(entries: OutlineSpec[], parent: number): number {
    const level = parent === 0 ? this.#reserve() : parent;
    const numbers = entries.map(() => this.#reserve());
    entries.forEach((entry, index) => {
      const number = numbers[index] ?? 0;
      const children = entry.children ?? [];
      const inside = children.length === 0 ? '' : this.#outlineChildren(children, number);
      const [before, after] = [numbers[index - 1], numbers[index + 1]];
      this.#set(
        number,
        `<</Title ${this.#text(entry.title)} /Parent ${level} 0 R /Dest [${this.#pageNumbers[entry.page] ?? 0} 0 R /XYZ 0 ${entry.y ?? 'null'} 0] ` +
          `${before === undefined ? '' : `/Prev ${before} 0 R`} ${after === undefined ? '' : `/Next ${after} 0 R`} ${inside}>>`,
      );
    });
    if (parent === 0) this.#set(level, `<</Type /Outlines /First ${numbers[0] ?? 0} 0 R /Last ${numbers[numbers.length - 1] ?? 0} 0 R /Count ${entries.length}>>`);
    return parent === 0 ? level : (numbers[0] ?? 0);
  }

  #outlineChildren(children: OutlineSpec[], parent: number): string {
    const first = this.#outlineLevel(children, parent);
    return `/First ${first} 0 R /Last ${first} 0 R /Count ${children.length}`;
  }

  #structureRoot(tags: TagSpec[]): number {
    const root = this.#reserve();
    const parents = new Map<number, string[]>();
    const kids = tags.map((tag) => `${this.#tag(tag, root, 0, parents)} 0 R`);
    const numbers = [...parents].map(([page, entries]) => `${page} [${Array.from(entries, (entry) => entry ?? 'null').join(' ')}]`);
    return this.#set(root, `<</Type /StructTreeRoot /K [${kids.join(' ')}] /ParentTree <</Nums [${numbers.join(' ')}]>> /RoleMap <</Heading /H1>>>>`);
  }

  #tag(tag: TagSpec, parent: number, inherited: number, parents: Map<number, string[]>): number {
    const number = this.#reserve();
    const page = tag.page ?? inherited;
    const entries = parents.get(page) ?? [];
    parents.set(page, entries);
    for (const mcid of tag.mcids ?? []) entries[mcid] = `${number} 0 R`;
    const kids = [...(tag.mcids ?? []).map(String), ...(tag.children ?? []).map((child) => `${this.#tag(child, number, page, parents)} 0 R`)];
    return this.#set(
      number,
      `<</Type /StructElem /S /${tag.role} /P ${parent} 0 R /Pg ${this.#pageNumbers[page] ?? 0} 0 R /K [${kids.join(' ')}] ` +
        `${tag.alt === undefined ? '' : `/Alt ${this.#text(tag.alt)}`} ${tag.actualText === undefined ? '' : `/ActualText ${this.#text(tag.actualText)}`} ` +
        `${tag.attributes === undefined ? '' : `/A <<${tag.attributes}>>`}>>`,
    );
  }

  #startEncryption(password: string): void {
    const padded = padPassword(password);
    const owner = rc4(createHash('md5').update(padded).digest().subarray(0, 5), padded);
    const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
    this.#key = createHash('md5').update(Buffer.concat([padded, owner, permissions, this.#fileId])).digest().subarray(0, 5);
    const user = rc4(this.#key, passwordPadding);
    this.#encrypt = `/Encrypt <</Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P -4>>`;
  }

  #file(catalog: number, info: number): Uint8Array {
    const parts: Buffer[] = [latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')];
    let at = parts[0]?.length ?? 0;
    const offsets = this.#objects.map((body, number) => {
      if (number === 0) return 0;
      const part = Buffer.concat([latin1(`${number} 0 obj\n`), body ?? latin1('null'), latin1('\nendobj\n')]);
      parts.push(part);
      at += part.length;
      return at - part.length;
    });
    const rows = offsets.map((offset, number) => (number === 0 ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`));
    const id = this.#fileId.toString('hex');
    parts.push(
      latin1(`xref\n0 ${offsets.length}\n${rows.join('')}trailer\n<</Size ${offsets.length} /Root ${catalog} 0 R /Info ${info} 0 R /ID [<${id}> <${id}>] ${this.#encrypt}>>\nstartxref\n${at}\n%%EOF\n`),
    );
    return new Uint8Array(Buffer.concat(parts));
  }
}

function imageEntries(image: ImageSpec): string {
  return `/Type /XObject /Subtype /Image /Width ${image.width} /Height ${image.height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
}

function toUnicodeMap(unicode: Record<number, string>): string {
  const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const rows = Object.entries(unicode).map(([code, meaning]) => `<${Number(code).toString(16).padStart(2, '0')}> <${hex(meaning)}>`);
  return (
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Made def /CMapType 2 def\n' +
    `1 begincodespacerange <00> <ff> endcodespacerange\n${rows.length} beginbfchar\n${rows.join('\n')}\nendbfchar\nendcmap end end`
  );
}

const passwordPadding = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex');

function padPassword(password: string): Buffer {
  return Buffer.concat([latin1(password), passwordPadding]).subarray(0, 32);
}

function objectKey(key: Buffer, number: number): Buffer {
  const salt = Buffer.from([number & 255, (number >> 8) & 255, (number >> 16) & 255, 0, 0]);
  return createHash('md5').update(Buffer.concat([key, salt])).digest().subarray(0, Math.min(16, key.length + 5));
}

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] ?? 0) + (key[i % key.length] ?? 0)) & 255;
    [state[i], state[j]] = [state[j] ?? 0, state[i] ?? 0];
  }
  const out = Buffer.alloc(data.length);
  for (let at = 0, i = 0, j = 0; at < data.length; at++) {
    i = (i + 1) & 255;
    j = (j + (state[i] ?? 0)) & 255;
    [state[i], state[j]] = [state[j] ?? 0, state[i] ?? 0];
    out[at] = (data[at] ?? 0) ^ (state[((state[i] ?? 0) + (state[j] ?? 0)) & 255] ?? 0);
  }
  return out;
}
