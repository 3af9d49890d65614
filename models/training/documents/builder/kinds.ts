/** The vocabulary of the truth: kinds of nodes, classes of words, parts of a leaf. Shards store the index of each in its list, so that a list may only grow at its end. */
import type { WordClass } from '../../../../src/convert/relations/classes.js';

export { wordClasses, type WordClass } from '../../../../src/convert/relations/classes.js';

/** A node of a document's structure. `run` is running text that stands directly in a container beside blocks. */
export const nodeKinds = [
  'document', 'run', 'paragraph', 'title', 'subtitle', 'heading', 'list', 'list-item', 'term', 'description', 'quote', 'code', 'table', 'cell', 'caption', 'figure', 'picture',
  'formula', 'formula-number', 'footnote', 'reference', 'toc', 'toc-entry', 'key-value', 'key', 'value', 'form-field', 'checkbox', 'page-header', 'page-footer', 'sidebar',
  'pull-quote', 'author', 'abstract', 'address', 'stamp', 'signature', 'card', 'grid', 'separator', 'container',
] as const;
export type NodeKind = (typeof nodeKinds)[number];

/** Where a leaf's characters come from: the text, the marker of a list item, `::before`, `::after`, the value of a form control, a margin box of the page. */
export const leafParts = ['text', 'marker', 'before', 'after', 'value', 'margin'] as const;
export type LeafPart = (typeof leafParts)[number];

/** Of a cell, by HTML's table algorithm. */
export const headerKinds = ['none', 'column', 'row', 'both'] as const;
export type HeaderKind = (typeof headerKinds)[number];

/** Bits of the inline elements around a leaf. */
export const inlineBits: Record<string, number> = { a: 1, b: 2, strong: 2, i: 4, em: 4, cite: 4, code: 8, kbd: 8, samp: 8, tt: 8, sub: 16, sup: 32, mark: 64, u: 128, ins: 128, s: 256, del: 256 };

/** Kinds whose words have one class whatever stands inside: the outermost decides. */
const dominant: Partial<Record<NodeKind, WordClass>> = {
  'page-header': 'page-header', 'page-footer': 'page-footer', picture: 'picture-text', footnote: 'footnote', reference: 'reference', 'toc-entry': 'toc-entry', formula: 'formula',
  'formula-number': 'formula-number', code: 'code', author: 'author', address: 'address', 'pull-quote': 'pull-quote', stamp: 'stamp', signature: 'signature', caption: 'caption',
};
/** Kinds that give a class unless an inner node does. */
const innermost: Partial<Record<NodeKind, WordClass>> = {
  title: 'title', subtitle: 'subtitle', heading: 'heading', 'list-item': 'list-item', term: 'term', description: 'description', quote: 'quote', key: 'key', value: 'value',
  'form-field': 'form-field', checkbox: 'checkbox', sidebar: 'sidebar', abstract: 'abstract',
};

/** The class of text in the node at the end of `chain` (outermost first). */
export function classOf(chain: readonly { kind: NodeKind; header?: HeaderKind | undefined }[]): WordClass {
  for (const { kind, header } of chain) {
    const cls = dominant[kind];
    if (cls !== undefined) return cls;
    if (kind === 'cell') return header === 'column' || header === 'both' ? 'column-header' : header === 'row' ? 'row-header' : 'cell';
  }
  for (let at = chain.length - 1; at >= 0; at--) {
    const cls = innermost[chain[at]!.kind];
    if (cls !== undefined) return cls;
  }
  return 'text';
}
