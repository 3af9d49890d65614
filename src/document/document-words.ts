/** All words of a document, each once: what a conversion must not have lost or doubled. */
import { childrenOf, isInlineGroup, isListItem, isText, joinRuns, resolve } from './document-tree.js';
import type { DoclingDocument } from './model.js';

function* split(text: string): Generator<string> {
  for (const word of text.split(/\s+/)) if (word !== '') yield word;
}

/**
 * Words of every layer, furniture included, in the order of the document's lists; list markers are words. A spanning cell counts
 * once, a rich cell by what it points to, the runs of a paragraph put together.
 */
export function* plainWords(document: DoclingDocument): Generator<string> {
  for (const item of document.texts) {
    if (isListItem(item)) yield* split(item.marker);
    const inRuns = item.parent !== null && isInlineGroup(resolve(document, item.parent));
    if (!inRuns) yield* split(item.text);
  }
  for (const group of document.groups) {
    if (!isInlineGroup(group)) continue;
    yield* split(joinRuns(childrenOf(document, group).map((node) => ({ node, text: isText(node) ? node.text : '' }))));
  }
  for (const table of document.tables) {
    for (const cell of table.data.table_cells) if (cell.ref === undefined) yield* split(cell.text);
  }
  for (const item of [...document.key_value_items, ...document.form_items]) {
    for (const cell of item.graph.cells) if (cell.item_ref === null) yield* split(cell.text);
  }
}
