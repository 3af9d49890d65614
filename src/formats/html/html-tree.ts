/** HTML text as a tree of elements, bounded in depth and number; scripts and references are never followed. */
import { defaultTreeAdapter, parse } from 'parse5';
import type { DefaultTreeAdapterTypes, TreeAdapter, DefaultTreeAdapterMap } from 'parse5';
import { LecternError } from '../../errors.js';

export type Element = DefaultTreeAdapterTypes.Element;
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** Elements below this depth stand side by side there, as browsers do it (theirs is 512): readers may then recurse. */
const deepest = 300;
/** What only other elements stand in. */
const textless = new Set(['ul', 'ol', 'menu', 'dir', 'dl', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'colgroup', 'select']);
const mostElements = 3_000_000;

/** What is known of a parent's place: kept on the node itself, where a table beside a million of them would cost more than the page. */
interface PlacedElement {
  depth?: number;
  /** Where the children of an element go that is too deep itself: the nearest one above that may hold text. */
  host?: ParentNode;
  holder?: ParentNode;
}

function boundedAdapter(): TreeAdapter<DefaultTreeAdapterMap> {
  const hostOf = (parent: ParentNode): ParentNode => (parent as PlacedElement).host ?? parent;
  let elements = 0;
  const placed = (host: ParentNode, node: ParentNode | HtmlNode): void => {
    if (!('childNodes' in node)) return;
    const around = host as PlacedElement;
    const own = node as PlacedElement;
    const depth = (around.depth ?? 0) + 1;
    const holder = around.holder ?? host;
    own.depth = depth;
    own.holder = 'tagName' in node && textless.has(node.tagName) ? holder : node;
    if (depth >= deepest) own.host = holder;
  };
  return {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      if (++elements > mostElements) throw new LecternError('too_large', `The page has more than ${mostElements.toLocaleString('en')} elements.`);
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    appendChild(parent, node) {
      const host = hostOf(parent);
      placed(host, node);
      defaultTreeAdapter.appendChild(host, node);
    },
    insertBefore(parent, node, reference) {
      const host = hostOf(parent);
      placed(host, node);
      if (host === parent) defaultTreeAdapter.insertBefore(host, node, reference);
      else defaultTreeAdapter.appendChild(host, node);
    },
    insertText: (parent, text) => defaultTreeAdapter.insertText(hostOf(parent), text),
    insertTextBefore(parent, text, reference) {
      const host = hostOf(parent);
      if (host === parent) defaultTreeAdapter.insertTextBefore(host, text, reference);
      else defaultTreeAdapter.insertText(host, text);
    },
  };
}

/** The `html` element of a page; whatever the text is, there is one. Throws LecternError `too_large`. */
export function parseHtml(text: string): Element {
  const document = parse(text, { treeAdapter: boundedAdapter(), scriptingEnabled: false });
  const root = document.childNodes.find((node) => 'tagName' in node);
  if (root === undefined || !('tagName' in root)) throw new LecternError('invalid_document', 'The page has no content.');
  return root;
}

export function isElement(node: HtmlNode): node is Element {
  return 'tagName' in node;
}

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((one) => one.name === name)?.value ?? null;
}

/** The first element of that name below `root`, in the order of the text. */
export function findElement(root: Element, matches: (element: Element) => boolean): Element | null {
  for (const node of root.childNodes) {
    if (!isElement(node)) continue;
    const found = matches(node) ? node : findElement(node, matches);
    if (found !== null) return found;
  }
  return null;
}

/** All text below a node as it is written; `br` is a line's end. */
export function textOf(node: HtmlNode): string {
  const parts: string[] = [];
  const gather = (at: HtmlNode): void => {
    if (at.nodeName === '#text') parts.push((at as DefaultTreeAdapterTypes.TextNode).value);
    else if (at.nodeName === 'br') parts.push('\n');
    else if (isElement(at)) at.childNodes.forEach(gather);
  };
  gather(node);
  return parts.join('');
}
