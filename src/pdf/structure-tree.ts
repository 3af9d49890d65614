/** The structure tree of a tagged page, as plain nodes. */
import type { StructureNode } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

const MAX_DEPTH = 64;
const MAX_NODES = 50_000;

export function readStructure(pdfium: Pdfium, page: number): StructureNode[] {
  const { call } = pdfium;
  const tree = call.FPDF_StructTree_GetForPage(page);
  if (tree === 0) return [];
  const reader = new TreeReader(pdfium);
  try {
    const nodes: StructureNode[] = [];
    const count = call.FPDF_StructTree_CountChildren(tree);
    for (let index = 0; index < count; index++) {
      const node = reader.read(call.FPDF_StructTree_GetChildAtIndex(tree, index), 0);
      if (node !== null) nodes.push(node);
    }
    return nodes;
  } finally {
    call.FPDF_StructTree_Close(tree);
  }
}

class TreeReader {
  #pdfium: Pdfium;
  #nodes = 0;
  /** The nodes on the way from the root: a cycle in the tree ends there. */
  #path = new Set<number>();

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
  }

  read(element: number, depth: number): StructureNode | null {
    if (element === 0 || depth > MAX_DEPTH || this.#nodes >= MAX_NODES || this.#path.has(element)) return null;
    this.#nodes++;
    this.#path.add(element);
    const { call } = this.#pdfium;
    const text = (read: (buffer: number, size: number) => number) => this.#pdfium.readString(read, 'utf16le');
    const node: StructureNode = {
      role: text((buffer, size) => call.FPDF_StructElement_GetType(element, buffer, size)),
      mcids: [],
      alt: text((buffer, size) => call.FPDF_StructElement_GetAltText(element, buffer, size)),
      actualText: text((buffer, size) => call.FPDF_StructElement_GetActualText(element, buffer, size)),
      rowSpan: this.#span(element, this.#pdfium.names.RowSpan),
      columnSpan: this.#span(element, this.#pdfium.names.ColSpan),
      children: [],
    };
    const count = call.FPDF_StructElement_CountChildren(element);
    for (let index = 0; index < count && this.#nodes < MAX_NODES; index++) {
      const mcid = call.FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (mcid >= 0) node.mcids.push(mcid);
      const child = this.read(call.FPDF_StructElement_GetChildAtIndex(element, index), depth + 1);
      if (child !== null) node.children.push(child);
    }
    this.#path.delete(element);
    // A page's tree also names elements of other pages; a node without content here does not belong to this page.
    return node.mcids.length > 0 || node.children.length > 0 || node.alt !== '' || node.actualText !== '' ? node : null;
  }

  #span(element: number, name: number): number {
    const { call, scratch } = this.#pdfium;
    const attributes = Math.min(16, call.FPDF_StructElement_GetAttributeCount(element));
    for (let index = 0; index < attributes; index++) {
      const attribute = call.FPDF_StructElement_GetAttributeAtIndex(element, index);
      const value = attribute === 0 ? 0 : call.FPDF_StructElement_Attr_GetValue(attribute, name);
      if (value === 0 || call.FPDF_StructElement_Attr_GetNumberValue(value, scratch) === 0) continue;
      const span = Math.round(this.#pdfium.f32[scratch >> 2] ?? 1);
      if (span >= 1 && span <= 1000) return span;
    }
    return 1;
  }
}
