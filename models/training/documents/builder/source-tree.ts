/** The HTML of a source as a tree: what the truth and all renderers read. */
import { parseFragment, serialize, html as names, defaultTreeAdapter as adapter } from 'parse5';
import type { DefaultTreeAdapterMap } from 'parse5';

export type Element = DefaultTreeAdapterMap['element'];
export type ChildNode = DefaultTreeAdapterMap['childNode'];
export type TextNode = DefaultTreeAdapterMap['textNode'];
export type Fragment = DefaultTreeAdapterMap['documentFragment'];

/** Elements that take no line of their own. */
const inlineTags = new Set([
  'a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'br', 'button', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'img', 'input', 'ins', 'kbd', 'label', 'mark', 'math',
  'meter', 'output', 'progress', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'select', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'svg', 'textarea', 'time', 'tt', 'u', 'var', 'wbr', 'x-t', 'canvas',
]);
/** Elements whose text is not drawn. */
const undrawnTags = new Set(['script', 'style', 'template', 'noscript', 'title', 'head', 'link', 'meta', 'object', 'iframe', 'audio', 'video', 'datalist']);

export function parseBody(html: string): Fragment {
  const fragment = parseFragment(html);
  removeUndrawn(fragment);
  return fragment;
}

export function writeHtml(fragment: Fragment): string {
  return serialize(fragment);
}

function removeUndrawn(parent: Fragment | Element): void {
  for (const child of [...parent.childNodes]) {
    if (!isElement(child)) {
      if (!isText(child)) adapter.detachNode(child);
      continue;
    }
    if (undrawnTags.has(child.tagName) && child.namespaceURI === names.NS.HTML) adapter.detachNode(child);
    else removeUndrawn(child);
  }
}

export function isElement(node: ChildNode): node is Element {
  return 'tagName' in node;
}

export function isText(node: ChildNode): node is TextNode {
  return node.nodeName === '#text';
}

export function isDrawnText(node: ChildNode): node is TextNode {
  return isText(node) && /\S/u.test(node.value);
}

export function attribute(element: Element, name: string): string {
  return element.attrs.find((each) => each.name === name)?.value ?? '';
}

export function hasAttribute(element: Element, name: string): boolean {
  return element.attrs.some((each) => each.name === name);
}

export function setAttribute(element: Element, name: string, value: string): void {
  const known = element.attrs.find((each) => each.name === name);
  if (known === undefined) element.attrs.push({ name, value });
  else known.value = value;
}

export function isInline(element: Element): boolean {
  return inlineTags.has(element.tagName) || element.namespaceURI !== names.NS.HTML && element.tagName !== 'svg' && element.tagName !== 'math';
}

export function isHtml(element: Element): boolean {
  return element.namespaceURI === names.NS.HTML;
}

/** Puts a text node into an element of its own, which draws nothing. */
export function wrapText(text: TextNode): Element {
  const parent = text.parentNode as Element;
  const wrapper = adapter.createElement('x-t', names.NS.HTML, []);
  adapter.insertBefore(parent, wrapper, text);
  adapter.detachNode(text);
  adapter.appendChild(wrapper, text);
  return wrapper;
}

/** All text inside, spaces joined. */
export function textOf(node: ChildNode | Fragment): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
