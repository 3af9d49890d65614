/** The classes of the relation network. Shards and networks store the index of each, so that the lists may only grow at their end. */

/** Of words: the class of the part of the document that determines how a word is read. */
export const wordClasses = [
  'unknown', 'text', 'title', 'subtitle', 'heading', 'list-item', 'list-marker', 'term', 'description', 'code', 'quote', 'cell', 'column-header', 'row-header', 'caption', 'formula',
  'formula-number', 'footnote', 'reference', 'toc-entry', 'key', 'value', 'form-field', 'checkbox', 'page-header', 'page-footer', 'sidebar', 'pull-quote', 'picture-text', 'author',
  'abstract', 'address', 'stamp', 'signature',
] as const;
export type WordClass = (typeof wordClasses)[number];

/** Of nodes: those of words, then those of bitmaps and drawings. */
export const nodeClasses = [...wordClasses, 'picture', 'decoration'] as const;
export type NodeClass = (typeof nodeClasses)[number];

/**
 * Of pairs of nodes, in the order of the network's scores.
 * `next`: the second follows the first in the reading order. `caption`: the first is of a caption, the second of the table or picture that it belongs to. */
export const relations = ['block', 'table', 'row', 'column', 'next', 'caption'] as const;
export type Relation = (typeof relations)[number];
