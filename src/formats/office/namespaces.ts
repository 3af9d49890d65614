/** The namespaces of the office formats, transitional and strict alike, under the prefixes that everybody writes. */

const strict = 'http://purl.oclc.org/ooxml/';
const schemas = 'http://schemas.openxmlformats.org/';

const openXml: [prefix: string, path: string][] = [
  ['w', 'wordprocessingml/2006/main'], ['a', 'drawingml/2006/main'], ['r', 'officeDocument/2006/relationships'],
  ['wp', 'drawingml/2006/wordprocessingDrawing'], ['pic', 'drawingml/2006/picture'], ['c', 'drawingml/2006/chart'],
  ['m', 'officeDocument/2006/math'], ['p', 'presentationml/2006/main'], ['', 'spreadsheetml/2006/main'],
  ['xdr', 'drawingml/2006/spreadsheetDrawing'], ['dgm', 'drawingml/2006/diagram'],
];

const strictPaths: Record<string, string> = {
  'wordprocessingml/2006/main': 'wordprocessingml/main', 'drawingml/2006/main': 'drawingml/main',
  'officeDocument/2006/relationships': 'officeDocument/relationships', 'drawingml/2006/wordprocessingDrawing': 'drawingml/wordprocessingDrawing',
  'drawingml/2006/picture': 'drawingml/picture', 'drawingml/2006/chart': 'drawingml/chart', 'officeDocument/2006/math': 'officeDocument/math',
  'presentationml/2006/main': 'presentationml/main', 'spreadsheetml/2006/main': 'spreadsheetml/main',
  'drawingml/2006/spreadsheetDrawing': 'drawingml/spreadsheetDrawing', 'drawingml/2006/diagram': 'drawingml/diagram',
};

const odf = 'urn:oasis:names:tc:opendocument:xmlns:';

/** Address -> prefix, for `XmlOptions.namespaces`. */
export const officeNamespaces: Readonly<Record<string, string>> = {
  ...Object.fromEntries(openXml.flatMap(([prefix, path]) => [[schemas + path, prefix], [strict + (strictPaths[path] ?? path), prefix]])),
  [`${schemas}package/2006/relationships`]: '',
  [`${schemas}package/2006/content-types`]: '',
  [`${schemas}markup-compatibility/2006`]: 'mc',
  'http://schemas.microsoft.com/office/word/2010/wordml': 'w14',
  'http://schemas.microsoft.com/office/word/2010/wordprocessingShape': 'wps',
  'http://schemas.microsoft.com/office/word/2010/wordprocessingGroup': 'wpg',
  'http://schemas.microsoft.com/office/drawing/2010/main': 'a14',
  'urn:schemas-microsoft-com:vml': 'v',
  'urn:schemas-microsoft-com:office:office': 'o',
  'http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments': 'tc',
};

/** Those of OpenDocument. */
export const openDocumentNamespaces: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['office', 'style', 'text', 'table', 'drawing:draw', 'presentation', 'svg-compatible:svg', 'xsl-fo-compatible:fo', 'datastyle:number', 'meta', 'chart', 'form', 'manifest']
    .map((entry) => entry.split(':')).map(([path = '', prefix = path]) => [`${odf}${path}:1.0`, prefix])),
  'http://www.w3.org/1999/xlink': 'xlink',
  'http://www.w3.org/1998/Math/MathML': 'math',
};
