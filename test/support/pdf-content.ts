/** Content-stream fragments for made PDFs. Coordinates are PDF's own: points, origin bottom left, y up. */

export interface TextStyle {
  /** Resource name; `Helvetica` unless said. */
  font?: string;
  /** 0xRRGGBB. */
  color?: number;
  /** Text render mode: 0 fill, 2 fill and stroke, 3 invisible. */
  mode?: number;
  /** Character spacing in points. */
  tracking?: number;
  wordSpacing?: number;
  /** Horizontal scaling in per cent. */
  scale?: number;
  /** Degrees counter-clockwise. */
  angle?: number;
}

export interface BoxStyle {
  fill?: number;
  stroke?: number;
  lineWidth?: number;
  dash?: number[];
}

const n = (value: number) => String(Math.round(value * 1e5) / 1e5);

function color(rgb: number, operator: string): string {
  return `${n(((rgb >> 16) & 255) / 255)} ${n(((rgb >> 8) & 255) / 255)} ${n((rgb & 255) / 255)} ${operator}`;
}

/** A literal string of bytes; characters past 255 are the caller's mistake. */
export function pdfString(text: string): string {
  return `(${text.replace(/[\\()]/g, '\\$&').replace(/\r/g, '\\r').replace(/\n/g, '\\n')})`;
}

/** One line of text with its baseline starting at (x, y). */
export function text(x: number, y: number, size: number, content: string, style: TextStyle = {}): string {
  return textOperators(x, y, size, `${pdfString(content)} Tj`, style);
}

/** Text with explicit moves between its pieces, in thousandths of the size, as TJ has them (negative moves right). */
export function kernedText(x: number, y: number, size: number, pieces: (string | number)[], style: TextStyle = {}): string {
  const array = pieces.map((piece) => (typeof piece === 'number' ? n(piece) : pdfString(piece))).join(' ');
  return textOperators(x, y, size, `[${array}] TJ`, style);
}

function textOperators(x: number, y: number, size: number, show: string, style: TextStyle): string {
  const radians = ((style.angle ?? 0) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return [
    'q',
    color(style.color ?? 0, 'rg'),
    'BT',
    `/${style.font ?? 'Helvetica'} ${n(size)} Tf`,
    style.mode === undefined ? '' : `${style.mode} Tr`,
    style.tracking === undefined ? '' : `${n(style.tracking)} Tc`,
    style.wordSpacing === undefined ? '' : `${n(style.wordSpacing)} Tw`,
    style.scale === undefined ? '' : `${n(style.scale)} Tz`,
    `${n(cos)} ${n(sin)} ${n(-sin)} ${n(cos)} ${n(x)} ${n(y)} Tm`,
    show,
    'ET',
    'Q',
  ].join('\n');
}

/** A rectangle with its lower left corner at (x, y); filled black unless the style says otherwise. */
export function rectangle(x: number, y: number, width: number, height: number, style: BoxStyle = {}): string {
  return paint(`${n(x)} ${n(y)} ${n(width)} ${n(height)} re`, style.stroke === undefined && style.fill === undefined ? { fill: 0 } : style);
}

export function line(x0: number, y0: number, x1: number, y1: number, style: BoxStyle = {}): string {
  return paint(`${n(x0)} ${n(y0)} m ${n(x1)} ${n(y1)} l`, { stroke: 0, ...style });
}

/** Any path operators, painted. */
export function paint(path: string, style: BoxStyle): string {
  const operator = style.fill !== undefined && style.stroke !== undefined ? 'B' : style.fill !== undefined ? 'f' : 'S';
  return [
    'q',
    style.fill === undefined ? '' : color(style.fill, 'rg'),
    style.stroke === undefined ? '' : color(style.stroke, 'RG'),
    `${n(style.lineWidth ?? 1)} w`,
    style.dash === undefined ? '' : `[${style.dash.map(n).join(' ')}] 0 d`,
    path,
    operator,
    'Q',
  ].join('\n');
}

/** What `inner` paints, seen only through a rectangle. */
export function clipped(x: number, y: number, width: number, height: number, inner: string): string {
  return `q\n${n(x)} ${n(y)} ${n(width)} ${n(height)} re W n\n${inner}\nQ`;
}

/** What `inner` paints as part of an optional-content layer of the page. */
export function layered(layer: string, inner: string): string {
  return `/OC /${layer} BDC\n${inner}\nEMC`;
}

/** What `inner` paints as marked content of the structure tree. */
export function tagged(role: string, mcid: number, inner: string): string {
  return `/${role} <</MCID ${mcid}>> BDC\n${inner}\nEMC`;
}

/** A form or image of the page's resources, painted under a matrix. */
export function placed(name: string, a: number, b: number, c: number, d: number, e: number, f: number): string {
  return `q ${[a, b, c, d, e, f].map(n).join(' ')} cm /${name} Do Q`;
}
