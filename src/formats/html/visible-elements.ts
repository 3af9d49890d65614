/** What of a page is shown, and what stands around its text: hidden elements, programs, controls, navigation. */
import { attribute, findElement } from './html-tree.js';
import type { Element } from './html-tree.js';

/** Programs, styles, controls and embedded things without words of their own. */
const neverShown = new Set([
  'script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link', 'base', 'datalist', 'select', 'textarea', 'iframe', 'object',
  'embed', 'applet', 'canvas', 'video', 'audio', 'source', 'track', 'param', 'map', 'area', 'svg', 'noframes', 'noembed', 'progress', 'meter', 'rp',
]);

const hiddenStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all)/i;

export function isHidden(element: Element): boolean {
  return neverShown.has(element.tagName) || isHiddenByStyle(element);
}

/** By its attributes, whatever element it is. */
export function isHiddenByStyle(element: Element): boolean {
  for (const { name, value } of element.attrs) {
    if (name === 'hidden') return value !== 'until-found';
    if (name === 'style' && value.length < 10_000 && hiddenStyle.test(value)) return true;
    // A formula's glyphs, beside the formula itself.
    if (name === 'class' && /(?:^|\s)(?:katex-html|MathJax_Preview|MJX_Assistive_MathML)(?:\s|$)/.test(value)) return true;
  }
  if (element.tagName === 'dialog') return attribute(element, 'open') === null;
  return element.tagName === 'input' && attribute(element, 'type') !== 'checkbox';
}

function role(element: Element): string {
  return attribute(element, 'role')?.toLowerCase() ?? '';
}

const isMain = (element: Element): boolean => element.tagName === 'main' || role(element) === 'main';
const isHeading = (element: Element): boolean => /^h[1-6]$/.test(element.tagName);

/** Parts that a page's own text may have headers and footers in. */
const sections = new Set(['article', 'section', 'main', 'blockquote', 'td', 'li', 'figure', 'dialog']);

/** Decides which elements of one page are furniture: navigation, the page's header and footer, and all that is beside its `main`. */
export class PageParts {
  readonly #main: Element | null;
  readonly #aroundMain = new Set<Element>();

  constructor(body: Element) {
    this.#main = findElement(body, isMain);
    if (this.#main === null) return;
    for (let at: unknown = this.#main.parentNode; at !== null && typeof at === 'object' && 'tagName' in at; at = (at as Element).parentNode) {
      this.#aroundMain.add(at as Element);
    }
  }

  isFurniture(element: Element, parent: Element): boolean {
    if (this.#main !== null && this.#aroundMain.has(parent)) return element !== this.#main && !this.#aroundMain.has(element) && !isMain(element);
    if (element.tagName === 'nav' || role(element) === 'navigation') return true;
    const { tagName } = element;
    if (tagName === 'footer' || role(element) === 'contentinfo') return !this.#inSection(element);
    // A header that holds the heading of the text is part of it.
    return (tagName === 'header' || role(element) === 'banner') && !this.#inSection(element) && findElement(element, isHeading) === null;
  }

  #inSection(element: Element): boolean {
    for (let at: unknown = element.parentNode; at !== null && typeof at === 'object' && 'tagName' in at; at = (at as Element).parentNode) {
      if (sections.has((at as Element).tagName)) return true;
    }
    return false;
  }
}
